import AsyncLocation

extension GeoJSONTrack {
  /// The waypoint of a feature; nil if the feature is not one. A waypoint is a point that is marked
  /// as one, or that has a name and neither a time nor a segment number.
  ///
  /// - Parameter time: Evaluated only if needed.
  static func waypoint(
    _ feature: GeoJSON.Feature, at time: @autoclosure () -> RecordedTime?
  ) -> (WaypointText, RecordedFix)? {
    guard case .point(let position)? = feature.geometry else { return nil }
    func text(_ names: String...) -> String? {
      names.lazy.compactMap { name in
        guard case .string(let text)? = feature.properties[name], !text.isEmpty else { return nil }
        return text
      }.first
    }
    let isMarked = text(WaypointProperty.kind) == WaypointProperty.waypoint
    let name = text(WaypointProperty.name)
    guard isMarked || name != nil && feature.properties[RecordedColumn.segmentName] == nil else {
      return nil
    }
    let time = time()
    guard isMarked || time == .unknown else { return nil }
    var fix = RecordedFix(
      latitude: position.coordinate.latitude, longitude: position.coordinate.longitude)
    fix.altitude = position.altitude
    fix.time = time ?? .unknown
    return (
      WaypointText(
        name: name, comment: text(WaypointProperty.comment, WaypointProperty.shortComment),
        details: text(WaypointProperty.details, WaypointProperty.shortDetails),
        symbol: text(WaypointProperty.symbol, WaypointProperty.shortSymbol),
        type: text(WaypointProperty.type)), fix
    )
  }
}
