import AsyncLocation

/// The waypoints of a picture. Pure.
struct MapWaypoints: Hashable, Sendable {
  /// A waypoint on the map.
  struct Mark: Hashable, Sendable {
    let name: String?
    let place: PlanePoint
  }

  /// The maximum number of marks.
  static let limit = 500

  /// The waypoints within the map. The map has the extent of the track, regardless of waypoints.
  let marks: [Mark]
  /// All waypoints, for the table.
  let all: [Waypoint]

  init(_ waypoints: [Waypoint], in view: MapView) {
    all = waypoints
    marks = Array(
      waypoints.lazy.map { waypoint in
        Mark(
          name: waypoint.name.flatMap { $0.isEmpty ? nil : $0 },
          place: view.pixel(view.projection.point(waypoint.coordinate)))
      }.filter { view.box.contains($0.place) }.prefix(Self.limit))
  }

  /// A summary such as `3 waypoints, 1 of them not on the map`; nil without waypoints.
  var summary: String? {
    guard !all.isEmpty else { return nil }
    let count = PictureText.counted(all.count, "waypoint")
    let missing = all.count - marks.count
    return missing == 0 ? count : "\(count), \(missing) of them not on the map"
  }
}
