public import FoundationEssentials

/// The satellites that one receiver sees.
public struct SatelliteView: Sendable, Hashable {
  /// The time of the report by the receiver's clock; nil when the receiver does not report it.
  public let timestamp: Date?
  /// All satellites tracked or predicted above the horizon, in the receiver's order.
  public let satellites: [Satellite]
  /// How the geometry of the used satellites magnifies errors; nil if the receiver does not report
  /// it.
  public let dilutionOfPrecision: DilutionOfPrecision?
  /// The origin of the report.
  public let sourceInformation: SourceInformation?

  /// The satellites used in the fix.
  public var used: [Satellite] { satellites.filter(\.isUsed) }

  /// Creates a satellite view.
  ///
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` for a time outside the
  ///   years 1 to 9999.
  public init(
    timestamp: Date? = nil, satellites: [Satellite],
    dilutionOfPrecision: DilutionOfPrecision? = nil, sourceInformation: SourceInformation? = nil
  ) throws(LocationError) {
    if let timestamp {
      self.timestamp = try Timestamp.exact(timestamp, "timestamp")
    } else {
      self.timestamp = nil
    }
    self.satellites = satellites
    self.dilutionOfPrecision = dilutionOfPrecision
    self.sourceInformation = sourceInformation
  }
}

extension SatelliteView: Codable {
  private enum CodingKeys: String, CodingKey {
    case timestamp, satellites, dilutionOfPrecision, sourceInformation
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self = try values.validated {
      try Self(
        timestamp: values.decodeTimestampIfPresent(forKey: .timestamp),
        satellites: values.decode([Satellite].self, forKey: .satellites),
        dilutionOfPrecision: values.decodeIfPresent(
          DilutionOfPrecision.self, forKey: .dilutionOfPrecision),
        sourceInformation: values.decodeIfPresent(
          SourceInformation.self, forKey: .sourceInformation))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(timestamp.map(Timestamp.format), forKey: .timestamp)
    try values.encode(satellites, forKey: .satellites)
    try values.encodeIfPresent(dilutionOfPrecision, forKey: .dilutionOfPrecision)
    try values.encodeIfPresent(sourceInformation, forKey: .sourceInformation)
  }
}
