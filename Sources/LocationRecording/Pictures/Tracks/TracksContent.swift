import AsyncLocation

/// The content of a picture of several tracks, computed once for all of its forms. Pure.
struct TracksContent: MapContent {
  /// A track in the picture.
  struct Entry: Sendable {
    let name: String
    let color: Int
    let statistics: TrackStatistics
    /// The pixel of the last location.
    let last: PlanePoint
  }

  let title: String
  let clock: PictureClock
  let entries: [Entry]
  let view: MapView
  let lines: ColoredLines
  let gapLines: [[PlanePoint]] = []
  let stops: [StopDetector.Stop] = []
  let waypoints: MapWaypoints
  let ground: GroundShapes
  let conditions: MapConditions
  let basemap: BasemapShapes

  var colorCount: Int { TracksStyle.light.count }

  /// - Parameter conditions: The conditions, which determine the extent if there are no tracks.
  init(
    _ tracks: [Track], conditions: [String: Condition], title: String?, showsGround: Bool,
    timeZone: LocalTimeZone
  ) {
    let tracks = tracks.filter { !$0.segments.isEmpty }
    let conditionCoordinates = tracks.isEmpty ? MapConditions.coordinates(of: conditions) : []
    var bounds: GeographicBounds?
    for coordinate in tracks.lazy.flatMap(\.segments).flatMap(\.locations).map(\.coordinate) {
      bounds = bounds?.union(coordinate) ?? GeographicBounds(coordinate)
    }
    for coordinate in conditionCoordinates {
      bounds = bounds?.union(coordinate) ?? GeographicBounds(coordinate)
    }
    let projection =
      bounds.map(MapProjection.init) ?? MapProjection(.mercator, centralMeridian: 0)
    let points = tracks.map { track in
      track.segments.map { $0.locations.map { projection.point($0.coordinate) } }
    }
    let view = MapView(
      projection,
      showing: points.flatMap { $0.flatMap { $0 } } + conditionCoordinates.map(projection.point),
      width: TrackContent.width)
    var parts: [[ColoredLines.Point]] = []
    var entries: [Entry] = []
    for (index, (track, segments)) in zip(tracks, points).enumerated() {
      let color = index % TracksStyle.light.count
      for line in segments.flatMap(projection.lines) {
        parts.append(line.map { ColoredLines.Point(place: view.pixel($0), color: color) })
      }
      guard let last = segments.last?.last else { continue }
      entries.append(
        Entry(
          name: track.name ?? "Track \(index + 1)", color: color,
          statistics: track.statistics(), last: view.pixel(last)))
    }
    self.conditions = MapConditions(conditions, in: view)
    self.title =
      title
      ?? (entries.isEmpty && !conditions.isEmpty
        ? PictureText.counted(conditions.count, "condition")
        : PictureText.counted(entries.count, "track"))
    (self.view, self.entries) = (view, entries)
    clock = PictureClock(zone: timeZone)
    lines = ColoredLines(parts)
    waypoints = MapWaypoints(tracks.flatMap(\.waypoints), in: view)
    ground = GroundShapes(showsGround ? .embedded : nil, in: view)
    basemap = BasemapShapes([], in: view)
  }

  func endMarks(in space: inout LabelSpace) -> Markup {
    var (marks, labels) = (Markup.empty, Markup.empty)
    for entry in entries { space.occupy(entry.last, radius: 8) }
    for entry in entries {
      let (x, y) = (entry.last.x, entry.last.y)
      marks += """
        <circle class="here \(ColorClass.name(entry.color))" cx="\(x)" cy="\(y)" r="6">\
        <title>\(entry.name)</title></circle>

        """
      let name = PictureText.shortened(entry.name, to: 24)
      let options: [LabelSpace.Option] = [
        .init(x + 12, y + 4, .start), .init(x - 12, y + 4, .end),
        .init(x, y - 16, .middle), .init(x, y + 28, .middle),
      ]
      guard let option = space.reserve(name, options) else { continue }
      labels += MapLabel.markup("label strong", name, option)
    }
    return marks + labels
  }

  /// The numbers of tracks, locations and conditions and the range of times, in one line.
  var summary: String {
    let count = entries.reduce(0) { $0 + $1.statistics.pointCount }
    guard let start = entries.compactMap(\.statistics.start).min(),
      let end = entries.compactMap(\.statistics.end).max()
    else { return conditions.summary ?? "No locations" }
    return [
      PictureText.counted(entries.count, "track"), PictureText.counted(count, "location"),
      clock.range(start, end), conditions.summary,
    ].compactMap(\.self).joined(separator: "  ·  ")
  }
}
