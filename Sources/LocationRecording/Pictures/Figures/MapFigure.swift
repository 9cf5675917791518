/// The content of a map. Pure.
protocol MapContent: Sendable {
  var view: MapView { get }
  var lines: ColoredLines { get }
  /// The number of colors that the lines may have.
  var colorCount: Int { get }
  /// The lines of the gaps between segments.
  var gapLines: [[PlanePoint]] { get }
  var stops: [StopDetector.Stop] { get }
  var waypoints: MapWaypoints { get }
  var ground: GroundShapes { get }
  var conditions: MapConditions { get }
  var basemap: BasemapShapes { get }

  /// The marks and labels at the ends of the lines. Reserves their places.
  func endMarks(in space: inout LabelSpace) -> Markup
}

/// The map of one track or of several. Pure.
struct MapFigure<Content: MapContent> {
  /// The maximum length of the scale bar in pixels.
  private let barLength = 150.0
  /// The radius of the places that stops and waypoints reserve, in pixels.
  private let markRadius = 9.0
  /// The maximum number of names on the ground.
  private let nameLimit = 12
  /// The maximum number of names of conditions.
  private let conditionNameLimit = 40

  let content: Content
  /// Whether the figure has the cursor, a mark that a page's script moves.
  let hasCursor: Bool

  private var view: MapView { content.view }

  var markup: Markup {
    var space = LabelSpace(
      within: view.box.expanded(by: -3), textSize: PictureStyle.smallScreenTextSize)
    for line in content.lines.outline { space.avoid(line) }
    // The first calls have the first choice of places for labels.
    let stops = stopMarks
    let bar = scaleBar(&space)
    for stop in stops { space.occupy(stop.place, radius: markRadius) }
    let ends = content.endMarks(in: &space)
    let waypoints = waypointMarks(&space)
    let conditions = conditionMarks(&space)
    let graticule = grid(&space)
    let places = placeMarks(&space)
    let names = groundNames(&space)
    let credits = credits(&space)
    let back = content.ground.land == nil ? "ground" : "water"
    return """
      <clipPath id="view"><rect width="\(view.width)" height="\(view.height)" rx="6"/></clipPath>
      <rect class="\(back)" width="\(view.width)" height="\(view.height)" rx="6"/>
      <g clip-path="url(#view)">
      \(ground)\(basemap)\(graticule.lines)\(conditions.areas)\(names.marks)\(places.marks)\(track)</g>
      \(graticule.labels)\(names.labels)\(places.labels)\(conditions.labels)\(credits)\(bar)\(waypoints)\
      \(stops.map(\.markup))\(ends)\(cursor)
      """
  }

  // MARK: Lines

  private var track: Markup {
    var gaps = PathData()
    for line in content.gapLines { gaps.append(line: line) }
    var outline = PathData()
    for line in content.lines.outline { outline.append(line: line) }
    var markup: Markup = "<path class=\"gap\" d=\"\(gaps.text)\"/>\n"
    markup += "<path class=\"casing\" d=\"\(outline.text)\"/>\n"
    for color in [nil] + (0..<content.colorCount).map({ $0 as Int? }) {
      guard let lines = content.lines.lines[color] else { continue }
      var data = PathData()
      for line in lines { data.append(line: line) }
      markup += "<path class=\"line \(ColorClass.name(color))\" d=\"\(data.text)\"/>\n"
    }
    return markup
  }

  private var ground: Markup {
    guard let land = content.ground.land else { return .empty }
    // One path with an edge of its color, so that no gap is visible between two tiles.
    var (areas, borders) = (PathData(), PathData())
    for ring in land { areas.append(ring: ring) }
    for line in content.ground.borders { borders.append(line: line) }
    var markup = Markup.empty
    if !areas.text.isEmpty { markup += "<path class=\"land\" d=\"\(areas.text)\"/>\n" }
    if !borders.text.isEmpty { markup += "<path class=\"border\" d=\"\(borders.text)\"/>\n" }
    return markup
  }

