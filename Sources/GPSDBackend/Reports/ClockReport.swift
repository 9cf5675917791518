public import AsyncLocation

/// gpsd's TOFF and PPS: what a receiver's clock and that of gpsd's machine showed at one moment.
///
/// That moment is the beginning of an epoch's messages for TOFF, which come late by a few hundred
/// milliseconds, and the pulse at the beginning of a second for PPS. gpsd sends them when asked:
/// ``ReportOptions/pps``.
public struct ClockReport: Sendable, Hashable {
  package enum Field: Int, ReportField {
    case receiverSeconds, receiverNanoseconds, systemSeconds, systemNanoseconds, precision,
      quantizationError
    /// Not numbers: of use to the decoder alone.
    case deviceName, memoryUnitName, className
  }

  private var numbers = Numbers<6>()
  /// The receiver that reports.
  public private(set) var device: String?
  /// The unit of NTP's shared memory that gpsd tells, such as "NTP0"; gpsd 3.23 and later.
  public private(set) var memoryUnit: String?
  var unknown = UnknownMembers()
  /// Members that have no property here, such as a later gpsd's, by name; see ``JSONValue``.
  public var unknownMembers: [String: JSONValue] { unknown.all }

  init() {}

  package subscript(_ field: Field) -> Double? { numbers[field.rawValue] }
}

extension ClockReport: ReportFields {
  static let className: String? = "TOFF"
  static let specifications = Field.allCases.map(\.specification)
  static let table = FieldTable(specifications)

  func number(_ field: Int) -> Double? { numbers[field] }

  mutating func remove(_ field: Int) {
    guard field >= Field.deviceName.rawValue else { return numbers.remove(field) }
    set(field, String?.none)
  }

  mutating func set(_ field: Int, _ value: Double) { numbers.set(field, value) }

  mutating func set(_ field: Int, _ text: ScannedText, _ memory: inout DecoderMemory) {
    set(field, field == Field.deviceName.rawValue ? memory.names.name(text) : text.string())
  }

  mutating func set(_ field: Int, _ text: String?) {
    switch Field(rawValue: field) {
    case .deviceName: device = text
    case .memoryUnitName: memoryUnit = text
    default: break
    }
  }

  func text(_ field: Int) -> String? {
    switch Field(rawValue: field) {
    case .deviceName: device
    case .memoryUnitName: memoryUnit
    default: nil
    }
  }

  static var classNames: [String] { ["TOFF", "PPS"] }
}

extension ClockReport.Field {
  var specification: FieldSpecification {
    switch self {
    case .receiverSeconds: .integer("real_sec", .count)
    case .receiverNanoseconds: .integer("real_nsec", 0...999_999_999)
    case .systemSeconds: .integer("clock_sec", .count)
    case .systemNanoseconds: .integer("clock_nsec", 0...999_999_999)
    case .precision: .integer("precision", -128...127)
    case .quantizationError: .number("qErr")
    case .deviceName: .text("device")
    case .memoryUnitName: .text("shm")
    case .className: .className
    }
  }
}

extension ClockReport {
  /// Seconds since 1970, UTC, by the receiver or its pulse.
  public var receiverSeconds: Int? { integer(.receiverSeconds) }
  /// Nanoseconds after ``receiverSeconds``.
  public var receiverNanoseconds: Int? { integer(.receiverNanoseconds) }
  /// Seconds since 1970, UTC, by the clock of gpsd's machine.
  public var systemSeconds: Int? { integer(.systemSeconds) }
  /// Nanoseconds after ``systemSeconds``.
  public var systemNanoseconds: Int? { integer(.systemNanoseconds) }
  /// NTP's estimate of the precision, the exponent of two of seconds.
  public var precision: Int? { integer(.precision) }
  /// Picoseconds by which the receiver knows its pulse to be off.
  public var quantizationError: Double? { self[.quantizationError] }
}

extension ClockReport {
  /// Creates a report; what is not given is absent.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` for a value that is not finite
  ///   or out of its range.
  public init(
    device: String? = nil, receiverSeconds: Int? = nil, receiverNanoseconds: Int? = nil,
    systemSeconds: Int? = nil, systemNanoseconds: Int? = nil, precision: Int? = nil,
    quantizationError: Double? = nil, memoryUnit: String? = nil
  ) throws(LocationError) {
    self.init()
    put(.deviceName, device)
    try put(.receiverSeconds, receiverSeconds)
    try put(.receiverNanoseconds, receiverNanoseconds)
    try put(.systemSeconds, systemSeconds)
    try put(.systemNanoseconds, systemNanoseconds)
    try put(.precision, precision)
    try put(.quantizationError, quantizationError)
    put(.memoryUnitName, memoryUnit)
  }
}

extension ClockReport: Codable {
  public init(from decoder: any Decoder) throws { try self.init(reading: decoder) }
  public func encode(to encoder: any Encoder) throws { try write(to: encoder) }
}
