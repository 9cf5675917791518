public import AsyncLocation

/// gpsd's TOFF and PPS: the times of a receiver's clock and of the system clock at one moment.
///
/// For TOFF, this moment is the beginning of an epoch's messages, which arrive a few hundred
/// milliseconds late. For PPS, it is the pulse at the beginning of a second. gpsd sends these
/// reports on request: ``ReportOptions/pps``.
public struct ClockReport: Sendable, Hashable {
  package enum Field: Int, ReportField {
    case receiverSeconds, receiverNanoseconds, systemSeconds, systemNanoseconds, precision,
      quantizationError
    /// Fields that are not numbers; used only by the decoder.
    case deviceName, memoryUnitName, className
  }

  private var numbers = Numbers<6>()
  /// The receiver that sent the report.
  public private(set) var device: String?
  /// The NTP shared memory unit that gpsd writes to, such as "NTP0"; gpsd 3.23 and later.
  public private(set) var memoryUnit: String?
  var unknown = UnknownMembers()
  /// Members without a property here, such as those of a later gpsd, by name; see ``JSONValue``.
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
  /// The receiver's time, or that of its pulse, in seconds since 1970 UTC.
  public var receiverSeconds: Int? { integer(.receiverSeconds) }
  /// The nanoseconds after ``receiverSeconds``.
  public var receiverNanoseconds: Int? { integer(.receiverNanoseconds) }
  /// The time of the clock of gpsd's machine, in seconds since 1970 UTC.
  public var systemSeconds: Int? { integer(.systemSeconds) }
  /// The nanoseconds after ``systemSeconds``.
  public var systemNanoseconds: Int? { integer(.systemNanoseconds) }
  /// NTP's estimate of the precision: the exponent of a power of two, in seconds.
  public var precision: Int? { integer(.precision) }
  /// The quantization error of the pulse in picoseconds, as the receiver reports it.
  public var quantizationError: Double? { self[.quantizationError] }
}

extension ClockReport {
  /// Creates a report; omitted fields are absent.
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
