/// A point on the WGS 84 ellipsoid.
public struct Coordinate: Sendable, Hashable, BitwiseCopyable {
  /// Degrees north of the equator, -90...90.
  public let latitude: Double
  /// Degrees east of the IERS reference meridian, -180...180.
  public let longitude: Double

  /// Creates a point from degrees.
  ///
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` when a value is not
  ///   finite or out of range. The message names the property but not its value, which may be half
  ///   of a coordinate.
  public init(latitude: Double, longitude: Double) throws(LocationError) {
    guard (-90...90).contains(latitude) else {
      let isExchanged = (-180...180).contains(latitude) && (-90...90).contains(longitude)
      throw .outOfRange(
        "latitude", -90...90, hint: isExchanged ? "are latitude and longitude exchanged?" : nil)
    }
    guard (-180...180).contains(longitude) else {
      let isFullCircle = (180...360).contains(longitude)
      throw .outOfRange(
        "longitude", -180...180, hint: isFullCircle ? "west is negative: subtract 360." : nil)
    }
    self.init(checkedLatitude: latitude, longitude: longitude)
  }

  /// Creates a point from degrees that are known to be in range.
  package init(checkedLatitude latitude: Double, longitude: Double) {
    // Normalizes -0, so that equal points are encoded alike.
    self.latitude = latitude.normalizedZero
    self.longitude = longitude.normalizedZero
  }
}

extension Coordinate: Codable {
  private enum CodingKeys: String, CodingKey { case latitude, longitude }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self = try values.validated {
      try Self(
        latitude: values.decode(Double.self, forKey: .latitude),
        longitude: values.decode(Double.self, forKey: .longitude))
    }
  }
}
