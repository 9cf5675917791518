import Glibc

/// A point of the ellipsoid as the direction that is up there: a unit vector, which knows no seam at
/// poles or the antimeridian.
struct SurfaceNormal: Sendable, Hashable {
  /// Towards latitude 0, longitude 0.
  let x: Double
  /// Towards latitude 0, longitude 90.
  let y: Double
  /// Towards the north pole.
  let z: Double

  init(x: Double, y: Double, z: Double) {
    (self.x, self.y, self.z) = (x, y, z)
  }

  init(_ coordinate: Coordinate) {
    let latitude = Angle(degrees: coordinate.latitude)
    let longitude = Angle(degrees: coordinate.longitude)
    x = latitude.cosine * longitude.cosine
    y = latitude.cosine * longitude.sine
    z = latitude.sine
  }

  /// Degrees north, -90...90, and east, -180...180.
  var degrees: (latitude: Double, longitude: Double) {
    (atan2(z, hypot(x, y)) * (180 / .pi), atan2(y, x) * (180 / .pi))
  }

  /// The cosine of the angle between two.
  func dot(_ other: Self) -> Double {
    x * other.x + y * other.y + z * other.z
  }

  /// A mixture of three.
  static func sum(
    _ first: Self, _ a: Double, _ second: Self, _ b: Double, _ third: Self, _ c: Double
  ) -> Self {
    Self(
      x: first.x * a + second.x * b + third.x * c,
      y: first.y * a + second.y * b + third.y * c,
      z: first.z * a + second.z * b + third.z * c)
  }
}
