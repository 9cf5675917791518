/// Ways on the WGS 84 ellipsoid, to a few nanometres wherever the points lie.
///
/// The shortest path is a geodesic of the ellipsoid, found after C. F. F. Karney, "Algorithms for
/// geodesics", Journal of Geodesy 87, 43–55 (2013). Heights do not take part.
extension Coordinate {
  /// The length of the shortest path to another point, in metres along the ellipsoid.
  ///
  /// Zero for points that coincide, whatever longitudes a pole is given; never more than
  /// 20,003,931.46 metres. The same in both directions, to rounding.
  public func distance(to other: Coordinate) -> Double {
    if let distance = ShortDistance.between(self, other) { return distance }
    return InverseGeodesic.solve(from: self, to: other).distance
  }

  /// The direction in which the shortest path to another point sets out, in degrees clockwise from
  /// true north, 0..<360.
  ///
  /// It changes along the path. Zero for points that coincide. At a pole, where every way leads
  /// away from it, it is counted from the meridian of ``longitude``: from latitude 90 the bearing
  /// 180 follows that meridian. Of two equally short paths, as between antipodes, it is the one
  /// over the north or to the east.
  public func bearing(to other: Coordinate) -> Double {
    guard !coincides(with: other) else { return 0 }
    return InverseGeodesic.solve(from: self, to: other).azimuth.bearing
  }

  /// The point that a geodesic reaches from here.
  ///
  /// - Parameters:
  ///   - distance: Metres along the ellipsoid; a negative number goes backwards. Nanometres hold
  ///     for up to one turn of the Earth.
  ///   - bearing: Degrees clockwise from true north at this point; any finite number.
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` when a number is not
  ///   finite; the message names it.
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
