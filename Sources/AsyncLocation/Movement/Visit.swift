public import FoundationEssentials

/// A stay at one place; the element of ``LocationManager/visits``.
///
/// A visit is delivered twice: without a departure once the stay is established, and with one after
/// it has ended. Both have the same arrival; the later one has the more exact coordinate.
public struct Visit: Sendable, Hashable {
  /// The mean position of the stay.
  public let coordinate: Coordinate
  /// The error of ``coordinate`` in metres: the typical accuracy of the stay's locations. Nil if
  /// the source reported none.
  public let horizontalAccuracy: Double?
  /// The start of the stay, by the clock of ``Location/timestamp``. Nil if unknown: the receiver
  /// was already at the place when it was first located, or after a gap.
  public let arrival: Date?
  /// The time of the last location at the place; nil while the stay lasts.
  public let departure: Date?

  /// Creates a visit.
  ///
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` for an accuracy that is
  ///   negative or not finite, or a time outside the years 1 to 9999.
  public init(
    coordinate: Coordinate, horizontalAccuracy: Double? = nil, arrival: Date? = nil,
    departure: Date? = nil
  ) throws(LocationError) {
    try ClosedRange.nonNegative.check(horizontalAccuracy, "horizontalAccuracy")
    self.init(
      checked: coordinate, horizontalAccuracy: horizontalAccuracy?.normalizedZero,
      arrival: try Self.exact(arrival, "arrival"), departure: try Self.exact(departure, "departure")
    )
  }

  private static func exact(
    _ date: Date?, _ name: StaticString
  ) throws(LocationError) -> Date? {
    guard let date else { return nil }
    return try Timestamp.exact(date, name)
  }

  /// Creates a visit from values that are in range.
  init(
    checked coordinate: Coordinate, horizontalAccuracy: Double?, arrival: Date?, departure: Date?
  ) {
    self.coordinate = coordinate
    self.horizontalAccuracy = horizontalAccuracy
    self.arrival = arrival
    self.departure = departure
  }
}

/// A flat format like that of ``Location``: times as ISO 8601 in UTC, absent members omitted.
extension Visit: Codable, Described {
  private enum CodingKeys: String, CodingKey {
    case latitude, longitude, horizontalAccuracy, arrival, departure
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self = try values.validated {
      try Self(
        coordinate: Coordinate(
          latitude: values.decode(Double.self, forKey: .latitude),
          longitude: values.decode(Double.self, forKey: .longitude)),
        horizontalAccuracy: values.decodeIfPresent(Double.self, forKey: .horizontalAccuracy),
        arrival: values.decodeTimestampIfPresent(forKey: .arrival),
        departure: values.decodeTimestampIfPresent(forKey: .departure))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(coordinate.latitude, forKey: .latitude)
    try values.encode(coordinate.longitude, forKey: .longitude)
    try values.encodeIfPresent(horizontalAccuracy, forKey: .horizontalAccuracy)
    try values.encodeIfPresent(arrival.map(Timestamp.format), forKey: .arrival)
    try values.encodeIfPresent(departure.map(Timestamp.format), forKey: .departure)
  }

  package var members: [DescribedMember] {
    coordinate.members + [
      DescribedMember("horizontalAccuracy", horizontalAccuracy, "m"),
      DescribedMember("arrival", arrival),
      DescribedMember("departure", departure),
    ]
  }
}
