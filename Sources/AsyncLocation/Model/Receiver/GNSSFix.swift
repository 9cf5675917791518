/// A GNSS receiver's information about a fix.
public struct GNSSFix: Sendable, Hashable, BitwiseCopyable {
  /// The number of dimensions of a position.
  public enum Mode: String, Sendable, Hashable, Codable, CaseIterable, BitwiseCopyable {
    case twoDimensional = "2D"
    case threeDimensional = "3D"
  }

  /// The positioning technique; gpsd's `STATUS_*` values.
  @nonexhaustive
  public enum Status: String, Sendable, Hashable, Codable, CaseIterable, BitwiseCopyable {
    /// Satellites only.
    case autonomous
    /// Differential corrections, including satellite-based augmentation.
    case differential
    /// RTK with integer ambiguities resolved: centimetre accuracy.
    case rtkFixed
    /// RTK with ambiguities still estimated: decimetre accuracy.
    case rtkFloat
    /// Dead reckoning only.
    case deadReckoning
    /// Satellites and dead reckoning combined.
    case combinedDeadReckoning
    /// A surveyed position; the receiver solves for time only.
    case surveyed
    /// The position of a simulator.
    case simulated
    /// The encrypted P(Y) signal.
    case precise
  }

  // Ordered by size, largest first, to avoid padding.
  private let packedDilution: DilutionOfPrecision
  private let packedMagneticVariation: PackedOptional
  private let packedGeoidSeparation: PackedOptional
  private let packedDifferentialAge: PackedOptional
  private let packedTimeUncertainty: PackedOptional
  private let packedJamming: PackedCount
  private let packedAntennaStatus: PackedCount
  private let packedSatellitesUsed: PackedCount
  private let packedSatellitesVisible: PackedCount
  private let packedDifferentialStation: PackedCount
  /// Two or three dimensions. In two dimensions the altitude is assumed, not measured.
  public let mode: Mode
  /// The technique; nil when the receiver does not report it.
  public let status: Status?

  /// How the geometry of the used satellites magnifies errors; nil if the receiver does not report
  /// it.
  public var dilutionOfPrecision: DilutionOfPrecision? {
    packedDilution.isAbsent ? nil : packedDilution
  }
  /// The number of satellites used in the fix.
  public var satellitesUsed: Int? { packedSatellitesUsed.value }
  /// The number of satellites that the receiver tracks or predicts above the horizon.
  public var satellitesVisible: Int? { packedSatellitesVisible.value }
  /// The reference station that sent the corrections, 0...4095.
  public var differentialStation: Int? { packedDifferentialStation.value }
  /// Degrees by which magnetic north is east of true north, -180...180, as reported by the receiver
  /// or gpsd.
  public var magneticVariation: Double? { packedMagneticVariation.value }
  /// Metres by which mean sea level is above the WGS 84 ellipsoid.
  public var geoidSeparation: Double? { packedGeoidSeparation.value }
  /// The age of the differential corrections in seconds.
  public var differentialAge: Double? { packedDifferentialAge.value }
  /// The estimated error of the timestamp in seconds; gpsd's `ept`, 95 %.
  public var timeUncertainty: Double? { packedTimeUncertainty.value }
  /// The jamming indicator on the receiver's own scale, from 0 (none) to 255.
  public var jamming: Int? { packedJamming.value }
  /// The receiver's code for the antenna status, 0...255; gpsd's `ant`, 0 for unknown.
  public var antennaStatus: Int? { packedAntennaStatus.value }

