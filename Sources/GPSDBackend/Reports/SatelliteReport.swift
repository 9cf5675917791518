public import AsyncLocation

/// One satellite of a ``SKY``. Members without a property are in ``SKY/unknownSatelliteMembers``.
public struct SatelliteReport: Sendable, Hashable {
  package enum Field: Int, ReportField {
    case prn, constellation, vehicle, signal, frequency, elevation, azimuth, signalStrength, isUsed,
      health, residual, rateResidual, quality, pseudorange, pseudorangeRate
  }

  private var numbers = Numbers<15>()

  init() {}

  package subscript(_ field: Field) -> Double? {
    @inline(__always) get { numbers[field.rawValue] }
  }
}

extension SatelliteReport: ReportFields {
  static let className: String? = nil
  static let specifications = Field.allCases.map(\.specification)
  static let table = FieldTable(specifications)
  static var orderSlot: Int { 3 }

  @inline(__always)
  func number(_ field: Int) -> Double? { numbers[field] }

  @inline(__always)
  mutating func remove(_ field: Int) { numbers.remove(field) }

  @inline(__always)
  mutating func set(_ field: Int, _ value: Double) { numbers.set(field, value) }

  // Contains only numbers, so that a list of satellites is copied and freed as one block of memory.
  var unknown: UnknownMembers {
    get { UnknownMembers() }
    set {}
  }

  mutating func keepUnknown(
    _ name: String, _ value: JSONValue, _ memory: inout DecoderMemory
  ) {
    memory.unknownOfElement.keep(name, value)
  }
}

extension SatelliteReport.Field {
  var specification: FieldSpecification {
    switch self {
    case .prn: .integer("PRN", .count)
    case .constellation: .integer("gnssid", 0...255)
    case .vehicle: .integer("svid", 0...65_535)
    case .signal: .integer("sigid", 0...255)
    case .frequency: .integer("freqid", 0...255)
    case .elevation: .number("el", -90...90)
    case .azimuth: .number("az", .degrees)
    case .signalStrength: .number("ss", 0...254)
    case .isUsed: .flag("used")
    case .health: .integer("health", 0...255)
    case .residual: .number("prRes")
    case .rateResidual: .number("prrRes")
    case .quality: .integer("qual", 0...255)
    case .pseudorange: .number("pr")
    case .pseudorangeRate: .number("prRate")
    }
  }
}

extension SatelliteReport {
  /// The receiver's number (PRN) of the satellite.
  public var prn: Int? { integer(.prn) }
  /// The constellation as u-blox's number: 0 GPS, 1 SBAS, 2 Galileo, 3 BeiDou, 4 IMES, 5 QZSS, 6
  /// GLONASS, 7 NavIC.
  public var constellation: Int? { integer(.constellation) }
  /// The satellite's number within the constellation.
  public var vehicle: Int? { integer(.vehicle) }
  /// The signal as u-blox's number.
  public var signal: Int? { integer(.signal) }
  /// The GLONASS frequency slot plus 7.
  public var frequency: Int? { integer(.frequency) }
  /// The elevation in degrees above the horizon, -90...90.
  public var elevation: Double? { self[.elevation] }
  /// The azimuth in degrees clockwise from true north, 0...360.
  public var azimuth: Double? { self[.azimuth] }
  /// The signal strength in dB-Hz, 0...254. gpsd's -1 is nil.
  public var signalStrength: Double? { self[.signalStrength] }
  /// Whether the satellite is used in the fix.
  public var isUsed: Bool? { flag(.isUsed) }
  /// The satellite's health: 0 unknown, 1 healthy, 2 unhealthy.
  public var health: Int? { integer(.health) }
  /// The pseudorange residual in metres.
  public var residual: Double? { self[.residual] }
  /// The residual of the pseudorange rate in metres per second.
  public var rateResidual: Double? { self[.rateResidual] }
  /// u-blox's signal quality: 0 none, 1 searching, 2 acquired, 3 unusable, 4 code locked, 5...7
  /// code and carrier locked.
  public var quality: Int? { integer(.quality) }
  /// The pseudorange in metres; newer releases of gpsd.
  public var pseudorange: Double? { self[.pseudorange] }
  /// The pseudorange rate in metres per second.
  public var pseudorangeRate: Double? { self[.pseudorangeRate] }
}

extension SatelliteReport {
  /// Creates a satellite; omitted fields are absent.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` for a value that is not finite
  ///   or out of its range.
  public init(
    prn: Int? = nil, constellation: Int? = nil, vehicle: Int? = nil, signal: Int? = nil,
    frequency: Int? = nil, elevation: Double? = nil, azimuth: Double? = nil,
    signalStrength: Double? = nil, isUsed: Bool? = nil, health: Int? = nil, residual: Double? = nil,
    rateResidual: Double? = nil, quality: Int? = nil, pseudorange: Double? = nil,
    pseudorangeRate: Double? = nil
  ) throws(LocationError) {
    self.init()
    try put(.prn, prn)
    try put(.constellation, constellation)
    try put(.vehicle, vehicle)
    try put(.signal, signal)
    try put(.frequency, frequency)
    try put(.elevation, elevation)
    try put(.azimuth, azimuth)
    try put(.signalStrength, signalStrength)
    put(.isUsed, isUsed)
    try put(.health, health)
    try put(.residual, residual)
    try put(.rateResidual, rateResidual)
    try put(.quality, quality)
    try put(.pseudorange, pseudorange)
    try put(.pseudorangeRate, pseudorangeRate)
  }
}

extension SatelliteReport: Codable {
  public init(from decoder: any Decoder) throws { try self.init(reading: decoder) }
  public func encode(to encoder: any Encoder) throws { try write(to: encoder) }
}
