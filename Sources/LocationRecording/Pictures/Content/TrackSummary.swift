import AsyncLocation
import FoundationEssentials

/// The title, the description and the statistics of a track as text. Pure.
struct TrackSummary {
  let title: String
  /// The summary in one line.
  let line: String
  /// The text alternative of the picture.
  let description: String
  /// The names and values of the statistics.
  let rows: [(String, String)]

  init(_ content: TrackContent) {
    let statistics = content.statistics
    let name = content.title.flatMap { $0.isEmpty ? nil : $0 }
    title = name ?? statistics.start.map { "Track of \(content.clock.date($0))" } ?? "Track"
    let times = statistics.start.flatMap { start in
      statistics.end.map { $0 == start ? nil : content.clock.range(start, $0) } ?? nil
    }
    line =
      statistics.pointCount == 0
      ? "No locations."
      : [
        times ?? statistics.start.map { content.clock.instant($0) },
        statistics.pointCount > 1 ? PictureText.length(statistics.length) : "one location",
        statistics.duration > .zero ? PictureText.duration(statistics.duration) : nil,
      ].compactMap { $0 }.joined(separator: "  ·  ")
    let counts = [
      PictureText.counted(statistics.pointCount, "location"),
      content.gaps.isEmpty ? nil : PictureText.counted(content.gaps.count, "gap"),
      content.stops.isEmpty ? nil : PictureText.counted(content.stops.count, "stop"),
      content.waypoints.summary,
      content.conditions.summary,
    ].compactMap { $0 }.joined(separator: ", ")
    let kind =
      content.projection.kind == .mercator
      ? "Map with north at the top" : "Map around the pole"
    let credits = content.ground.creditsSentence
    description =
      "\(kind), colored by \(content.coloring.caption.lowercased()). \(line). \(counts).\(credits)"
    rows = Self.rows(statistics)
  }

  private static func rows(_ statistics: TrackStatistics) -> [(String, String)] {
    let rows: [(String, String?)] = [
      ("Length", PictureText.length(statistics.length)),
      ("Duration", PictureText.duration(statistics.duration)),
      ("Recorded time", PictureText.duration(statistics.recordedTime)),
      ("Moving time", PictureText.duration(statistics.movingTime)),
      ("Average speed", statistics.averageSpeed.map(PictureText.speed)),
      ("Average speed while moving", statistics.averageMovingSpeed.map(PictureText.speed)),
      ("Greatest speed", statistics.maximumSpeed.map(PictureText.speed)),
      ("Ascent", statistics.ascent.map(PictureText.altitude)),
      ("Descent", statistics.descent.map(PictureText.altitude)),
      ("Lowest altitude", statistics.lowestAltitude.map(PictureText.altitude)),
      ("Highest altitude", statistics.highestAltitude.map(PictureText.altitude)),
      ("Locations", String(statistics.pointCount)),
      ("Gaps", String(statistics.gapCount)),
    ]
    return rows.compactMap { name, value in value.map { (name, $0) } }
  }
}
