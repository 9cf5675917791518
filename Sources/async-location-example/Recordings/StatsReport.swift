import AsyncLocation
import FoundationEssentials
import LocationRecording

/// The statistics that `stats` prints: metres, seconds, metres per second, degrees. Pure.
struct StatsReport: Encodable, Hashable, Sendable {
  struct Bounds: Encodable, Hashable, Sendable {
    let south, west, north, east: Double
  }

  let format: String?
  let name: String?
  let points, segments, skipped: Int
  /// Nil if there is none.
  let contradicted: Int?
  let start, end: Date?
  let length: Double
  /// Nil if no location of the recording has a date, since the times are then made up.
  let duration, recordedTime, movingTime, movingLength: Double?
  let averageSpeed, averageMovingSpeed, maximumSpeed: Double?
  let ascent, descent, lowestAltitude, highestAltitude: Double?
  let gaps: Int
  let gapTime, longestGap, gapDistance: Double
  let bounds: Bounds?

  init(
    _ summary: RecordingScan.Summary, _ statistics: TrackStatistics, _ gaps: GapTotals
  ) {
    (format, name) = (summary.format?.description, summary.name)
    (points, segments) = (statistics.pointCount, statistics.segmentCount)
    skipped = summary.skipped.count
    contradicted = statistics.contradictedCount > 0 ? statistics.contradictedCount : nil
    let timed = summary.undatedCount < summary.pointCount ? statistics : nil
    (start, end) = (timed?.start, timed?.end)
    duration = timed.map { Self.seconds(NumberText.seconds($0.duration)) }
    recordedTime = timed.map { Self.seconds(NumberText.seconds($0.recordedTime)) }
    movingTime = timed.map { Self.seconds(NumberText.seconds($0.movingTime)) }
    length = Self.rounded(statistics.length)
    movingLength = timed.map { Self.rounded($0.movingLength) }
    averageSpeed = timed?.averageSpeed.map(Self.rounded)
    averageMovingSpeed = timed?.averageMovingSpeed.map(Self.rounded)
    maximumSpeed = timed?.maximumSpeed.map(Self.rounded)
    (ascent, descent) = (statistics.ascent.map(Self.rounded), statistics.descent.map(Self.rounded))
    lowestAltitude = statistics.lowestAltitude
    highestAltitude = statistics.highestAltitude
    self.gaps = gaps.count
    (gapTime, longestGap) = (Self.seconds(gaps.time), Self.seconds(gaps.longest))
    gapDistance = Self.rounded(gaps.distance)
    bounds = statistics.bounds.map {
      Bounds(south: $0.south, west: $0.west, north: $0.north, east: $0.east)
    }
  }
}

extension StatsReport {
  /// Rounds to thousandths, of metres or metres per second.
  private static func rounded(_ number: Double) -> Double {
    ComputedNumber.rounded(number, places: 3)
  }

  /// Rounds to the microsecond, the precision of a `Date`.
  private static func seconds(_ number: Double) -> Double {
    ComputedNumber.rounded(number, places: 6)
  }

  /// One line for each number, with its unit; `-` where it is unknown.
  var text: String {
    rows.map { label, value in
      TextWidth.pad(label, 13) + Escaping.escape(value ?? "-") + "\n"
    }.joined()
  }

  private var rows: [(String, String?)] {
    [
      ("Format", format), ("Name", name),
      (
        "Points",
        "\(points) in \(NumberText.counted(segments, "segment"))"
          + (contradicted.map { "; \($0) more are contradicted" } ?? "")
      ),
      ("Start", start.map(NumberText.time)), ("End", end.map(NumberText.time)),
      ("Duration", duration.map(Self.span)),
      ("Recorded", recordedTime.map { Self.span($0) + ", gaps left out" }),
      ("Moving", moving),
      ("Length", Self.distance(length)),
      ("Speed", speeds),
      ("Ascent", ascent.map { "\(NumberText.fixed($0, 0)) m" }),
      ("Descent", descent.map { "\(NumberText.fixed($0, 0)) m" }),
      ("Altitude", altitudes), ("Gaps", gapText), ("Bounds", boundsText),
    ]
  }

  private var moving: String? {
    guard let movingTime, let movingLength else { return nil }
    return "\(Self.span(movingTime)), \(Self.distance(movingLength))"
  }

  private var speeds: String? {
    let found = [
      (averageSpeed, "average"), (averageMovingSpeed, "moving"), (maximumSpeed, "maximum"),
    ].compactMap { speed, name in speed.map { "\(NumberText.fixed($0, 1)) m/s \(name)" } }
    return found.isEmpty ? nil : found.joined(separator: ", ")
  }

  private var altitudes: String? {
    guard let lowestAltitude, let highestAltitude else { return nil }
    return "\(NumberText.fixed(lowestAltitude, 0))...\(NumberText.fixed(highestAltitude, 0)) m"
  }

  private var gapText: String {
    guard gaps > 0 else { return "0" }
    return "\(gaps), \(Self.span(gapTime)), \(Self.distance(gapDistance)); the longest "
      + Self.span(longestGap)
  }

  /// South, west, north, east.
  private var boundsText: String? {
    bounds.map { bounds in
      [bounds.south, bounds.west, bounds.north, bounds.east]
        .map { NumberText.fixed($0, 5) }.joined(separator: " ")
    }
  }

  private static func span(_ seconds: Double) -> String {
    NumberText.span(.seconds(seconds))
  }

  private static func distance(_ metres: Double) -> String {
    metres < 10_000
      ? "\(NumberText.fixed(metres, 0)) m" : "\(NumberText.fixed(metres / 1000, 2)) km"
  }
}
