import AsyncLocation
import LocationRecording

/// The `sky --plot` command: writes a picture of the first full view of the sky.
struct SkyPlotCommand: Sendable {
  let arguments: Arguments
  let context: CommandContext

  /// Fails when the source ends before a full view, or the file cannot be written.
  func run(_ source: Tool.Source, to path: String) async throws -> ExitCode {
    let file = try CompletedFile(path: path, replaces: arguments.replaces)
    let first = FirstView()
    // What prints views also reports the connection and gives up in time. No view is printed.
    let waiting = FollowCommand<SatelliteView>(
      following: Following(arguments: arguments, context: context, name: "views of the sky"),
      text: { SkyLine.line($0) }, buffering: FollowCommand<SatelliteView>.skyBuffering,
      each: { manager, _ in
        for try await view in manager.satellites where Self.isFull(view) {
          await first.keep(view)
          throw CountReached()
        }
      })
    _ = try await waiting.run(source)
    guard let view = await first.view else {
      await context.say("the source ended before it had a full view of the sky")
      return .failed
    }
    try await file.output.write(SkyPicture(view).svg())
    try await file.complete()
    await context.say("\(path): \(view.satellites.count) satellites")
    return .done
  }

  /// gpsd also reports the sky without satellites, and satellites without directions.
  static func isFull(_ view: SatelliteView) -> Bool {
    view.satellites.contains { $0.elevation != nil && $0.azimuth != nil }
  }
}

private actor FirstView {
  private(set) var view: SatelliteView?

  func keep(_ view: SatelliteView) { self.view = view }
}
