public import FoundationEssentials

/// The direction in which a vehicle or a compass points, or in which a vehicle moves.
public struct Heading: Sendable, Hashable, BitwiseCopyable {
  /// The method by which a direction was determined.
  public enum Source: String, Sendable, Hashable, Codable, BitwiseCopyable {
    /// A compass, a gyroscope or a two-antenna receiver: the direction in which the device points.
    case compass
    /// Consecutive positions: the direction of movement, which may differ from the direction in
    /// which the vehicle points.
    case courseOverGround
  }

  /// A magnetic field along the sensor's axes, in the sensor's own units.
  public struct MagneticField: Sendable, Hashable, Codable, BitwiseCopyable {
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
      self.init(checkedX: x.normalizedZero, y: y.normalizedZero, z: z.normalizedZero)
    }

    fileprivate init(checkedX x: Double, y: Double, z: Double) {
      (self.x, self.y, self.z) = (x, y, z)
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

  // Ordered by alignment to avoid padding.

  private let packedTrueHeading: PackedOptional
  private let packedMagneticHeading: PackedOptional
  private let packedHeadingAccuracy: PackedOptional
  // The magnetic field in three members. The first one is absent when there is no field.
  private let packedFieldX: PackedOptional
  private let (fieldY, fieldZ): (Double, Double)
  /// ``timestamp`` in seconds from 2001-01-01, UTC.
  package let timestampSeconds: Double
  /// The origin of the report.
  public let sourceInformation: SourceInformation?
  /// The method by which the direction was determined.
  public let source: Source

  /// Degrees clockwise from true north, 0..<360.
  public var trueHeading: Double? { packedTrueHeading.value }
  /// Degrees clockwise from magnetic north, 0..<360.
  public var magneticHeading: Double? { packedMagneticHeading.value }
  /// The error of the headings in degrees, 0...180.
  public var headingAccuracy: Double? { packedHeadingAccuracy.value }
  /// The magnetometer's reading.
  public var magneticField: MagneticField? {
    packedFieldX.value.map { MagneticField(checkedX: $0, y: fieldY, z: fieldZ) }
  }
  /// The time of the measurement by the receiver's clock, or by the host's clock if
  /// ``sourceInformation`` reports the host as the time source.
  public var timestamp: Date { Date(timeIntervalSinceReferenceDate: timestampSeconds) }

  /// Creates a heading with one or both directions.
  ///
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` when neither direction is
  ///   given, or when a value is not finite or out of range.
  public init(
    trueHeading: Double? = nil, magneticHeading: Double? = nil, headingAccuracy: Double? = nil,
    magneticField: MagneticField? = nil, timestamp: Date, source: Source,
    sourceInformation: SourceInformation? = nil
  ) throws(LocationError) {
    guard trueHeading != nil || magneticHeading != nil else {
      throw LocationError(.invalidValue, "A heading needs a true or a magnetic direction.")
    }
    packedTrueHeading = try Self.direction(trueHeading, "trueHeading")
    packedMagneticHeading = try Self.direction(magneticHeading, "magneticHeading")
    packedHeadingAccuracy = try PackedOptional(headingAccuracy, in: 0...180, "headingAccuracy")
    packedFieldX = PackedOptional(magneticField?.x)
    (fieldY, fieldZ) = (magneticField?.y ?? 0, magneticField?.z ?? 0)
    timestampSeconds = try Timestamp.exact(timestamp, "timestamp").timeIntervalSinceReferenceDate
    self.source = source
    self.sourceInformation = sourceInformation
  }

  private static func direction(
    _ degrees: Double?, _ name: StaticString
  ) throws(LocationError) -> PackedOptional {
    try PackedOptional(degrees == 360 ? 0 : degrees, in: 0...360, name)
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

extension Heading {
  /// The mutable members of a heading; see ``Heading/with(_:)``.
  ///
  /// Values are validated when a heading is created from them.
  public struct Values: Sendable, Hashable {
    /// Degrees clockwise from true north, 0...360.
    public var trueHeading: Double?
    /// Degrees clockwise from magnetic north, 0...360.
    public var magneticHeading: Double?
    /// The error of the headings in degrees, 0...180.
    public var headingAccuracy: Double?
    /// The magnetometer's reading.
    public var magneticField: MagneticField?
    /// The time of the measurement.
    public var timestamp: Date
    /// The method by which the direction was determined.
    public var source: Source
    /// The origin of the report.
    public var sourceInformation: SourceInformation?

    init(_ heading: Heading) {
      trueHeading = heading.trueHeading
      magneticHeading = heading.magneticHeading
      headingAccuracy = heading.headingAccuracy
      magneticField = heading.magneticField
      timestamp = heading.timestamp
      source = heading.source
      sourceInformation = heading.sourceInformation
    }
  }

  /// Returns a copy with some members changed.
  ///
  /// - Parameter change: Changes the members. All others keep their values.
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` when no direction
  ///   remains, or when a value is not finite or out of range.
  public func with(
    _ change: (inout Values) -> Void
  ) throws(LocationError) -> Heading {
    var values = Values(self)
    change(&values)
    return try Heading(
      trueHeading: values.trueHeading, magneticHeading: values.magneticHeading,
      headingAccuracy: values.headingAccuracy, magneticField: values.magneticField,
      timestamp: values.timestamp, source: values.source,
      sourceInformation: values.sourceInformation)
  }
}
