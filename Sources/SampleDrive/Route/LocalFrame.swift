import AsyncLocation
import Glibc

/// Metres east and north of an origin, as a plane that touches the WGS 84 ellipsoid there.
///
/// Within ten kilometres the plane is off by less than the noise of a receiver.
struct LocalFrame: Sendable {
  let latitude: Double
  let longitude: Double
  private let metresPerDegreeNorth: Double
  private let metresPerDegreeEast: Double

  /// - Parameters:
  ///   - latitude: Degrees north of the origin.
  ///   - longitude: Degrees east of the origin.
  ///   - height: Metres of the plane above the ellipsoid.
  init(latitude: Double, longitude: Double, height: Double) {
    let (meridian, primeVertical) = WGS84.radii(atLatitude: latitude.radians)
    self.latitude = latitude
    self.longitude = longitude
    metresPerDegreeNorth = (meridian + height).inDegreesOfArc
    metresPerDegreeEast = ((primeVertical + height) * cos(latitude.radians)).inDegreesOfArc
  }

  func degrees(at point: Point) -> (latitude: Double, longitude: Double) {
    (
      latitude + point.north / metresPerDegreeNorth,
      longitude + point.east / metresPerDegreeEast
    )
  }

  func point(latitude: Double, longitude: Double) -> Point {
    Point(
      east: (longitude - self.longitude) * metresPerDegreeEast,
      north: (latitude - self.latitude) * metresPerDegreeNorth)
  }
}

/// Metres in a ``LocalFrame``.
struct Point: Sendable, Hashable {
  var east: Double
  var north: Double

  func distance(to other: Self) -> Double {
    let (east, north) = (other.east - east, other.north - north)
    return (east * east + north * north).squareRoot()
  }

  /// Radians clockwise from north.
  func bearing(to other: Self) -> Double {
    atan2(other.east - east, other.north - north)
  }
}

extension Double {
  var radians: Double { self * .pi / 180 }
  var degrees: Double { self * 180 / .pi }

  /// The same direction in 0..<360.
  var normalizedDegrees: Double {
    let rest = truncatingRemainder(dividingBy: 360)
    let positive = rest < 0 ? rest + 360 : rest
    return positive == 360 ? 0 : positive
  }

  /// For a radius, the length of one degree along its circle.
  fileprivate var inDegreesOfArc: Double { self * .pi / 180 }
}
