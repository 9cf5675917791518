/// A point of the unit sphere, the image of a point of the ellipsoid stretched along its axis.
///
/// The length of any curve on the ellipsoid is the length of its image times a factor between the
/// polar and the equatorial radius. So the angle between two points bounds their distance from
/// below and from above, within 0.34 %.
struct SphericalPoint: Sendable, Hashable {
  let x: Double
  let y: Double
  let z: Double

  init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }

  init(_ coordinate: Coordinate) {
    let latitude = DirectGeodesic.reducedLatitude(degrees: coordinate.latitude)
    let longitude = Angle(degrees: coordinate.longitude)
    x = latitude.cosine * longitude.cosine
    y = latitude.cosine * longitude.sine
    z = latitude.sine
  }

  @inline(__always)
  func dot(_ other: Self) -> Double { x * other.x + y * other.y + z * other.z }

  @inline(__always)
  func cross(_ other: Self) -> Self {
    Self(
      x: y * other.z - z * other.y, y: z * other.x - x * other.z, z: x * other.y - y * other.x)
  }

  @inline(__always)
  static func + (left: Self, right: Self) -> Self {
    Self(x: left.x + right.x, y: left.y + right.y, z: left.z + right.z)
  }

  @inline(__always)
  static func - (left: Self, right: Self) -> Self {
    Self(x: left.x - right.x, y: left.y - right.y, z: left.z - right.z)
  }

  static func * (left: Self, scale: Double) -> Self {
    Self(x: left.x * scale, y: left.y * scale, z: left.z * scale)
  }

  var length: Double { dot(self).squareRoot() }

  /// The point of the unit sphere in the same direction.
  var normalized: Self { self * (1 / length) }

  /// The angle between two points in radians, precise for small angles.
  func angle(to other: Self) -> Double {
    let difference = self - other
    let sum = self + other
    return 2 * Double.atan2(difference.length, sum.length)
  }
}
