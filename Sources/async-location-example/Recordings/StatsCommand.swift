import AsyncLocation
import LocationRecording

/// The `stats` command: prints the numbers of a track.
struct StatsCommand: Sendable {
  let arguments: Arguments
  let context: CommandContext

  /// Fails when something of the recording could not be read; the numbers of the rest are printed.
  func run() async throws -> ExitCode {
    guard let source = arguments.recording else { throw Self.missing }
    let scan = RecordingScan(
      path: source,
      options: arguments.trackOptions(), keepsReadablePart: arguments.keepsReadablePart,
      context: context, showsProgress: context.showsProgress)
    var statistics = TrackStatistics()
    var gaps = GapTotals()
    let summary = try await scan.run { part in
      for point in part.points {
        statistics.add(point)
        gaps.add(point)
      }
    }
    for line in ScanMessages.lines(of: summary, path: source) { await context.say(line) }
    if summary.pointKind != .waypoint,
      let line = ScanMessages.leftOut(
        waypoints: summary.waypointCount, since: "they are no part of the track")
    {
      await context.say(line)
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
