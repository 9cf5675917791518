public import AsyncLocation
public import FoundationEssentials

/// gpsd's DEVICE: a receiver, its connection and its model.
public struct DeviceReport: Sendable, Hashable {
  package enum Field: Int, ReportField {
    case activation, flags, baudRate, stopBits, native, cycle, minimumCycle, isReadOnly
    /// Fields that are not numbers; used only by the decoder.
    case pathName, driverName, subtypeName, secondSubtypeName, serialNumberText, parityName,
      hexadecimalText, className
  }

  private var numbers = Numbers<8>()
  /// The receiver's path; `device` in other reports.
  public private(set) var path: String?
  /// gpsd's name of the receiver's protocol or chip family.
  public private(set) var driver: String?
  /// The model and firmware, as the receiver reports them.
  public private(set) var subtype: String?
  /// More about the model and firmware.
  public private(set) var secondSubtype: String?
  /// The serial number; gpsd 3.23 and later.
  public private(set) var serialNumber: String?
  /// The parity: "N", "O" or "E".
  public private(set) var parity: String?
  /// Bytes to send to the receiver, in hexadecimal; newer releases of gpsd.
  public private(set) var hexadecimalData: String?
  var unknown = UnknownMembers()
  /// Members without a property here, such as those of a later gpsd, by name; see ``JSONValue``.
  public var unknownMembers: [String: JSONValue] { unknown.all }

  init() {}

  package subscript(_ field: Field) -> Double? { numbers[field.rawValue] }
}

extension DeviceReport: ReportFields {
  static let className: String? = "DEVICE"
  static let specifications = Field.allCases.map(\.specification)
  static let table = FieldTable(specifications)

  func number(_ field: Int) -> Double? { numbers[field] }

  mutating func remove(_ field: Int) {
    guard field >= Field.pathName.rawValue else { return numbers.remove(field) }
    set(field, String?.none)
  }

  mutating func set(_ field: Int, _ value: Double) { numbers.set(field, value) }

  mutating func set(_ field: Int, _ text: ScannedText, _ memory: inout DecoderMemory) {
    set(field, field == Field.pathName.rawValue ? memory.names.name(text) : text.string())
  }

  mutating func set(_ field: Int, _ text: String?) {
    switch Field(rawValue: field) {
    case .pathName: path = text
    case .driverName: driver = text
    case .subtypeName: subtype = text
    case .secondSubtypeName: secondSubtype = text
    case .serialNumberText: serialNumber = text
    case .parityName: parity = text
    case .hexadecimalText: hexadecimalData = text
    default: break
    }
  }

  func text(_ field: Int) -> String? {
    switch Field(rawValue: field) {
    case .pathName: path
    case .driverName: driver
    case .subtypeName: subtype
    case .secondSubtypeName: secondSubtype
    case .serialNumberText: serialNumber
    case .parityName: parity
    case .hexadecimalText: hexadecimalData
    default: nil
    }
  }

  // For a removed receiver, gpsd sends the number 0 as the activation time.
  static var writesEpochAsZero: Bool { true }
}

extension DeviceReport.Field {
  var specification: FieldSpecification {
    switch self {
    case .activation: .time("activated")
    case .flags: .integer("flags", .count)
    case .baudRate: .integer("bps", 0...1_000_000_000)
    case .stopBits: .integer("stopbits", 0...2)
    case .native: .integer("native", 0...255)
    case .cycle: .number("cycle", .seconds)
    case .minimumCycle: .number("mincycle", .seconds)
    case .isReadOnly: .flag("readonly")
    case .pathName: .text("path")
    case .driverName: .text("driver")
    case .subtypeName: .text("subtype")
    case .secondSubtypeName: .text("subtype1")
    case .serialNumberText: .text("sernum")
    case .parityName: .text("parity")
    case .hexadecimalText: .text("hexdata")
    case .className: .className
    }
  }
}

extension DeviceReport {
  /// When gpsd opened the receiver; nil if it is not open.
  public var activated: Date? { isRemoved ? nil : date(.activation) }

  /// Whether the report states that the device was removed: gpsd sends 0 as its activation time.
  public var isRemoved: Bool {
    self[.activation] == Date(timeIntervalSince1970: 0).timeIntervalSinceReferenceDate
  }
}

extension ClosedRange<Double> {
  /// A plausible period: up to a year.
  fileprivate static var seconds: Self { 0...31_557_600 }
}

extension DeviceReport {
  /// The kinds of data seen, as bits: 1 GNSS, 2 RTCM 2, 4 RTCM 3, 8 AIS.
  public var flags: Int? { integer(.flags) }
  /// The baud rate in bits per second.
  public var baudRate: Int? { integer(.baudRate) }
  /// The number of stop bits: 1 or 2.
  public var stopBits: Int? { integer(.stopBits) }
  /// The protocol: 0 NMEA, 1 the receiver's own.
  public var native: Int? { integer(.native) }
  /// The seconds between reports.
  public var cycle: Double? { self[.cycle] }
  /// The minimum of ``cycle`` in seconds, if it can be set.
  public var minimumCycle: Double? { self[.minimumCycle] }
  /// Whether gpsd was told not to write to the device.
  public var isReadOnly: Bool? { flag(.isReadOnly) }
}

extension DeviceReport {
  /// Creates a report; omitted fields are absent. An activation at the beginning of 1970 means that
  /// the device was removed.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` for a value that is not finite
  ///   or out of its range.
  public init(
    activated: Date? = nil, flags: Int? = nil, baudRate: Int? = nil, stopBits: Int? = nil,
    native: Int? = nil, cycle: Double? = nil, minimumCycle: Double? = nil, isReadOnly: Bool? = nil,
    path: String? = nil, driver: String? = nil, subtype: String? = nil,
    secondSubtype: String? = nil, serialNumber: String? = nil, parity: String? = nil,
    hexadecimalData: String? = nil
  ) throws(LocationError) {
    self.init()
    try put(.activation, activated)
    try put(.flags, flags)
    try put(.baudRate, baudRate)
    try put(.stopBits, stopBits)
    try put(.native, native)
    try put(.cycle, cycle)
    try put(.minimumCycle, minimumCycle)
    put(.isReadOnly, isReadOnly)
    put(.pathName, path)
    put(.driverName, driver)
    put(.subtypeName, subtype)
    put(.secondSubtypeName, secondSubtype)
    put(.serialNumberText, serialNumber)
    put(.parityName, parity)
    put(.hexadecimalText, hexadecimalData)
  }
}

extension DeviceReport: Codable {
  public init(from decoder: any Decoder) throws { try self.init(reading: decoder) }
  public func encode(to encoder: any Encoder) throws { try write(to: encoder) }
}
