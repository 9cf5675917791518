extension Condition {
  /// The points at most half of the width away from a path of geodesics.
  public struct Corridor: Sendable, Hashable {
    /// The vertices of the path.
    public let path: [Coordinate]
    /// The full width in metres.
    public let width: Double

    /// Creates a corridor.
    ///
    /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` for a path with fewer
    ///   than two different vertices, for a width that is not positive or exceeds 1,000 km, or for
    ///   a path that is too large. A path that fits into a circle with a radius of 8,800 km is
    ///   accepted; a path that needs more than 8,830 km is refused.
    public init(path: [Coordinate], width: Double) throws(LocationError) {
      let count = Set(path).count
      guard count >= 2 else {
        throw LocationError(
          .invalidValue, "path must have at least 2 different vertices; got \(count).")
      }
      guard width > 0, width <= Self.widest else {
        throw LocationError(
          .invalidValue, "width must be above 0 and at most \(Self.widest) metres; got \(width).")
      }
      try AreaLimits.check(path, "path")
      self.path = path
      self.width = width
    }

    init(checked path: [Coordinate], width: Double) { (self.path, self.width) = (path, width) }

    /// Metres.
    private static let widest = 1_000_000.0
  }
}

extension Condition.Corridor: Codable {
  private enum CodingKeys: String, CodingKey { case path, width }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self = try values.validated {
      try Self(
        path: values.decode([Coordinate].self, forKey: .path),
        width: values.decode(Double.self, forKey: .width))
    }
  }
}
