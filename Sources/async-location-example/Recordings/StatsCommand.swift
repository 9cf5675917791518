import AsyncLocation
import LocationRecording

extension Command {
  // The explicit type avoids a circular inference, because `missing` refers to the command.
  static let stats: Command = Command(
    name: "stats",
    summary: "Prints the length, the times, the speeds and the gaps of a recording.",
    words: " IN",
    options: [
      .presentation, [.device, .maximumGap, .partial, .trips, .places, .locale, .nominatim],
    ],
    notes: """
      IN is a recording, as for convert; - is standard input. One line for each number: meters,
      seconds, meters per second, degrees; '-' where it is unknown. With --format json: one object, with
      format, name, points, segments, skipped, start, end, duration, recordedTime, movingTime, length,
      movingLength, averageSpeed, averageMovingSpeed, maximumSpeed, ascent, descent, lowestAltitude,
      highestAltitude, gaps, gapTime, longestGap, gapDistance and bounds, unless they are unknown.
      Routes and waypoints beside a track do not count; standard error says how many there are.
      A gap counts neither as length nor as recorded time: a time without a location that is longer
      than a minute and than five times the usual one, the median of the first 10,000; or than
      --max-gap. A rest of a minute or more counts neither as moving nor as ascent, and a single spike
      is no maximum speed. Locations whose position or time their receiver contradicts do not count;
      contradicted says how many there are. Bounds are south, west, north, east.
      With --trips: a line for each trip, with these columns; in JSON an object, also with its stops,
      and with --places with startPlacemark, endPlacemark and stopPlacemarks:
      \(Help.rows((TripLine.columns + [TripLine.places]).map { ($0.name, $0.meaning) }))
      Parts of IN that are not understood are skipped, and counted on standard error; then the
      status is 1. With --partial, so is what follows the damage of an IN that is damaged or cut.
      """,
    read: { arguments, words throws(UsageError) in
      try arguments.requireWords(words, count: 1, else: StatsCommand.missing)
      arguments.recording = words[0]
    },
    check: { arguments, given throws(UsageError) in try TripPrinter.check(arguments, given) },
    run: { tool, arguments in
      try await StatsCommand(arguments: arguments, context: tool.context)
        .run(geocoder: arguments.places ? tool.geocoder(arguments) : nil)
    })
}

/// The `stats` command: prints statistics of a track.
struct StatsCommand: Sendable {
  let arguments: Arguments
  let context: CommandContext

  /// Returns `failed` if a part of the recording could not be read; the statistics of the rest are
  /// printed.
  ///
  /// - Parameter geocoder: Finds the places of trips; nil to print none.
  func run(geocoder: (any Geocoder)? = nil) async throws -> ExitCode {
    guard let source = arguments.recording else { throw Self.missing }
    let scan = RecordingScan(
      path: source,
      options: arguments.trackOptions(), keepsReadablePart: arguments.keepsReadablePart,
      context: context, showsProgress: context.showsProgress)
    var statistics = TrackStatistics()
    var gaps = GapTotals()
    var trips = TripCollection(TripOptions(device: arguments.device))
    let summary = try await scan.run { part in
      for point in part.points {
        statistics.add(point)
        gaps.add(point)
        trips.add(point.location)
      }
    }
    for line in ScanMessages.lines(of: summary, path: source) { await context.printMessage(line) }
    if summary.pointKind != .waypoint,
      let line = ScanMessages.leftOut(
        waypoints: summary.waypointCount, since: "they are no part of the track")
    {
      await context.printMessage(line)
    }
    guard !arguments.trips else {
      try await TripPrinter(arguments: arguments, context: context, geocoder: geocoder)
        .show(trips.trips)
      return summary.isComplete ? .done : .failed
    }
    let report = StatsReport(summary, statistics, gaps)
    switch context.presentation.shape {
    case .json: try await context.output.write(JSONLine.line(report) + "\n")
    case .table, .lines: try await context.output.write(report.text)
    }
    return summary.isComplete ? .done : .failed
  }

  static let missing = UsageError(
    "stats needs IN, the path of a recording; - is standard input", command: .stats)
}
