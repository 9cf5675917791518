extension Condition {
  /// The points within a distance of a point, along the ellipsoid.
  public struct Circle: Sendable, Hashable {
    /// The centre.
    public let center: Coordinate
    /// Metres.
    public let radius: Double

    /// Creates a circle.
    ///
    /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` unless the radius is
    ///   above 0 and at most 8,800 km.
    public init(center: Coordinate, radius: Double) throws(LocationError) {
      guard radius > 0, radius <= AreaLimits.radius else {
        throw LocationError(
          .invalidValue,
          "radius must be above 0 and at most \(AreaLimits.radius) metres; got \(radius).")
      }
      self.center = center
      self.radius = radius
    }
  }
}

/// Limits of the size of areas.
enum AreaLimits {
  /// Metres; less than the distance from the equator to a pole, so that an area fits into a
  /// hemisphere.
  static let radius = 8_800_000.0
}

extension Condition.Circle: Codable {
  private enum CodingKeys: String, CodingKey { case center, radius }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self = try values.validated {
      try Self(
        center: values.decode(Coordinate.self, forKey: .center),
        radius: values.decode(Double.self, forKey: .radius))
    }
  }
}