  /// The marks and names of the largest places. A place whose name has no room is left out.
  private func groundNames(_ space: inout LabelSpace) -> (marks: Markup, labels: Markup) {
    var (marks, labels) = (Markup.empty, Markup.empty)
    var count = 0
    for place in content.ground.places where count < nameLimit {
      let shown = PictureText.shortened(place.name, to: 24)
      guard let option = Self.option(for: shown, beside: place.place, &space) else { continue }
      count += 1
      marks += Self.dot(at: place.place, radius: 2)
      labels += MapLabel.markup("label", shown, option)
    }
    return (marks, labels)
  }

  private func credits(_ space: inout LabelSpace) -> Markup {
    guard let text = content.ground.credits else { return .empty }
    let options: [LabelSpace.Option] = [
      .init(8, view.height - 8, .start), .init(view.width - 8, 20, .end), .init(8, 20, .start),
    ]
    return space.reserve(text, options).map { MapLabel.markup("label credits", text, $0) } ?? .empty
  }

  private var basemap: Markup {
    var markup = Markup.empty
    for area in content.basemap.areas {
      var data = PathData()
      for ring in area { data.append(ring: ring) }
      markup += "<path class=\"area\" d=\"\(data.text)\"/>\n"
    }
    var lines = PathData()
    for line in content.basemap.lines { lines.append(line: line) }
    if !lines.text.isEmpty { markup += "<path class=\"road\" d=\"\(lines.text)\"/>\n" }
    return markup
  }

  private func conditionMarks(_ space: inout LabelSpace) -> (areas: Markup, labels: Markup) {
    var (areas, labels) = (Markup.empty, Markup.empty)
    var count = 0
    for area in content.conditions.areas {
      var data = PathData()
      for ring in area.rings { data.append(ring: ring) }
      areas += """
        <path class="\(area.isCorridor ? "corridor" : "fence")" d="\(data.text)">\
        <title>\(area.name)</title></path>

        """
      guard count < conditionNameLimit else { continue }
      let shown = PictureText.shortened(area.name, to: 24)
      let (x, y) = (area.middle.x, area.middle.y)
      let options: [LabelSpace.Option] = [
        .init(x, y + 4, .middle), .init(x, y - 16, .middle), .init(x, y + 28, .middle),
      ]
      guard let option = space.reserve(shown, options) else { continue }
      count += 1
      labels += MapLabel.markup("label name", shown, option)
    }
    return (areas, labels)
  }

  private func placeMarks(_ space: inout LabelSpace) -> (marks: Markup, labels: Markup) {
    var (marks, labels) = (Markup.empty, Markup.empty)
    for place in content.basemap.places {
      marks += Self.dot(at: place.place, radius: 2.5)
      guard let name = place.name, !name.isEmpty else { continue }
      let shown = PictureText.shortened(name, to: 32)
      guard let option = Self.option(for: shown, beside: place.place, &space) else { continue }
      labels += MapLabel.markup("label name", shown, option)
    }
    return (marks, labels)
  }

  private static func dot(at place: PlanePoint, radius: Double) -> Markup {
    "<circle class=\"place\" cx=\"\(place.x)\" cy=\"\(place.y)\" r=\"\(radius)\"/>\n"
  }

  /// Reserves room for the name of a place: right of the place, else left of it. Returns nil if
  /// there is no room.
  private static func option(
    for text: String, beside place: PlanePoint, _ space: inout LabelSpace
  ) -> LabelSpace.Option? {
    let y = place.y + 4
    return space.reserve(text, [.init(place.x + 6, y, .start), .init(place.x - 6, y, .end)])
  }

  // MARK: Grid and scale

