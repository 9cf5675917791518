/// The kind of object to which a point of a recording belongs.
///
/// The locations of a recording are the points of its tracks. Without any they are those of its
/// routes, and without routes its waypoints: they are never joined to one line.
@nonexhaustive
public enum RecordedPointKind: Int, Sendable, Hashable, CaseIterable {
  /// A place that somebody marked; see ``Waypoint``.
  case waypoint
  /// A point of a way that was planned.
  case route
  /// A point of a way that was travelled.
  case track
}
