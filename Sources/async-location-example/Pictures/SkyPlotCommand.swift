import AsyncLocation
import LocationRecording

extension Command {
  static let sky = Command(
    name: "sky",
    summary: "Shows the satellites as they are reported, until interrupted.",
    isEndless: true,
    options: [.receiving, .replay, [.transport, .count, .plot, .replace]],
    meanings: [
      .backend: Option.sourceOfAllKinds,
      .plot: ("FILE.svg", "Writes a picture of the first full view of the sky, and ends"),
    ],
    notes: """
      In a terminal: a table for each report. Elsewhere one line, with these columns:
      \(Help.rows(SkyLine.columns.map { ($0.name, $0.meaning) }))
      With --format json: one view per line, as the library encodes it. Needs full accuracy.
      """,
    check: { arguments, given throws(UsageError) in
      if let path = arguments.destination {
        _ = try PictureKind(path: path, kinds: [.svg], of: arguments.command)
        if let option = [Option.count, .format].first(where: given.contains) {
          throw UsageError(
            "\(option.flag) is for views that are printed; --plot writes one picture",
            command: arguments.command)
        }
      } else if given.contains(.replace) {
        throw UsageError("--replace needs --plot", command: arguments.command)
      }
      try arguments.requireMoreThanLocations()
    },
    run: { tool, arguments in
      if let path = arguments.destination {
        return try await SkyPlotCommand(arguments: arguments, context: tool.context)
          .run(tool.openSource(arguments), to: path)
      }
      return try await FollowCommand<SatelliteView>(arguments, tool.context)
        .run(tool.openSource(arguments))
    })
}

/// The `sky --plot` command: writes a picture of the first full view of the sky.
struct SkyPlotCommand: Sendable {
  let arguments: Arguments
  let context: CommandContext

  /// Returns `failed` if the source ends before a full view. Throws if the file cannot be written.
  func run(_ source: NamedBackend, to path: String) async throws -> ExitCode {
    let picture = try PictureFile(path: path, replaces: arguments.replaces)
    // `FollowCommand` reports the connection and applies the timeout. No view is printed.
    let command = FollowCommand<SatelliteView>(
      following: Following(arguments: arguments, context: context, name: "views of the sky"),
      text: { SkyLine.line($0) }, buffering: FollowCommand<SatelliteView>.skyBuffering,
      each: { manager, _ in
        for try await view in manager.satellites where Self.isFull(view) {
          // The picture is written before the source is stopped, because permission may be
          // withdrawn while the source stops.
          try await picture.draw(view)
          throw CountReached()
        }
      })
    do {
      _ = try await command.run(source)
    } catch {
      // The timeout may have expired, or permission may have been withdrawn, during drawing.
      guard await picture.satelliteCount != nil else { throw error }
    }
    guard let count = await picture.satelliteCount else {
      await context.printMessage("the source ended before it had a full view of the sky")
      return .failed
    }
    await context.printMessage("\(path): \(count) satellites")
    return .done
  }

  /// Whether at least one satellite has a direction; gpsd also reports views without any.
  static func isFull(_ view: SatelliteView) -> Bool {
    view.satellites.contains { $0.elevation != nil && $0.azimuth != nil }
  }
}

private actor PictureFile {
  private let file: CompletedFile
  /// The number of satellites in the drawn view.
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
