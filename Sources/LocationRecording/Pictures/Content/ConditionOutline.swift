import AsyncLocation

/// The outline of a condition's area, whose edges are short enough to be drawn straight. Pure.
enum ConditionOutline {
  /// The rings of an area: the exterior first, then the holes.
  case area([[Coordinate]])
  /// A path, and the distance from it in metres.
  case path([Coordinate], Double)

  /// The number of corners of a circle.
  private static let cornerCount = 72
  /// The longest edge in metres: a longer one is divided, since a geodesic is curved on a map.
  private static let longestEdge = 100_000.0
  /// The maximum number of parts of an edge.
  private static let greatestPartCount = 64

  /// Nil for a subject without an area, such as a beacon.
  init?(_ subject: Condition.Subject) {
    switch subject {
    case .circle(let circle): self = .area([Self.corners(of: circle)])
    case .polygon(let polygon):
      self = .area(
        ([polygon.exterior] + polygon.holes).map { ring in
          Self.divided(ring + ring.prefix(1))
        })
    case .corridor(let corridor):
      self = .path(Self.divided(corridor.path), corridor.width / 2)
    default: return nil
    }
  }

  /// The coordinates that a map of the condition shows: the exterior, or the path.
  var coordinates: [Coordinate] {
    switch self {
    case .area(let rings): rings.first ?? []
    case .path(let path, _): path
    }
  }

  private static func corners(of circle: Condition.Circle) -> [Coordinate] {
    (0..<cornerCount).compactMap { index in
      try? circle.center.coordinate(
        atDistance: circle.radius, bearing: 360 * Double(index) / Double(cornerCount))
    }
  }

  /// Divides the edges of a line that are too long.
  private static func divided(_ line: [Coordinate]) -> [Coordinate] {
    var points = Array(line.prefix(1))
    for (start, end) in zip(line, line.dropFirst()) {
      let length = start.distance(to: end)
      if length > longestEdge {
        let count = min(greatestPartCount, Int(length / longestEdge) + 1)
        let bearing = start.bearing(to: end)
        points += (1..<count).compactMap { index in
          try? start.coordinate(
            atDistance: length * Double(index) / Double(count), bearing: bearing)
        }
      }
      points.append(end)
    }
    return points
  }
}
