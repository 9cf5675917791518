/// The shortest path between two points.
struct GeodesicSegment: Sendable {
  /// The point of a segment that is nearest to another point.
  struct Nearest: Sendable {
    /// Metres.
    let distance: Double
    /// The sine of the angle from the segment to the other point, clockwise: positive on the right.
    /// Nil if the nearest point is an end of the segment.
    let side: Double?
  }

  private let start: Coordinate
  private let azimuth: Angle
  private let length: Double

  init(from start: Coordinate, to end: Coordinate) {
    let solution = InverseGeodesic.solve(from: start, to: end)
    self.start = start
    azimuth = solution.azimuth
    length = solution.distance
  }

  /// The points that divide the segment into equal parts, without its ends.
  func points(dividingInto parts: Int) -> [Coordinate] {
    (1..<parts).map { part in
      let end = DirectGeodesic.end(
        from: start, azimuth: azimuth, distance: length * Double(part) / Double(parts))
      return Coordinate(checkedLatitude: end.latitude, longitude: end.longitude)
    }
  }

  /// Finds the nearest point of the segment. The segment must be shorter than a quarter of a
  /// meridian.
  ///
  /// Each step solves the right triangle on the sphere between the estimate, the point and the foot
  /// of the perpendicular from the point. The error shrinks by a factor of at least 100 a step.
  func nearest(to point: Coordinate) -> Nearest {
    var along = 0.0
    var best = solve(at: along, point)
    // From a clamped end, a step can lead back into the segment. If the steps alternate between
    // both ends, the nearer end is the result.
    for _ in 0..<Self.steps {
      let next = min(max(along + best.advance, 0), length)
      guard abs(next - along) > Self.precision else { break }
      along = next
      best = solve(at: along, point)
    }
    let isInterior = along > 0 && along < length
    guard best.distance > Self.reach else {
      return Nearest(distance: best.distance, side: isInterior ? best.sine : nil)
    }
    // At this distance, the search may have converged to the farther end.
    return Nearest(
      distance: min(best.distance, solve(at: 0, point).distance, solve(at: length, point).distance),
      side: nil)
  }

  /// Metres, less than a quarter of a meridian. Beyond this distance, the search may not find the
  /// nearest point.
  private static let reach = 9_900_000.0

  private static let steps = 12
  /// Metres along the segment. The error of the distance depends on the square of this value.
  private static let precision = 1e-6

  /// - Returns: The distance to the point, the advance along the segment to the foot of the
  ///   perpendicular from the point, and the sine of the angle from the segment to the point.
  private func solve(
    at along: Double, _ point: Coordinate
  ) -> (distance: Double, advance: Double, sine: Double) {
    let end = DirectGeodesic.end(from: start, azimuth: azimuth, distance: along)
    let position = Coordinate(checkedLatitude: end.latitude, longitude: end.longitude)
    let path = InverseGeodesic.solve(from: position, to: point)
    let turn = path.azimuth - end.azimuth
    let arc = path.distance / WGS84.equatorialRadius
    let advance = Double.atan2(Double.sin(arc) * turn.cosine, Double.cos(arc))
    return (path.distance, advance * WGS84.equatorialRadius, turn.sine)
  }
}
