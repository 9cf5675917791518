/// A navigation satellite as reported by a receiver.
public struct Satellite: Sendable, Hashable, BitwiseCopyable {
  /// A satellite constellation; gpsd's `gnssid` values.
  @nonexhaustive
  public enum Constellation: String, Sendable, Hashable, Codable, CaseIterable, BitwiseCopyable {
    case gps, sbas, galileo, beidou, imes, qzss, glonass, navic

    /// The common name, such as `BeiDou`.
    package var displayName: String {
      switch self {
      case .gps: "GPS"
      case .sbas: "SBAS"
      case .galileo: "Galileo"
      case .beidou: "BeiDou"
      case .imes: "IMES"
      case .qzss: "QZSS"
      case .glonass: "GLONASS"
      case .navic: "NavIC"
      }
    }
  }

  /// The satellite's number in the receiver's numbering; gpsd's `PRN`, unique within a view.
  public let prn: Int
  /// The satellite's constellation.
  public let constellation: Constellation?
  /// The satellite's number within its constellation; gpsd's `svid`.
  public let vehicle: Int?
  /// The signal within the constellation, in u-blox numbering; gpsd's `sigid`.
  public let signal: Int?
  /// The GLONASS frequency slot; gpsd's `freqid`.
  public let frequency: Int?
  /// Degrees above the horizon, -90...90.
  public let elevation: Double?
  /// Degrees clockwise from true north, 0..<360; 360 is stored as 0.
  public let azimuth: Double?
  /// Carrier-to-noise density in dB-Hz, 0...254.
  public let signalStrength: Double?
  /// The residual of the pseudorange in metres.
  public let pseudorangeResidual: Double?
  /// The health that the satellite broadcasts; nil when unknown.
  public let isHealthy: Bool?
  /// True when the satellite is used in the fix.
  public let isUsed: Bool

  /// Creates a satellite. All values but its number and `isUsed` may be unknown.
  ///
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` for a value that is not
  ///   finite or out of range.
  public init(
    prn: Int, constellation: Constellation? = nil, vehicle: Int? = nil, signal: Int? = nil,
    frequency: Int? = nil, elevation: Double? = nil, azimuth: Double? = nil,
    signalStrength: Double? = nil, pseudorangeResidual: Double? = nil, isHealthy: Bool? = nil,
    isUsed: Bool
  ) throws(LocationError) {
    if let elevation, !(-90...90).contains(elevation) {
      throw .outOfRange("elevation", elevation, -90...90)
    }
    if let azimuth, !(0...360).contains(azimuth) { throw .outOfRange("azimuth", azimuth, 0...360) }
    if let signalStrength, !(0...254).contains(signalStrength) {
      throw .outOfRange("signalStrength", signalStrength, 0...254)
    }
    if let pseudorangeResidual, !pseudorangeResidual.isFinite {
      throw .outOfRange("pseudorangeResidual", pseudorangeResidual, .finite)
    }
    self.prn = prn
    self.constellation = constellation
    self.vehicle = vehicle
    self.signal = signal
    self.frequency = frequency
    self.elevation = elevation?.normalizedZero
    self.azimuth = azimuth == 360 ? 0 : azimuth?.normalizedZero
    self.signalStrength = signalStrength?.normalizedZero
    self.pseudorangeResidual = pseudorangeResidual?.normalizedZero
    self.isHealthy = isHealthy
    self.isUsed = isUsed
  }
}

/// Encoded with the property names; absent members are omitted. An unknown constellation is decoded
/// as nil.
extension Satellite: Codable {
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self = try values.validated {
      try Self(
        prn: values.decode(Int.self, forKey: .prn),
        constellation: values.decodeKnown(Constellation.self, forKey: .constellation),
        vehicle: values.decodeIfPresent(Int.self, forKey: .vehicle),
        signal: values.decodeIfPresent(Int.self, forKey: .signal),
        frequency: values.decodeIfPresent(Int.self, forKey: .frequency),
        elevation: values.decodeIfPresent(Double.self, forKey: .elevation),
        azimuth: values.decodeIfPresent(Double.self, forKey: .azimuth),
        signalStrength: values.decodeIfPresent(Double.self, forKey: .signalStrength),
        pseudorangeResidual: values.decodeIfPresent(Double.self, forKey: .pseudorangeResidual),
        isHealthy: values.decodeIfPresent(Bool.self, forKey: .isHealthy),
        isUsed: values.decode(Bool.self, forKey: .isUsed))
    }
  }
}
