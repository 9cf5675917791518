/// Determines whether the timed points before a line are the positions of the line. Pure.
///
/// GPSBabel writes a track as a folder of points with times, and then as a line without times.
struct KMLTimedPoints: Sendable {
  struct Point: Sendable {
    let text: WaypointText
    var fix: RecordedFix
    let line: Int
  }

  /// The maximum number of points: some 30 MB.
  static let capacity = PointSelection.capacity

  private var points: [Point] = []
  /// The number of positions of the open line that match points.
  private var matchCount = 0
  private var isMatching = false

  var heldBytes: Int { points.count * MemoryLayout<Point>.stride }

  /// Whether the points must be released before another one is appended.
  var isFull: Bool { points.count >= Self.capacity }

  mutating func append(_ point: Point) { points.append(point) }

  /// Returns the waiting points, which belong to no line.
  mutating func release() -> [Point] {
    defer { self = Self() }
    return points
  }

  mutating func beginLine() { (matchCount, isMatching) = (0, !points.isEmpty) }

  /// Compares the next position of a line with the next point.
  ///
  /// - Returns: Whether all positions of the line so far match points. If so, this position is
  ///   held until `takeMatches()`.
  mutating func match(_ fix: RecordedFix) -> Bool {
    guard isMatching, matchCount < points.count, fix.isAtPlace(of: points[matchCount].fix) else {
      return false
    }
    matchCount += 1
    return true
  }

  /// Ends the line, or the comparison of its positions.
  ///
  /// - Returns: The points that match its positions so far. They are removed.
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
