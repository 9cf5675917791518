/// The position of a point relative to an area.
enum AreaSide: Sendable, Hashable {
  case inside, outside
}

/// A point to compare with areas.
struct AreaPoint: Sendable {
  let coordinate: Coordinate
  let spherical: SphericalPoint

  init(_ coordinate: Coordinate) {
    self.coordinate = coordinate
    spherical = SphericalPoint(coordinate)
  }
}

/// An area, prepared for comparison with points.
///
/// A comparison first computes a lower and an upper bound of the distance to the boundary, which is
/// cheap. It solves geodesics only if the bounds do not decide, so each result holds on the
/// ellipsoid.
enum AreaGeometry: Sendable {
  case circle(Condition.Circle)
  case polygon(EdgeTree)
  case corridor(EdgeTree, halfWidth: Double)

  /// Nil for a subject that is not an area.
  init?(_ subject: Condition.Subject) {
    switch subject {
    case .circle(let circle): self = .circle(circle)
    case .polygon(let polygon):
      self = .polygon(EdgeTree(chains: polygon.rings.map { $0 + [$0[0]] }))
    case .corridor(let corridor):
      self = .corridor(EdgeTree(chains: [corridor.path]), halfWidth: corridor.width / 2)
    case .beacon: return nil
    }
  }

  /// The subject that the area was made from.
  var subject: Condition.Subject {
    switch self {
    case .circle(let circle): return .circle(circle)
    case .polygon(let edges):
      let rings = edges.chains.map { Array($0.dropLast()) }
      return .polygon(Condition.Polygon(checked: rings[0], holes: Array(rings.dropFirst())))
    case .corridor(let edges, let halfWidth):
      return .corridor(Condition.Corridor(checked: edges.chains[0], width: halfWidth * 2))
    }
  }

  /// A cap that contains the area.
  var cap: SphericalCap {
    switch self {
    case .circle(let circle):
      SphericalCap(
        center: SphericalPoint(circle.center),
        angle: circle.radius / WGS84.polarRadius * (1 + 1e-12))
    case .polygon(let edges): edges.cap
    case .corridor(let edges, let halfWidth):
      SphericalCap(
        center: edges.cap.center, angle: edges.cap.angle + halfWidth / WGS84.polarRadius)
    }
  }

  /// The approximate largest distance in metres from the area's center to its points.
  var reach: Double {
    switch self {
    case .circle(let circle): circle.radius
    case .polygon(let edges): edges.cap.angle * WGS84.equatorialRadius
    case .corridor(let edges, let halfWidth):
      edges.cap.angle * WGS84.equatorialRadius + halfWidth
    }
  }

  /// Returns the side of a point, and whether the point is at least a margin in metres away from
  /// the boundary.
  func side(of point: AreaPoint, margin: Double) -> (side: AreaSide, isCertain: Bool) {
    switch self {
    case .circle(let circle): Self.side(of: point, circle, margin)
    case .polygon(let edges):
      edges.side(of: point, margin: margin)
    case .corridor(let edges, let halfWidth):
      Self.side(of: point, edges, halfWidth, margin)
    }
  }

  /// Returns a lower bound in metres of the distance from a point to the boundary: at least about
  /// half of that distance.
  func clearance(of point: AreaPoint) -> Double {
    switch self {
    case .circle(let circle):
      return abs(point.coordinate.distance(to: circle.center) - circle.radius)
    case .polygon(let edges):
      var search = EdgeSearch(edges, near: point)
      return search.clearance(from: 0)
    case .corridor(let edges, let halfWidth):
      var search = EdgeSearch(edges, near: point)
      return search.clearance(from: halfWidth)
    }
  }

  private static func side(
    of point: AreaPoint, _ circle: Condition.Circle, _ margin: Double
  ) -> (side: AreaSide, isCertain: Bool) {
    // The difference of latitudes alone often shows that a point is outside.
    let difference = abs(point.coordinate.latitude - circle.center.latitude)
    if difference * WGS84.shortestDegree > circle.radius + margin { return (.outside, true) }
    let distance = point.coordinate.distance(to: circle.center)
    return distance <= circle.radius
      ? (.inside, circle.radius - distance >= margin)
      : (.outside, distance - circle.radius >= margin)
  }

  private static func side(
    of point: AreaPoint, _ edges: EdgeTree, _ halfWidth: Double, _ margin: Double
  ) -> (side: AreaSide, isCertain: Bool) {
    var search = EdgeSearch(edges, near: point)
    if !search.isWithin(halfWidth + margin) { return (.outside, true) }
    if search.isWithin(halfWidth - margin) { return (.inside, true) }
    return (search.isWithin(halfWidth) ? .inside : .outside, false)
  }
}
