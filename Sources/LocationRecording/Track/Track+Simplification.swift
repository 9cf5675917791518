public import AsyncLocation

extension Track {
  /// Returns a track with fewer points, for a map: each removed point is within a tolerance of the
  /// geodesic that replaces its part of the track.
  ///
  /// The algorithm is that of Douglas and Peucker on the ellipsoid, also across the antimeridian
  /// and near the poles. Each segment retains its first and its last point, and at least one every
  /// 5,000 km. Only positions are compared: times, speeds and altitudes of the removed points are
  /// lost, so compute ``statistics(_:)`` first. For n points, the time is usually proportional to
  /// n log n. In the worst case, 64 passes over all points are followed by log n passes that bisect
  /// the remaining parts.
  ///
  /// - Parameter tolerance: The tolerance in metres. 0 leaves out only points that are exactly on
  ///   the line.
  /// - Throws: `LocationError` with code `invalidValue` for a tolerance that is negative or not
  ///   finite.
  public func simplified(tolerance: Double) throws(LocationError) -> Track {
    guard tolerance >= 0, tolerance.isFinite else {
      throw LocationError(
        .invalidValue, "tolerance must be a finite number of metres, 0 or more; got \(tolerance).")
    }
    var track = self
    for index in segments.indices {
      let (locations, sensors) = (segments[index].locations, segments[index].sensors)
      let kept = PathSimplification.keptIndices(
        of: locations.map(\.coordinate), tolerance: tolerance)
      (track.segments[index].locations, track.segments[index].sensors) = ([], [:])
      for point in kept { track.segments[index].append(locations[point], sensors[point]) }
    }
    return track
  }
}
