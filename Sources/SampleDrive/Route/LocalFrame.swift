import AsyncLocation
import Glibc

/// A local tangent plane of the WGS 84 ellipsoid, in metres east and north of its origin.
///
/// Within 3 km of the origin, the error of the plane is below one metre, less than the noise of a
/// receiver.
struct LocalFrame: Sendable {
  let latitude: Double
  let longitude: Double
  private let metresPerDegreeNorth: Double
  private let metresPerDegreeEast: Double

  /// - Parameters:
  ///   - latitude: The latitude of the origin, in degrees north.
  ///   - longitude: The longitude of the origin, in degrees east.
  ///   - height: The height of the plane above the ellipsoid, in metres.
  init(latitude: Double, longitude: Double, height: Double) {
    let (meridian, primeVertical) = WGS84.radii(atLatitude: latitude.radians)
    self.latitude = latitude
    self.longitude = longitude
    metresPerDegreeNorth = (meridian + height).lengthOfDegree
    metresPerDegreeEast = ((primeVertical + height) * cos(latitude.radians)).lengthOfDegree
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

/// A point in a ``LocalFrame``, in metres.
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

  /// The equivalent direction in 0..<360.
  var normalizedDegrees: Double {
    let rest = truncatingRemainder(dividingBy: 360)
    let positive = rest < 0 ? rest + 360 : rest
    return positive == 360 ? 0 : positive
  }

  /// The length of one degree of arc on a circle with this radius.
  fileprivate var lengthOfDegree: Double { self * .pi / 180 }
}
