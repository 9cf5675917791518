/// The names of the properties that a waypoint has in GeoJSON.
enum WaypointProperty {
  /// Has the value ``waypoint``.
  static let kind = "kind"
  static let waypoint = "waypoint"
  static let name = "name"
  static let comment = "comment"
  static let details = "description"
  static let symbol = "symbol"
  static let type = "type"
}
