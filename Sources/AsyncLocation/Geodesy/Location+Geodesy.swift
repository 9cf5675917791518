extension Location {
  /// The length of the shortest path to another location, in metres along the ellipsoid; altitudes
  /// and accuracies do not take part.
  public func distance(to other: Location) -> Double {
    coordinate.distance(to: other.coordinate)
  }
}
