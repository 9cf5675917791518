public import FoundationEssentials

/// The direction in which a vehicle or a compass points, or in which it moves.
public struct Heading: Sendable, Hashable {
  /// How a direction was found.
  public enum Source: String, Sendable, Hashable, Codable {
    /// A compass, a gyroscope or a two-antenna receiver: where it points.
    case compass
    /// Consecutive positions: where it moves, which need not be where it points.
    case courseOverGround
  }

  /// A magnetic field along the sensor's axes, in the sensor's own units.
  public struct MagneticField: Sendable, Hashable, Codable {
    public let x: Double
    public let y: Double
    public let z: Double

    /// Creates a field.
    ///
    /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` for a value that is
    ///   not finite.
    public init(x: Double, y: Double, z: Double) throws(LocationError) {
      for (name, value) in [("x" as StaticString, x), ("y", y), ("z", z)]
      where !value.isFinite { throw .outOfRange(name, value, .finite) }
      (self.x, self.y, self.z) = (x.oneZero, y.oneZero, z.oneZero)
    }

    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      self = try values.validated {
        try Self(
          x: values.decode(Double.self, forKey: .x), y: values.decode(Double.self, forKey: .y),
          z: values.decode(Double.self, forKey: .z))
      }
    }
  }

  /// Degrees clockwise from true north, 0..<360.
  public let trueHeading: Double?
  /// Degrees clockwise from magnetic north, 0..<360.
  public let magneticHeading: Double?
  /// Degrees, the error of the headings, 0...180.
  public let headingAccuracy: Double?
  /// What the magnetometer reads.
  public let magneticField: MagneticField?
  /// When the heading was true, by the receiver's clock unless ``sourceInformation`` says the
  /// host's.
  public let timestamp: Date
  /// Whether it was pointed or moved.
  public let source: Source
  /// Who reported it.
  public let sourceInformation: SourceInformation?

  /// Creates a heading, of which one or both directions are known.
  ///
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` when neither direction
  ///   is given, or a value is not finite or out of its range.
  public init(
    trueHeading: Double? = nil, magneticHeading: Double? = nil, headingAccuracy: Double? = nil,
    magneticField: MagneticField? = nil, timestamp: Date, source: Source,
    sourceInformation: SourceInformation? = nil
  ) throws(LocationError) {
    guard trueHeading != nil || magneticHeading != nil else {
      throw LocationError(.invalidValue, "A heading needs a true or a magnetic direction.")
    }
    self.trueHeading = try Self.direction(trueHeading, "trueHeading")
    self.magneticHeading = try Self.direction(magneticHeading, "magneticHeading")
    if let headingAccuracy, !(0...180).contains(headingAccuracy) {
      throw .outOfRange("headingAccuracy", headingAccuracy, 0...180)
    }
    self.headingAccuracy = headingAccuracy?.oneZero
    self.magneticField = magneticField
    self.timestamp = try Timestamp.exact(timestamp, "timestamp")
    self.source = source
    self.sourceInformation = sourceInformation
  }

  private static func direction(
    _ degrees: Double?, _ name: StaticString
  ) throws(LocationError) -> Double? {
    guard let degrees else { return nil }
    guard (0...360).contains(degrees) else { throw .outOfRange(name, degrees, 0...360) }
    return degrees == 360 ? 0 : degrees.oneZero
  }
}

extension Heading: Codable {
  private enum CodingKeys: String, CodingKey {
    case timestamp, trueHeading, magneticHeading, headingAccuracy, magneticField, source
    case sourceInformation
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self = try values.validated {
      try Self(
        trueHeading: values.decodeIfPresent(Double.self, forKey: .trueHeading),
        magneticHeading: values.decodeIfPresent(Double.self, forKey: .magneticHeading),
        headingAccuracy: values.decodeIfPresent(Double.self, forKey: .headingAccuracy),
        magneticField: values.decodeIfPresent(MagneticField.self, forKey: .magneticField),
        timestamp: values.decodeTimestamp(forKey: .timestamp),
        source: values.decode(Source.self, forKey: .source),
        sourceInformation: values.decodeIfPresent(
          SourceInformation.self, forKey: .sourceInformation))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(Timestamp.format(timestamp), forKey: .timestamp)
    try values.encodeIfPresent(trueHeading, forKey: .trueHeading)
    try values.encodeIfPresent(magneticHeading, forKey: .magneticHeading)
    try values.encodeIfPresent(headingAccuracy, forKey: .headingAccuracy)
    try values.encodeIfPresent(magneticField, forKey: .magneticField)
    try values.encode(source, forKey: .source)
    try values.encodeIfPresent(sourceInformation, forKey: .sourceInformation)
  }
}
