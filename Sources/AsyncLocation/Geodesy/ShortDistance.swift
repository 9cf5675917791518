/// Distances of a few kilometres, at a tenth of the cost of the general way.
enum ShortDistance {
  /// The longest chord in metres that ``between(_:_:)`` answers for.
  static let limit = 10_000.0

  /// The geodesic distance in metres; nil beyond ``limit``.
  ///
  /// From the straight line c between the points and the curvature κ of the ellipsoid between them
  /// in its direction: s = c (1 + (cκ)² / 24 + 3 (cκ)⁴ / 640 + …), the series of 2/κ · asin(cκ/2).
  /// Euler's and Meusnier's theorems give κ = (1 + e'² t²) / N, where t is the component of the
  /// direction along the axis and N the prime vertical's radius of curvature (Torge, "Geodesy",
  /// section 4.1). Errs by less than a part in 10¹² and 10 nm, at poles as elsewhere.
  static func between(_ start: Coordinate, _ end: Coordinate) -> Double? {
    // A degree of latitude is 110 km or more.
    guard abs(start.latitude - end.latitude) < 0.1 else { return nil }
    let (first, second) = (Point(start), Point(end))
    let (x, y, z) = (second.x - first.x, second.y - first.y, second.z - first.z)
    let square = x * x + y * y + z * z
    guard square <= limit * limit else { return nil }
    guard square > 0 else { return 0 }
    let flatter = 1 + WGS84.secondEccentricitySquared * z * z / square
    let bend =
      square * flatter * flatter * (first.shape + second.shape)
      / (2 * WGS84.equatorialRadius * WGS84.equatorialRadius)
    return square.squareRoot() * (1 + bend * (1.0 / 24 + bend * 3 / 640))
  }

  /// A point of the ellipsoid in metres from the Earth's centre.
  private struct Point {
    let x: Double
    let y: Double
    let z: Double
    /// (a / N)².
    let shape: Double

    init(_ coordinate: Coordinate) {
      let latitude = Angle(degrees: coordinate.latitude)
      let longitude = Angle(degrees: coordinate.longitude)
      shape = 1 - WGS84.eccentricitySquared * latitude.sine * latitude.sine
      let normal = WGS84.equatorialRadius / shape.squareRoot()
      x = normal * latitude.cosine * longitude.cosine
      y = normal * latitude.cosine * longitude.sine
      z = normal * (1 - WGS84.eccentricitySquared) * latitude.sine
    }
  }
}
