/// A navigation satellite as a receiver sees it.
public struct Satellite: Sendable, Hashable, BitwiseCopyable {
  /// A family of navigation satellites; gpsd's `gnssid` values.
  @nonexhaustive
  public enum Constellation: String, Sendable, Hashable, Codable, CaseIterable, BitwiseCopyable {
    case gps, sbas, galileo, beidou, imes, qzss, glonass, navic
  }

  /// The number by which the receiver calls it; gpsd's `PRN`, unique within a view.
  public let prn: Int
  /// Its family.
  public let constellation: Constellation?
  /// Its number within the family.
  public let vehicle: Int?
  /// The signal within the family, as u-blox numbers them; gpsd's `sigid`.
  public let signal: Int?
  /// GLONASS's frequency slot; gpsd's `freqid`.
  public let frequency: Int?
  /// Degrees above the horizon, -90...90.
  public let elevation: Double?
  /// Degrees clockwise from true north, 0..<360; 360 becomes 0.
  public let azimuth: Double?
  /// Carrier-to-noise density in dB-Hz.
  public let signalStrength: Double?
  /// Metres, the residual of its pseudorange.
  public let pseudorangeResidual: Double?
  /// True when the satellite says of itself that it is healthy, false when not, nil when unknown.
  public let isHealthy: Bool?
  /// True when it takes part in the position.
  public let isUsed: Bool

  /// Creates a satellite; all but its number may be unknown.
  ///
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` for a value that is not
  ///   finite or out of its range.
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

/// As all values; a constellation that this version does not know is read as nil.
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