  /// Creates a fix. All values but the mode may be unknown.
  ///
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` for a value that is not
  ///   finite or out of its range.
  public init(
    mode: Mode, status: Status? = nil, dilutionOfPrecision: DilutionOfPrecision? = nil,
    satellitesUsed: Int? = nil, satellitesVisible: Int? = nil, magneticVariation: Double? = nil,
    geoidSeparation: Double? = nil, differentialAge: Double? = nil,
    differentialStation: Int? = nil, timeUncertainty: Double? = nil, jamming: Int? = nil,
    antennaStatus: Int? = nil
  ) throws(LocationError) {
    try (0...1000).check(satellitesUsed, "satellitesUsed")
    try (0...1000).check(satellitesVisible, "satellitesVisible")
    try (0...4095).check(differentialStation, "differentialStation")
    try (0...255).check(jamming, "jamming")
    try (0...255).check(antennaStatus, "antennaStatus")
    try (-180...180).check(magneticVariation, "magneticVariation")
    try ClosedRange.finite.check(geoidSeparation, "geoidSeparation")
    try ClosedRange.nonNegative.check(differentialAge, "differentialAge")
    try ClosedRange.nonNegative.check(timeUncertainty, "timeUncertainty")
    self.init(
      checked: mode, status: status, dilutionOfPrecision: dilutionOfPrecision,
      satellitesUsed: satellitesUsed, satellitesVisible: satellitesVisible,
      magneticVariation: magneticVariation, geoidSeparation: geoidSeparation,
      differentialAge: differentialAge, differentialStation: differentialStation,
      timeUncertainty: timeUncertainty, jamming: jamming, antennaStatus: antennaStatus)
  }

  /// Creates a fix from values that are known to be in range.
  package init(
    checked mode: Mode, status: Status?, dilutionOfPrecision: DilutionOfPrecision?,
    satellitesUsed: Int?, satellitesVisible: Int?, magneticVariation: Double?,
    geoidSeparation: Double?, differentialAge: Double?, differentialStation: Int?,
    timeUncertainty: Double?, jamming: Int?, antennaStatus: Int?
  ) {
    self.mode = mode
    self.status = status
    packedDilution = dilutionOfPrecision ?? .absent
    packedSatellitesUsed = PackedCount(satellitesUsed)
    packedSatellitesVisible = PackedCount(satellitesVisible)
    packedDifferentialStation = PackedCount(differentialStation)
    packedJamming = PackedCount(jamming)
    packedAntennaStatus = PackedCount(antennaStatus)
    packedMagneticVariation = PackedOptional(magneticVariation)
    packedGeoidSeparation = PackedOptional(geoidSeparation)
    packedDifferentialAge = PackedOptional(differentialAge)
    packedTimeUncertainty = PackedOptional(timeUncertainty)
  }
}

/// Encoded with the property names; absent members are omitted. An unknown status is decoded as
/// nil.
extension GNSSFix: Codable {
  private enum CodingKeys: String, CodingKey {
    case mode, status, dilutionOfPrecision, satellitesUsed, satellitesVisible, magneticVariation
    case geoidSeparation, differentialAge, differentialStation, timeUncertainty, jamming
    case antennaStatus
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self = try values.validated {
      try Self(
        mode: values.decode(Mode.self, forKey: .mode),
        status: values.decodeKnown(Status.self, forKey: .status),
        dilutionOfPrecision: values.decodeIfPresent(
          DilutionOfPrecision.self, forKey: .dilutionOfPrecision),
        satellitesUsed: values.decodeIfPresent(Int.self, forKey: .satellitesUsed),
        satellitesVisible: values.decodeIfPresent(Int.self, forKey: .satellitesVisible),
        magneticVariation: values.decodeIfPresent(Double.self, forKey: .magneticVariation),
        geoidSeparation: values.decodeIfPresent(Double.self, forKey: .geoidSeparation),
        differentialAge: values.decodeIfPresent(Double.self, forKey: .differentialAge),
        differentialStation: values.decodeIfPresent(Int.self, forKey: .differentialStation),
        timeUncertainty: values.decodeIfPresent(Double.self, forKey: .timeUncertainty),
        jamming: values.decodeIfPresent(Int.self, forKey: .jamming),
        antennaStatus: values.decodeIfPresent(Int.self, forKey: .antennaStatus))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(mode, forKey: .mode)
    try values.encodeIfPresent(status, forKey: .status)
    try values.encodeIfPresent(dilutionOfPrecision, forKey: .dilutionOfPrecision)
    try values.encodeIfPresent(satellitesUsed, forKey: .satellitesUsed)
    try values.encodeIfPresent(satellitesVisible, forKey: .satellitesVisible)
    try values.encodeIfPresent(magneticVariation, forKey: .magneticVariation)
    try values.encodeIfPresent(geoidSeparation, forKey: .geoidSeparation)
    try values.encodeIfPresent(differentialAge, forKey: .differentialAge)
    try values.encodeIfPresent(differentialStation, forKey: .differentialStation)
    try values.encodeIfPresent(timeUncertainty, forKey: .timeUncertainty)
    try values.encodeIfPresent(jamming, forKey: .jamming)
    try values.encodeIfPresent(antennaStatus, forKey: .antennaStatus)
  }
}
