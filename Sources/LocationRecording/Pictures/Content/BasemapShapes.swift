import AsyncLocation

/// The features of a basemap within a view, simplified for it. Pure.
///
/// Lines and areas have at most ``vertexLimit`` points: if there are more, they are simplified
/// again with twice the tolerance, which also leaves out the smallest shapes.
struct BasemapShapes: Hashable, Sendable {
  struct Place: Hashable, Sendable {
    let name: String?
    let place: PlanePoint
  }

  static let vertexLimit = 40_000
  /// The maximum number of places.
  static let placeLimit = 500
  /// The first tolerance in pixels.
  private static let finestTolerance = 0.3
  /// The margin around the view in pixels, which hides the edges of clipped areas.
  private static let bleed = 8.0

  /// The rings of each area, holes included.
  private(set) var areas: [[[PlanePoint]]] = []
  private(set) var lines: [[PlanePoint]] = []
  private(set) var places: [Place] = []
  private(set) var vertexCount = 0
  private let view: MapView
  private let box: PlaneBox

  init(_ features: [GeoJSON.Feature], in view: MapView) {
    self.view = view
    box = view.box.expanded(by: Self.bleed)
    var tolerance = Self.finestTolerance
    repeat {
      (areas, lines, places, vertexCount) = ([], [], [], 0)
      for feature in features { append(feature, tolerance) }
      tolerance *= 2
    } while vertexCount > Self.vertexLimit
  }

  private mutating func append(_ feature: GeoJSON.Feature, _ tolerance: Double) {
    switch feature.geometry {
    case .point(let position)?: append(place: position, feature)
    case .multiPoint(let positions)?:
      for position in positions { append(place: position, feature) }
    case .lineString(let line)?: append(line: line, tolerance)
    case .multiLineString(let lines)?: for line in lines { append(line: line, tolerance) }
    case .polygon(let rings)?: append(area: rings, tolerance)
    case .multiPolygon(let areas)?: for rings in areas { append(area: rings, tolerance) }
    case nil: break
    }
  }

  private mutating func append(place position: GeoJSON.Position, _ feature: GeoJSON.Feature) {
    let pixel = view.pixel(view.projection.point(position.coordinate))
    guard places.count < Self.placeLimit, view.box.contains(pixel) else { return }
    var name: String?
    if case .string(let text)? = feature.properties["name"] { name = text }
    places.append(Place(name: name, place: pixel))
  }

  private mutating func append(line: [GeoJSON.Position], _ tolerance: Double) {
    let points = line.map { view.projection.point($0.coordinate) }
    for part in view.projection.lines(points) {
      for visible in Clipping.line(part.map(view.pixel), to: box) {
        let reduced = LineReduction.reduced(visible, tolerance: tolerance)
        guard PlaneBox.extent(of: reduced) >= tolerance else { continue }
        vertexCount += reduced.count
        lines.append(reduced)
      }
    }
  }

  private mutating func append(area rings: [[GeoJSON.Position]], _ tolerance: Double) {
    let points = rings.map { $0.map { view.projection.point($0.coordinate) } }
    for visible in VisibleRings.rings(points, in: view, clippedTo: box, tolerance: tolerance) {
      vertexCount += visible.reduce(0) { $0 + $1.count }
      areas.append(visible)
    }
  }
}
