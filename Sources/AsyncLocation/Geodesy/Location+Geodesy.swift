extension Location {
  /// Returns the length of the shortest path to another location, in metres along the ellipsoid.
  /// Altitudes and accuracies are ignored.
  public func distance(to other: Location) -> Double {
    coordinate.distance(to: other.coordinate)
  }
}
