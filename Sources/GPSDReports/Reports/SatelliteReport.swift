import AsyncLocation

/// One satellite of a ``SKY``. Members without a property are in ``SKY/unknownSatelliteMembers``.
public struct SatelliteReport: FieldReport {
  /// The fields of a satellite.
  public struct Fields: Sendable {
    /// The receiver's number (PRN) of the satellite.
    public let prn = ReportField<Int>("PRN", .count)
    /// The constellation as u-blox's number: 0 GPS, 1 SBAS, 2 Galileo, 3 BeiDou, 4 IMES, 5 QZSS, 6
    /// GLONASS, 7 NavIC.
    public let constellation = ReportField<Int>("gnssid", 0...255)
    /// The satellite's number within the constellation.
    public let vehicle = ReportField<Int>("svid", 0...65_535)
    /// The signal as u-blox's number.
    public let signal = ReportField<Int>("sigid", 0...255)
    /// The GLONASS frequency slot plus 7.
    public let frequency = ReportField<Int>("freqid", 0...255)
    /// The elevation in degrees above the horizon, -90...90.
    public let elevation = ReportField<Double>("el", -90...90, in: .degrees)
    /// The azimuth in degrees clockwise from true north, 0...360.
    public let azimuth = ReportField<Double>("az", 0...360, in: .degrees)
    /// The signal strength in dB-Hz, 0...254. gpsd's -1 is nil.
    public let signalStrength = ReportField<Double>("ss", 0...254, in: .decibelHertz)
    /// Whether the satellite is used in the fix.
    public let isUsed = ReportField<Bool>("used")
    /// The satellite's health: 0 unknown, 1 healthy, 2 unhealthy.
    public let health = ReportField<Int>("health", 0...255)
    /// The pseudorange residual in metres.
    public let residual = ReportField<Double>("prRes", in: .metres)
    /// The residual of the pseudorange rate in metres per second.
    public let rateResidual = ReportField<Double>("prrRes", in: .metresPerSecond)
    /// u-blox's signal quality: 0 none, 1 searching, 2 acquired, 3 unusable, 4 code locked, 5...7
    /// code and carrier locked.
    public let quality = ReportField<Int>("qual", 0...255)
    /// The pseudorange in metres; newer releases of gpsd.
    public let pseudorange = ReportField<Double>("pr")
    /// The pseudorange rate in metres per second.
    public let pseudorangeRate = ReportField<Double>("prRate")
  }

  @usableFromInline
  var storage = Numbers<15>()

  // Inlinable: other modules would otherwise call the unspecialized code of `StoredReport`.
  @inlinable @inline(__always)
  public func _number(at index: Int) -> Double? { storage[index] }
}

extension SatelliteReport: StoredReport {
  static let table = makeTable(Fields())
  static var className: String? { nil }
  static var orderSlot: Int { 3 }

  package var describedName: String { "Satellite" }
}
