/// A point on the ellipsoid as its unit normal vector. It has no singularity at the poles or the
/// antimeridian.
struct SurfaceNormal: Sendable, Hashable {
  /// Points to latitude 0, longitude 0.
  let x: Double
  /// Points to latitude 0, longitude 90 degrees east.
  let y: Double
  /// Points to the north pole.
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

  /// Latitude, -90...90, and longitude, -180...180, in degrees.
  var degrees: (latitude: Double, longitude: Double) {
    (Double.atan2(z, Double.hypot(x, y)) * (180 / .pi), Double.atan2(y, x) * (180 / .pi))
  }

  /// The cosine of the angle between two normals.
  func dot(_ other: Self) -> Double {
    x * other.x + y * other.y + z * other.z
  }

  /// The linear combination of three vectors.
  static func sum(
    _ first: Self, _ a: Double, _ second: Self, _ b: Double, _ third: Self, _ c: Double
  ) -> Self {
    Self(
      x: first.x * a + second.x * b + third.x * c,
      y: first.y * a + second.y * b + third.y * c,
      z: first.z * a + second.z * b + third.z * c)
  }
}