  private func grid(_ space: inout LabelSpace) -> (lines: Markup, labels: Markup) {
    var data = PathData()
    var labels = Markup.empty
    for line in Graticule(view).lines {
      data.append(line: line.points)
      guard let end = line.points.min(by: { line.isParallel ? $0.x < $1.x : $0.y < $1.y }) else {
        continue
      }
      let option: LabelSpace.Option =
        line.isParallel
        ? .init(max(8, end.x + 8), end.y - 5, .start)
        : .init(end.x + 5, max(26, end.y + 24), .start)
      guard let place = space.reserve(line.label, [option]) else { continue }
      labels += MapLabel.markup("label", line.label, place)
    }
    return ("<path class=\"grid\" d=\"\(data.text)\"/>\n", labels)
  }

  private func scaleBar(_ space: inout LabelSpace) -> Markup {
    let bar = ScaleBar(metresPerPixel: view.metresPerPixel, maximumPixels: barLength)
    let y = view.height - 16
    var label = bar.label
    // The length of a long bar is right only at the central latitude.
    if bar.metres >= 50_000 {
      label += " at " + AngleText.label(view.centralLatitude, isLatitude: true, 0)
    }
    let corners: [LabelSpace.Option] = [
      .init(view.width - 16, y - 9, .end), .init(16, y - 9, .start),
    ]
    let corner = space.reserve(label, corners) ?? corners[0]
    let left = corner.anchor == .start ? corner.point.x : corner.point.x - bar.pixels
    for x in stride(from: left, through: left + bar.pixels, by: 20) {
      space.occupy(PlanePoint(x, y - 8), radius: 14)
    }
    return """
      <path class="scale" d="M\(left) \(y - 6)v6h\(bar.pixels)v-6"/>
      \(MapLabel.markup("label strong", label, corner))
      """
  }

  // MARK: Marks

  private var stopMarks: [(place: PlanePoint, markup: Markup)] {
    content.stops.enumerated().map { index, stop in
      let place = view.pixel(view.projection.point(stop.place))
      let text = "Stop \(index + 1), \(PictureText.duration(seconds: stop.duration))"
      return (
        place,
        """
        <g class="stop"><title>\(text)</title>\
        <circle cx="\(place.x)" cy="\(place.y)" r="\(markRadius)"/>\
        <text x="\(place.x)" y="\(place.y + 4)" text-anchor="middle">\(index + 1)</text></g>

        """
      )
    }
  }

  /// The marks and names of the waypoints. The places of all marks are reserved first, so that no
  /// mark covers a name.
  private func waypointMarks(_ space: inout LabelSpace) -> Markup {
    var (marks, labels) = (Markup.empty, Markup.empty)
    for mark in content.waypoints.marks { space.occupy(mark.place, radius: markRadius) }
    for mark in content.waypoints.marks {
      let (x, y) = (mark.place.x, mark.place.y)
      let title = mark.name.map { name -> Markup in "<title>\(name)</title>" } ?? .empty
      marks += "<path class=\"waypoint\" d=\"M\(x) \(y - 7)l6 7-6 7-6-7z\">\(title)</path>\n"
      guard let name = mark.name else { continue }
      let shown = PictureText.shortened(name, to: 24)
      let options: [LabelSpace.Option] = [
        .init(x + 14, y + 4, .start), .init(x - 14, y + 4, .end),
        .init(x, y - 16, .middle), .init(x, y + 30, .middle),
      ]
      guard let option = space.reserve(shown, options) else { continue }
      labels += MapLabel.markup("label name", shown, option)
    }
    return marks + labels
  }

  private var cursor: Markup {
    hasCursor ? "<circle id=\"cursor\" class=\"cursor\" r=\"7\" visibility=\"hidden\"/>\n" : .empty
  }
}

/// The class of a color in the style sheet.
enum ColorClass {
  static func name(_ color: Int?) -> String { color.map { "k\($0)" } ?? "none" }
}

/// A label of a map.
enum MapLabel {
  /// - Parameter classes: The label's classes in the style sheet.
  static func markup(_ classes: String, _ text: String, _ option: LabelSpace.Option) -> Markup {
    """
    <text class="\(classes)" x="\(option.point.x)" y="\(option.point.y)" \
    text-anchor="\(option.anchor.rawValue)">\(text)</text>

    """
  }
}
