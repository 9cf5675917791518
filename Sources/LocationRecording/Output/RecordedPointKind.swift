/// The kind of object to which a point of a recording belongs.
///
/// The locations of a recording are the points of its tracks. Without tracks they are those of its
/// routes, and without routes its waypoints: different kinds are never joined into one line.
@nonexhaustive
public enum RecordedPointKind: Int, Sendable, Hashable, CaseIterable {
  /// A place that a user marked; see ``Waypoint``.
  case waypoint
  /// A point of a planned path.
  case route
  /// A point of a travelled path.
  case track
}
