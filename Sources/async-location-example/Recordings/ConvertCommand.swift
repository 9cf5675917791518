import AsyncLocation
import LocationRecording

extension Command {
  // The explicit type avoids a circular inference, because `missing` refers to the command.
  static let convert: Command = Command(
    name: "convert",
    summary: "Writes a recording in another format.",
    words: " IN OUT",
    writesRecordings: true,
    options: [.presentation, [.device, .replace, .simplify, .maximumGap, .partial]],
    meanings: [.format: Option.formatOfRecording],
    notes: """
      IN is GPX, KML, TCX, FIT, IGC, NMEA 0183, gpsd's JSON, GeoJSON, CSV, OwnTracks' messages,
      Google's location history or locations in JSON, recognized by its content; gzip or ZIP may
      have compressed it.
      OUT has the format of its name, .gpx, .kml, .geojson or .json, .geojsonl, .geojsons, .csv, or
      .jsonl for gpsd's JSON, or that of --format, one of:
      \(Arguments.formatNames)
      - is standard input or output. Locations are converted, the name of the track and, to GPX, KML
      and GeoJSON, waypoints; to GPX, GeoJSON with points and CSV also heart rate, cadence, power,
      temperatures and depth. A location without a date gets a date from now on.
      The locations of GPX are the points of its tracks; without any, those of its routes; without
      routes, its waypoints. Standard error says what is left out. Waypoints that come after a track
      are left out of GPX if IN or OUT is -; then the status is 1.
      OUT appears when it is complete, for its owner only. One that exists is an error without
      --replace; a symbolic link, a directory or a pipe always is. --simplify compares positions
      only. --device selects a receiver of a recording with several.
      Parts of IN that are not understood are skipped, and counted on standard error; then the
      status is 1. An IN that is damaged or cut is an error, and nothing is written; with --partial,
      what precedes the damage is written, standard error says where that is, and the status is 1.
      Memory does not grow with IN.
      """,
    read: { arguments, words throws(UsageError) in
      try arguments.requireWords(words, count: 2, else: ConvertCommand.missing)
      (arguments.recording, arguments.destination) = (words[0], words[1])
    },
    check: { arguments, _ throws(UsageError) in try arguments.checkFormat() },
    run: { tool, arguments in
      try await ConvertCommand(arguments: arguments, context: tool.context).run()
    })
}

/// The `convert` command: writes the locations and the waypoints of a recording in another format.
struct ConvertCommand: Sendable {
  /// The result of a conversion, and its file.
  private struct Output {
    let summary: RecordingScan.Summary
    let result: Conversion.Result
    /// Nil for standard output.
    let file: CompletedFile?
    /// Whether no point and no waypoint could be read.
    var isEmpty: Bool { summary.pointCount == 0 && summary.waypointCount == 0 }
  }

  let arguments: Arguments
  let context: CommandContext
  /// The size of a written block of text in bytes.
  private static let blockSize = 1 << 16
  /// A maximum interval that is never exceeded: the track is divided only where the recording
  /// divides it.
  private static let anyInterval = Duration.seconds(Int64.max)

  /// Returns `failed` if a part of the recording was not understood or could not be converted; the
  /// rest is written. Content that is not part of the track, or that the format cannot represent,
  /// is reported but does not change the status.
  func run() async throws -> ExitCode {
    guard let source = arguments.recording, let destination = arguments.destination,
      let format = arguments.writtenFormat
    else { throw Self.missing }
    var output = try await convert(source, to: destination, format)
    // In GPX, waypoints precede the track. A file in which they follow the track is read again.
    if output.result.omittedWaypointCount > 0, format.holdsWaypoints, output.file != nil,
      output.summary.canBeReadAgain, let waypoints = output.result.waypoints
    {
      output = try await convert(source, to: destination, format, waypoints)
    }
    // An empty result must not replace a file, or look like a recording.
    if !output.isEmpty { try await output.file?.complete() }
    return await conclude(output, source, format)
  }

  /// - Parameter waypoints: All waypoints, if they are known.
  private func convert(
    _ source: String, to destination: String, _ format: RecordingWriter.Format,
    _ waypoints: [Waypoint]? = nil
  ) async throws -> Output {
    let isPiped = destination == "-"
    let file = isPiped ? nil : try CompletedFile(path: destination, replaces: arguments.replaces)
    let output = file?.output ?? context.output
    let scan = RecordingScan(
      path: source, options: arguments.trackOptions(maximumInterval: Self.anyInterval),
      keepsReadablePart: arguments.keepsReadablePart, context: context,
      showsProgress: context.showsProgress && !isPiped)
    var conversion = Conversion(
      format: format, tolerance: arguments.simplification, waypoints: waypoints)
    let summary = try await scan.run { part in
      try conversion.append(part)
      if conversion.byteCount >= Self.blockSize { try await output.write(conversion.takeText()) }
    }
    let result = try conversion.finish(name: summary.name)
    try await output.write(conversion.takeText())
    return Output(summary: summary, result: result, file: file)
  }

  private func conclude(
    _ output: Output, _ source: String, _ format: RecordingWriter.Format
  ) async -> ExitCode {
    let (summary, result) = (output.summary, output.result)
    for line in ScanMessages.lines(of: summary, path: source) { await context.printMessage(line) }
    let reason =
      format.holdsWaypoints
      ? "they come after the track, and \(format) has them before it" : "\(format) holds none"
    // If the points are waypoints, only their names are lost.
    let line =
      summary.pointKind == .waypoint && !format.holdsWaypoints
      ? ScanMessages.leftOut(namesOf: result.namedWaypointCount, since: reason)
      : ScanMessages.leftOut(waypoints: result.omittedWaypointCount, since: reason)
    if let line { await context.printMessage(line) }
    if result.omittedSensorCount > 0 {
      await context.printMessage(
        "the readings of sensors at \(NumberText.counted(result.omittedSensorCount, "point")) "
          + "left out: \(format) holds none")
    }
    if result.omittedValueCount > 0 {
      await context.printMessage(
        "the speeds, accuracies and the like of "
          + "\(NumberText.counted(result.omittedValueCount, "point")) left out: \(format) holds "
          + "positions, altitudes and times")
    }
    if summary.name != nil, !format.holdsName {
      await context.printMessage("the name of the track left out: \(format) holds none")
    }
    if result.segmentCount > 1, !format.holdsSegments {
      await context.printMessage("the segments are joined: \(format) holds none")
    }
    if result.replacedCharacterCount > 0 {
      await context.printMessage(
        "\(NumberText.counted(result.replacedCharacterCount, "character")) cannot be written in "
          + "\(format): replaced by U+FFFD")
    }
    let from = summary.format.map { " from \($0)" } ?? ""
    await context.printMessage(
      "\(NumberText.counted(result.pointCount, "point")) in "
        + "\(NumberText.counted(result.segmentCount, "segment"))\(from) to \(format)"
        + (output.isEmpty && output.file != nil ? "; no file is written" : ""))
    let isKept =
      summary.isComplete && result.replacedCharacterCount == 0
      && (result.omittedWaypointCount == 0 || !format.holdsWaypoints)
    return isKept ? .done : .failed
  }

  static let missing = UsageError(
    "convert needs IN and OUT, the paths of two files; - is standard input or output",
    command: .convert)
}
