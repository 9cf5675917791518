import AsyncLocation
import FoundationEssentials
import LocationRecording

extension Command {
  // The explicit type avoids a circular inference, because `missing` refers to the command.
  static let plot: Command = Command(
    name: "plot",
    summary: "Draws the tracks of recordings, and areas, as SVG or as a page of HTML.",
    words: " IN... -o FILE",
    options: [
      [
        .output, .basemap, .title, .coloring, .over, .zone, .device, .replace, .maximumGap,
        .partial, .conditions,
      ]
    ],
    notes: """
      IN is a recording in any format that --file of other commands reads; - is standard input. Several
      are drawn on one map, each with a color and its name. The picture of one has a map with the largest
      places, profiles of speed and altitude, waypoints with their names, stops of three
      minutes or more, and gaps. The map has the extent of the track: waypoints beyond it are listed
      only. --conditions draws the areas of a file, as for fences, below the tracks; without IN it draws
      them alone. A page has also a cursor, the numbers, and lists of waypoints, stops and gaps. Both
      need no network, and follow the reader's choice of light or dark. The file is readable by its
      owner only.
      """,
    read: { arguments, words throws(UsageError) in
      guard !words.contains("") else { throw PlotCommand.missing }
      // A picture of conditions alone needs no recording.
      arguments.recording = words.first
      arguments.furtherRecordings = Array(words.dropFirst())
    },
    check: { arguments, given throws(UsageError) in try PlotCommand.check(arguments, given) },
    run: { tool, arguments in
      try await PlotCommand(arguments: arguments, context: tool.context).run()
    })
}

/// The `plot` command: writes a picture of a track, of several, or of conditions.
struct PlotCommand: Sendable {
  let arguments: Arguments
  let context: CommandContext
  /// The host's wall clock.
  var now: @Sendable () -> Date = { Date() }

  /// Throws when an input cannot be read or the file cannot be written; no file is created then.
  /// Returns `failed` if a part of an input could not be read; the rest is drawn.
  func run() async throws -> ExitCode {
    guard let path = arguments.destination else { throw Self.missing }
    let inputs = [arguments.recording].compactMap(\.self) + arguments.furtherRecordings
    let kind = try PictureKind(path: path, of: .plot)
    let file = try CompletedFile(path: path, replaces: arguments.replaces)
    let basemap = try await basemap()
    let requestedZone = try arguments.timeZone.map { try PictureTimeZone.named($0, .plot) }
    let conditions = try await FenceFile.conditions(arguments, context, now)
    var drawn: [(track: Track, summary: RecordingScan.Summary, path: String)] = []
    for input in inputs {
      let (track, summary) = try await read(input)
      drawn.append((track, summary, input))
    }
    let tracks = drawn.map(\.track)
    let zone: LocalTimeZone
    if let requestedZone {
      zone = requestedZone
    } else {
      zone = await PictureTimeZone.zone(of: tracks)
    }
    let picture = picture(
      of: tracks, conditions: conditions, kind: kind, basemap: basemap, zone: zone)
    try Task.checkCancellation()
    try await file.output.write(picture)
    try await file.complete()
    for (_, summary, input) in drawn {
      for line in ScanMessages.lines(of: summary, path: input) { await context.printMessage(line) }
    }
    let count = drawn.reduce(0) { $0 + $1.track.pointCount }
    let parts = [
      drawn.count > 1 ? "\(drawn.count) tracks" : nil,
      drawn.isEmpty ? nil : NumberText.counted(count, "location"),
      conditions.isEmpty ? nil : NumberText.counted(conditions.count, "condition"),
    ]
    await context.printMessage("\(path): \(parts.compactMap(\.self).joined(separator: ", "))")
    return drawn.allSatisfy(\.summary.isComplete) ? .done : .failed
  }

  static let missing = UsageError(
    "plot needs IN, the path of a recording or -, or --conditions FILE, and --output FILE",
    command: .plot)

  /// Rejects a picture without content or without a file name extension of a picture, options that
  /// have no effect on the picture, and standard input as more than one input.
  static func check(_ arguments: Arguments, _ given: Set<Option>) throws(UsageError) {
    let recordings = [arguments.recording].compactMap(\.self) + arguments.furtherRecordings
    guard let path = arguments.destination, !recordings.isEmpty || arguments.conditions != nil
    else { throw missing }
    _ = try PictureKind(path: path, of: .plot)
    let singleOptions: [Option] = [.coloring, .over, .basemap]
    if recordings.count != 1, let option = singleOptions.first(where: given.contains) {
      throw UsageError("\(option.flag) is for a picture of one recording", command: .plot)
    }
    if recordings.count(where: { $0 == "-" }) > 1 {
      throw UsageError("standard input can be read only once", command: .plot)
    }
  }

  private func read(_ path: String) async throws -> (Track, RecordingScan.Summary) {
    let scan = RecordingScan(
      path: path, options: arguments.trackOptions(),
      keepsReadablePart: arguments.keepsReadablePart, context: context,
      showsProgress: context.showsProgress)
    var track = Track()
    let summary = try await scan.run { part in
      for point in part.points { track.append(point) }
      track.waypoints += part.waypoints
    }
    track.name = summary.name ?? Self.name(path)
    return (track, summary)
  }

  private func picture(
    of tracks: [Track], conditions: [String: Condition], kind: PictureKind, basemap: Basemap?,
    zone: LocalTimeZone
  ) -> String {
    guard tracks.count == 1 else {
      let picture = TracksPicture(
        tracks, conditions: conditions, title: arguments.title, timeZone: zone)
      return kind == .svg ? picture.svg() : picture.html()
    }
    let options = TrackPicture.Options(
      coloring: arguments.coloring, profileAxis: arguments.profileAxis, title: arguments.title,
      basemap: basemap, conditions: conditions, timeZone: zone)
    let picture = TrackPicture(tracks[0], options: options)
    return kind == .svg ? picture.svg() : picture.html()
  }

  private func basemap() async throws -> Basemap? {
    guard let path = arguments.basemap else { return nil }
    let bytes = try await runBlocking { () throws(UsageError) in try InputFile(path: path).read() }
    do throws(RecordingError) {
      let basemap = try Basemap(geoJSON: bytes)
      let skipped = basemap.skippedFeatureCount
      if skipped > 0 {
        await context.printMessage("\(path): \(NumberText.counted(skipped, "feature")) skipped")
      }
      return basemap
    } catch {
      throw UsageError("\(path): \(error)")
    }
  }

  /// A file's name without folder and extension; nil for standard input.
  private static func name(_ path: String) -> String? {
    guard path != "-", let file = path.split(separator: "/").last else { return nil }
    let parts = file.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count > 1 ? parts.dropLast().joined(separator: ".") : String(file)
  }
}
