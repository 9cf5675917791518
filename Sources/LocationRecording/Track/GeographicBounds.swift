public import AsyncLocation

/// A box between two parallels and two meridians, in degrees.
///
/// A box that crosses the antimeridian has a ``west`` greater than its ``east``, as in GeoJSON
/// (RFC 7946, section 5.2). All meridians meet at a pole, so a point at a pole changes neither.
public struct GeographicBounds: Sendable, Hashable {
  /// The least latitude.
  public private(set) var south: Double
  /// The greatest latitude.
  public private(set) var north: Double
  /// The meridian where the box begins, -180...180.
  public private(set) var west: Double
  /// The meridian where the box ends in the east, -180...180.
  public private(set) var east: Double
  /// False while the box contains only poles, whose longitude has no meaning.
  private var hasMeridians: Bool

  /// Creates a box that contains one point.
  public init(_ coordinate: Coordinate) {
    (south, north) = (coordinate.latitude, coordinate.latitude)
    (west, east) = (coordinate.longitude, coordinate.longitude)
    hasMeridians = !coordinate.isPole
  }

  /// Whether the box crosses the meridian of 180 degrees.
  public var crossesAntimeridian: Bool { west > east }

  /// The degrees of longitude from ``west`` to ``east``, 0...360.
  public var width: Double { Self.degreesEast(from: west, to: east) }

  /// The degrees of latitude from ``south`` to ``north``, 0...180.
  public var height: Double { north - south }

  /// Whether a point is in the box or on its edge.
  public func contains(_ coordinate: Coordinate) -> Bool {
    guard (south...north).contains(coordinate.latitude) else { return false }
    return coordinate.isPole || hasMeridians && hasMeridian(coordinate.longitude)
  }

  /// Returns the box widened to contain a point, in the shorter direction around the Earth.
  ///
  /// The box of a path, built point by point, contains all of its points, even if the path leads
  /// around the Earth. The box of points far from each other depends on their order, and may be
  /// wider than necessary.
  public func union(_ coordinate: Coordinate) -> Self {
    var bounds = self
    bounds.south = min(south, coordinate.latitude)
    bounds.north = max(north, coordinate.latitude)
    guard !coordinate.isPole else { return bounds }
    let longitude = coordinate.longitude
    if !hasMeridians {
      (bounds.west, bounds.east, bounds.hasMeridians) = (longitude, longitude, true)
    } else if !hasMeridian(longitude) {
      let eastward = Self.degreesEast(from: east, to: longitude)
      let westward = Self.degreesEast(from: longitude, to: west)
      if eastward <= westward { bounds.east = longitude } else { bounds.west = longitude }
    }
    return bounds
  }

  private func hasMeridian(_ longitude: Double) -> Bool {
    let isBetween =
      west <= east
      ? (west...east).contains(longitude) : longitude >= west || longitude <= east
    // The antimeridian is both 180 and -180.
    return isBetween || abs(longitude) == 180 && (abs(west) == 180 || abs(east) == 180)
  }

  /// The degrees to turn eastwards from one meridian to another.
  private static func degreesEast(from: Double, to: Double) -> Double {
    to >= from ? to - from : to - from + 360
  }
}

extension Coordinate {
  fileprivate var isPole: Bool { abs(latitude) == 90 }
}

extension GeographicBounds: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("south", south, "°"), DescribedMember("west", west, "°"),
      DescribedMember("north", north, "°"), DescribedMember("east", east, "°"),
    ]
  }
}
