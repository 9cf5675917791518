import AsyncLocation

/// The areas of conditions on a map. Pure.
struct MapConditions: Hashable, Sendable {
  /// An area that the map shows.
  struct Area: Hashable, Sendable {
    let name: String
    /// Rings and holes for the even-odd rule; for a corridor, one ring for each leg, which may
    /// overlap.
    let rings: [[PlanePoint]]
    let isCorridor: Bool
    /// The place of the name: the middle of the visible part or, for a corridor, of a leg.
    let middle: PlanePoint
  }

  /// A row of the table.
  struct Row: Hashable, Sendable {
    let name: String
    let kind: String
    /// The center of a circle, or the first point; nil for a beacon.
    let place: Coordinate?
  }

  /// The maximum number of areas.
  static let limit = 500
  /// The number of points above which the areas are simplified again with twice the tolerance, up
  /// to ``coarsestTolerance``.
  private static let vertexLimit = 30_000
  /// The first tolerance in pixels.
  private static let finestTolerance = 0.4
  /// The last tolerance in pixels, regardless of the number of points.
  private static let coarsestTolerance = 3.2
  /// The margin around the view in pixels, which hides the edges of clipped areas.
  private static let bleed = 8.0
  /// The least size of a drawn area in pixels, so that small areas are visible.
  private static let leastExtent = 5.0

  private(set) var areas: [Area] = []
  let rows: [Row]

  init(_ conditions: [String: Condition], in view: MapView) {
    let sorted = conditions.sorted { $0.key < $1.key }
    rows = sorted.map { name, condition in
      Row(name: name, kind: Self.kind(condition.subject), place: Self.place(condition.subject))
    }
    let outlines = sorted.compactMap { name, condition in
      ConditionOutline(condition.subject).map { (name, $0) }
    }
    var tolerance = Self.finestTolerance
    repeat {
      areas = []
      for (name, outline) in outlines where areas.count < Self.limit {
        areas += Self.areas(name, outline, view, tolerance)
      }
      tolerance *= 2
    } while vertexCount > Self.vertexLimit && tolerance <= Self.coarsestTolerance
  }

  /// The coordinates that a map of only the conditions shows.
  static func coordinates(of conditions: [String: Condition]) -> [Coordinate] {
    conditions.values.flatMap { ConditionOutline($0.subject)?.coordinates ?? [] }
  }

  /// A summary such as `3 conditions, 1 of them not on the map`; nil without conditions.
  var summary: String? {
    guard !rows.isEmpty else { return nil }
    let count = PictureText.counted(rows.count, "condition")
    let missing = rows.count - Set(areas.map(\.name)).count
    return missing == 0 ? count : "\(count), \(missing) of them not on the map"
  }

  private var vertexCount: Int {
    areas.reduce(0) { sum, area in area.rings.reduce(sum) { $0 + $1.count } }
  }

  private static func areas(
    _ name: String, _ outline: ConditionOutline, _ view: MapView, _ tolerance: Double
  ) -> [Area] {
    let box = view.box.expanded(by: bleed)
    switch outline {
    case .area(let rings):
      let points = rings.map { $0.map(view.projection.point) }
      let visible = VisibleRings.rings(points, in: view, clippedTo: box, tolerance: tolerance)
      guard visible.isEmpty, let diamond = diamond(points.first ?? [], view) else {
        return visible.compactMap { area(name, $0, isCorridor: false, view) }
      }
      return [diamond].compactMap { area(name, [$0], isCorridor: false, view) }
    case .path(let path, let distance):
      let parts = legs(path, distance, view, tolerance).map { Clipping.ring($0, to: box) }
      return [area(name, parts.filter { $0.count > 2 }, isCorridor: true, view)].compactMap(\.self)
    }
  }

  private static func area(
    _ name: String, _ rings: [[PlanePoint]], isCorridor: Bool, _ view: MapView
  ) -> Area? {
    guard let box = PlaneBox(around: rings.joined()), box.intersects(view.box) else { return nil }
    let leg = isCorridor ? PlaneBox(around: rings[rings.count / 2]) : nil
    return Area(
      name: name, rings: rings, isCorridor: isCorridor, middle: leg?.center ?? box.center)
  }

  /// A diamond for an area that is too small to be seen; nil for other areas or outside the view.
  private static func diamond(_ points: [PlanePoint], _ view: MapView) -> [PlanePoint]? {
    guard let box = PlaneBox(around: points.map(view.pixel)), box.extent < leastExtent,
      view.box.contains(box.center)
    else { return nil }
    let (x, y, radius) = (box.center.x, box.center.y, leastExtent / 2)
    return [
      PlanePoint(x, y - radius), PlanePoint(x + radius, y), PlanePoint(x, y + radius),
      PlanePoint(x - radius, y),
    ]
  }

  /// The areas within a distance in metres of each leg of a path. The projection is conformal: a
  /// small circle on the ground is a circle on the map.
  private static func legs(
    _ path: [Coordinate], _ distance: Double, _ view: MapView, _ tolerance: Double
  ) -> [[PlanePoint]] {
    view.projection.lines(path.map(view.projection.point)).flatMap { line in
      let reduced = LineReduction.reduced(line.map(view.pixel), tolerance: tolerance)
      return zip(reduced, reduced.dropFirst()).map { start, end in
        let middle = view.projection.coordinate(
          at: view.point(atPixel: start.point(atFraction: 0.5, to: end)))
        let metresPerPixel =
          view.projection.metresPerUnit(atLatitude: middle.latitude) / view.scale
        return capsule(start, end, radius: max(leastExtent / 2, distance / metresPerPixel))
      }
    }
  }

  /// The edge of the area within a radius of a line, clockwise.
  private static func capsule(
    _ start: PlanePoint, _ end: PlanePoint, radius: Double
  ) -> [PlanePoint] {
    let ahead = Double.arcTangent(end.y - start.y, end.x - start.x).degrees
    let steps = 8
    return [(end, -0.5), (start, 0.5)].flatMap { point, turn in
      (0...steps).map { step in
        let angle = (ahead + (turn + Double(step) / Double(steps)) * 180).radians
        return PlanePoint(point.x + radius * .cosine(angle), point.y + radius * .sine(angle))
      }
    }
  }

  private static func kind(_ subject: Condition.Subject) -> String {
    switch subject {
    case .circle(let circle): "Circle, radius \(PictureText.length(circle.radius))"
    case .polygon(let polygon): "Polygon, \(PictureText.counted(polygon.exterior.count, "corner"))"
    case .corridor(let corridor): "Corridor, width \(PictureText.length(corridor.width))"
    case .beacon: "Beacon"
    }
  }

  private static func place(_ subject: Condition.Subject) -> Coordinate? {
    switch subject {
    case .circle(let circle): circle.center
    case .polygon(let polygon): polygon.exterior.first
    case .corridor(let corridor): corridor.path.first
    case .beacon: nil
    }
  }
}
