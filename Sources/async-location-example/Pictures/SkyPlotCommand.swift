import AsyncLocation
import LocationRecording

/// The `sky --plot` command: writes a picture of the first full view of the sky.
struct SkyPlotCommand: Sendable {
  let arguments: Arguments
  let context: CommandContext

  /// Fails when the source ends before a full view, or the file cannot be written.
  func run(_ source: NamedBackend, to path: String) async throws -> ExitCode {
    let picture = try PictureFile(path: path, replaces: arguments.replaces)
    // `FollowCommand` reports the connection and gives up in time. No view is printed.
    let waiting = FollowCommand<SatelliteView>(
      following: Following(arguments: arguments, context: context, name: "views of the sky"),
      text: { SkyLine.line($0) }, buffering: FollowCommand<SatelliteView>.skyBuffering,
      each: { manager, _ in
        for try await view in manager.satellites where Self.isFull(view) {
          // While permission holds: the source may take a while to end.
          try await picture.draw(view)
          throw CountReached()
        }
      })
    do {
      _ = try await waiting.run(source)
    } catch {
      // The time, or permission, may have ended while it was drawn.
      guard await picture.satelliteCount != nil else { throw error }
    }
    guard let count = await picture.satelliteCount else {
      await context.say("the source ended before it had a full view of the sky")
      return .failed
    }
    await context.say("\(path): \(count) satellites")
    return .done
  }

  /// gpsd also reports the sky without satellites, and satellites without directions.
  static func isFull(_ view: SatelliteView) -> Bool {
    view.satellites.contains { $0.elevation != nil && $0.azimuth != nil }
  }
}

private actor PictureFile {
  private let file: CompletedFile
  /// That of the view that was drawn.
  private(set) var satelliteCount: Int?

  init(path: String, replaces: Bool) throws {
    file = try CompletedFile(path: path, replaces: replaces)
  }

  func draw(_ view: SatelliteView) async throws {
    try await file.output.write(SkyPicture(view).svg())
    try await file.complete()
    satelliteCount = view.satellites.count
  }
}
