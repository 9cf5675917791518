extension Condition {
  /// The points within a ring and outside its holes. Edges are geodesics.
  ///
  /// The interior of a ring is the side that fits into a hemisphere, whatever the direction of the
  /// ring; rings may contain a pole or cross the antimeridian. A ring that crosses itself contains
  /// the points that it winds around an odd number of times. Holes may overlap; the part of a hole
  /// outside the outer ring has no effect.
  public struct Polygon: Sendable, Hashable {
    /// The outer ring, without a repetition of the first vertex.
    public let exterior: [Coordinate]
    /// The rings of the holes.
    public let holes: [[Coordinate]]

    /// Creates a polygon.
    ///
    /// - Parameters:
    ///   - exterior: At least three different vertices. The first may be repeated at the end.
    ///   - holes: Rings of the same form.
    /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` for a ring with fewer
    ///   vertices, or for a polygon that is too large. A polygon that fits into a circle with a
    ///   radius of 8,800 km is accepted; a polygon that needs more than 8,830 km is refused.
    public init(
      exterior: [Coordinate], holes: [[Coordinate]] = []
    ) throws(LocationError) {
      self.exterior = try Self.ring(exterior, "exterior")
      var rings: [[Coordinate]] = []
      for hole in holes { rings.append(try Self.ring(hole, "hole \(rings.count + 1)")) }
      self.holes = rings
      try AreaLimits.check(self.exterior + rings.joined(), "polygon")
    }

    init(checked exterior: [Coordinate], holes: [[Coordinate]]) {
      (self.exterior, self.holes) = (exterior, holes)
    }

    /// All rings, the outer one first.
    var rings: [[Coordinate]] { [exterior] + holes }

    private static func ring(
      _ vertices: [Coordinate], _ name: String
    ) throws(LocationError) -> [Coordinate] {
      var ring = vertices
      if ring.count > 1, ring.first == ring.last { ring.removeLast() }
      guard Set(ring).count >= 3 else {
        throw LocationError(
          .invalidValue, "\(name) must have at least 3 different vertices; got \(Set(ring).count).")
      }
      return ring
    }
  }
}

extension AreaLimits {
  /// Throws if points do not fit into a circle with ``radius``. A circle that is up to 0.34 %
  /// larger may be accepted.
  static func check(
    _ points: some Collection<Coordinate>, _ name: String
  ) throws(LocationError) {
    // A distance is at least its angle times the polar radius, and at most times the equatorial
    // radius.
    let widest = radius / WGS84.polarRadius
    let cap = SphericalCap(containing: points.map(SphericalPoint.init), sufficient: widest)
    guard cap.angle <= widest else {
      throw LocationError(
        .invalidValue,
        "The \(name) does not fit into a circle with a radius of \(radius / 1_000) km; split it.")
    }
  }
}

extension Condition.Polygon: Codable {
  private enum CodingKeys: String, CodingKey { case exterior, holes }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self = try values.validated {
      try Self(
        exterior: values.decode([Coordinate].self, forKey: .exterior),
        holes: values.decodeIfPresent([[Coordinate]].self, forKey: .holes) ?? [])
    }
  }
}
