internal import AsyncLocation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A point in space, in the units of the file: 2³⁰ units are a semi-major axis of the Earth.
struct SpacePoint: Sendable {
  let x: Double
  let y: Double
  let z: Double

  private static let unitsPerAxis = Double(1 << 30)
  private static let semiMajorAxis = 6_378_137.0
  private static let flattening = 1 / 298.257223563
  private static let eccentricitySquared = flattening * (2 - flattening)
  private static let radians = Double.pi / 180

  /// The number of units in a metre.
  static let unitsPerMetre = unitsPerAxis / semiMajorAxis

  init(x: Double, y: Double, z: Double) {
    (self.x, self.y, self.z) = (x, y, z)
  }

  /// The point on the WGS 84 ellipsoid.
  init(_ coordinate: Coordinate) {
    let (latitude, longitude) = (
      coordinate.latitude * Self.radians, coordinate.longitude * Self.radians
    )
    let (sine, cosine) = (sin(latitude), cos(latitude))
    let normal =
      Self.unitsPerAxis / (1 - Self.eccentricitySquared * sine * sine).squareRoot()
    x = normal * cosine * cos(longitude)
    y = normal * cosine * sin(longitude)
    z = normal * (1 - Self.eccentricitySquared) * sine
  }

  /// The coordinate of the point, rounded to the five decimals of GeoNames, which the units
  /// preserve.
  var coordinate: Coordinate? {
    let axial = (x * x + y * y).squareRoot()
    let latitude = atan2(z, (1 - Self.eccentricitySquared) * axial) / Self.radians
    let longitude = atan2(y, x) / Self.radians
    return try? Coordinate(latitude: Self.rounded(latitude), longitude: Self.rounded(longitude))
  }

  private static func rounded(_ degrees: Double) -> Double {
    (degrees * 100_000).rounded() / 100_000
  }

  /// The square of the length of the chord.
  func squaredChord(to other: SpacePoint) -> Double {
    let (x, y, z) = (x - other.x, y - other.y, z - other.z)
    return x * x + y * y + z * z
  }

  /// The square of the longest chord whose geodesic may be shorter than the geodesic of a given
  /// chord.
  ///
  /// A geodesic of curvature κ is longer than its chord c by a factor of about 1 + (cκ)² / 24, and
  /// κ differs by 1 % over the ellipsoid. The margin of this function is larger than that
  /// difference. Its constant terms, 3 m, cover the rounding of places.
  static func ambiguityLimit(_ squaredChord: Double) -> Double {
    let relative = squaredChord / (unitsPerAxis * unitsPerAxis)
    return squaredChord * (1 + 0.01 * relative) + 1_000 * squaredChord.squareRoot() + 250_000
  }
}
