/// Geodesics on the WGS 84 ellipsoid, accurate to a few nanometres for all points.
///
/// The shortest path is a geodesic. It is computed as described by C. F. F. Karney, "Algorithms for
/// geodesics", Journal of Geodesy 87, 43–55 (2013). Heights are ignored.
extension Coordinate {
  /// Returns the length of the shortest path to another point, in metres along the ellipsoid.
  ///
  /// Zero for coincident points, including a pole with two different longitudes. The maximum is
  /// 20,003,931.46 metres. The distance is the same in both directions, except for rounding.
  public func distance(to other: Coordinate) -> Double {
    if let distance = ShortDistance.between(self, other) { return distance }
    return InverseGeodesic.solve(from: self, to: other).distance
  }

  /// Returns the initial bearing of the shortest path to another point, in degrees clockwise from
  /// true north, 0..<360.
  ///
  /// The bearing changes along the path. It is zero for coincident points. At a pole it is relative
  /// to the meridian of ``longitude``: from latitude 90, the bearing 180 follows that meridian. If
  /// several paths are equally short, as between antipodes, the method returns the bearing of one
  /// of them, always of the same path.
  public func bearing(to other: Coordinate) -> Double {
    guard !coincides(with: other) else { return 0 }
    return InverseGeodesic.solve(from: self, to: other).azimuth.bearing
  }

  /// Returns the point at a distance along the geodesic with an initial bearing.
  ///
  /// - Parameters:
  ///   - distance: Metres along the ellipsoid; a negative distance goes backwards. Accurate to
  ///     nanometres for up to one circumference of the Earth.
  ///   - bearing: Degrees clockwise from true north at this point; any finite number.
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` when a number is not
  ///   finite; the message names the parameter.
  public func coordinate(
    atDistance distance: Double, bearing: Double
  ) throws(LocationError) -> Coordinate {
    guard distance.isFinite else { throw .outOfRange("distance", distance, .finite) }
    guard bearing.isFinite else { throw .outOfRange("bearing", bearing, .finite) }
    guard distance != 0 else { return self }
    let end = DirectGeodesic.end(
      from: self, azimuth: Angle(degrees: bearing), distance: distance)
    return try Coordinate(latitude: end.latitude, longitude: end.longitude)
  }

  private func coincides(with other: Coordinate) -> Bool {
    guard latitude == other.latitude else { return false }
    return longitude == other.longitude || abs(longitude - other.longitude) == 360
      || abs(latitude) == 90
  }
}

extension Location {
  /// Returns the length of the shortest path to another location, in metres along the ellipsoid.
  /// Altitudes and accuracies are ignored.
  public func distance(to other: Location) -> Double {
    coordinate.distance(to: other.coordinate)
  }
}
