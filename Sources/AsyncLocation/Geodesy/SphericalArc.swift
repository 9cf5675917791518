/// The shorter arc of a great circle between two points: nearly the image of their geodesic.
struct SphericalArc: Sendable, Hashable {
  private let start: SphericalPoint
  private let end: SphericalPoint
  /// Twice the cross product of the ends, without cancellation.
  private let normal: SphericalPoint
  private let normalLength: Double

  @inline(__always)
  init(from start: SphericalPoint, to end: SphericalPoint) {
    (self.start, self.end) = (start, end)
    normal = (start - end).cross(start + end)
    normalLength = normal.length
  }

  /// The angle from a point to the nearest point of the arc, in radians.
  @inline(__always)
  func angle(to point: SphericalPoint) -> Double {
    guard normalLength > 0 else { return point.angle(to: start) }
    guard normal.cross(start).dot(point) >= 0, end.cross(normal).dot(point) >= 0 else {
      return min(point.angle(to: start), point.angle(to: end))
    }
    let sine = abs(normal.dot(point)) / normalLength
    let cosine = (point - normal * (normal.dot(point) / (normalLength * normalLength))).length
    return Double.atan2(sine, cosine)
  }

  /// A bound in metres of the distance between a geodesic and the arc with the same ends.
  ///
  /// The plane of the arc contains the Earth's centre; the plane of the normal section contains the
  /// vertical. The angle between the planes is at most e² / 2. Multiplied by the depth of the
  /// chord, L² / 8R, the angle yields a distance. The bound is twice this distance. The geodesic
  /// differs from the normal section by a term of third order in its length, which is smaller.
  /// Beyond 2.2 radians the bound does not hold.
  static func deviation(_ start: SphericalPoint, _ end: SphericalPoint) -> Double {
    let angle = start.angle(to: end)
    return WGS84.eccentricitySquared * WGS84.equatorialRadius * angle * angle / 8 + 1e-6
  }
}
