/// The names of the properties that a waypoint has in GeoJSON.
enum WaypointProperty {
  /// The property with the value ``waypoint``.
  static let kind = "kind"
  static let waypoint = "waypoint"
  static let name = "name"
  static let comment = "comment"
  static let details = "description"
  static let symbol = "symbol"
  static let type = "type"

  /// The names in GPX, which other programs use.
  static let shortComment = "cmt"
  static let shortDetails = "desc"
  static let shortSymbol = "sym"

  static let all: Set<String> = [
    kind, name, comment, details, symbol, type, shortComment, shortDetails, shortSymbol,
  ]
}
