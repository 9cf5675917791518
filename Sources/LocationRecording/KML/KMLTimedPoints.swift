/// Finds out whether the points before a line, each with a time, are the positions of the line. Pure.
///
/// GPSBabel writes a track as a folder of points with times, and then as a line without any.
struct KMLTimedPoints: Sendable {
  struct Point: Sendable {
    let text: WaypointText
    var fix: RecordedFix
    let line: Int
  }

  /// Points: some 30 MB.
  static let capacity = PointSelection.capacity

  private var points: [Point] = []
  /// The positions of the open line, each of which is that of a point.
  private var matchCount = 0
  private var isMatching = false

  var heldBytes: Int { points.count * MemoryLayout<Point>.stride }

  /// Whether the points are to be released before another one waits.
  var isFull: Bool { points.count >= Self.capacity }

  mutating func append(_ point: Point) { points.append(point) }

  /// Returns the points that wait, which are none of a line.
  mutating func release() -> [Point] {
    defer { self = Self() }
    return points
  }

  mutating func beginLine() { (matchCount, isMatching) = (0, !points.isEmpty) }

  /// Compares the next position of a line with the next point.
  ///
  /// - Returns: Whether all positions of the line are those of points until here. Then this one waits.
  mutating func match(_ fix: RecordedFix) -> Bool {
    guard isMatching, matchCount < points.count, fix.isAtPlace(of: points[matchCount].fix) else {
      return false
    }
    matchCount += 1
    return true
  }

  /// Ends the line, or the comparison of its positions.
  ///
  /// - Returns: The points that have its positions so far, which wait no longer.
  mutating func takeMatches() -> [Point] {
    defer {
      points.removeFirst(matchCount)
      (matchCount, isMatching) = (0, false)
    }
    return Array(points.prefix(matchCount))
  }
}

extension RecordedFix {
  fileprivate func isAtPlace(of other: Self) -> Bool {
    latitude == other.latitude && longitude == other.longitude && altitude == other.altitude
  }
}
