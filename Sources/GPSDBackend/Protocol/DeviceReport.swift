package import FoundationEssentials

/// gpsd's DEVICE: a receiver, how it is connected and what it is.
package struct DeviceReport: Sendable, Equatable {
  package enum Field: Int, Sendable, CaseIterable {
    /// Seconds since 2001, UTC; see ``DeviceReport/activated``.
    case activation
    /// Bits for what was seen: 1 GNSS, 2 RTCM 2, 4 RTCM 3, 8 AIS.
    case flags
    /// Bits a second.
    case baudRate
    case stopBits
    /// 0 NMEA, 1 the receiver's own protocol.
    case native
    /// Seconds between reports, now and at the least.
    case cycle, minimumCycle
    /// 1 when gpsd was told not to write to it.
    case isReadOnly
    /// Not kept: of use to the decoder alone.
    case pathName, driverName, subtypeName, secondSubtypeName, parityName, className
  }

  private var numbers = Numbers<8>()
  /// Its name; what reports call `device`.
  package private(set) var path: String?
  /// gpsd's name for its protocol or chip family.
  package private(set) var driver: String?
  /// What it says of its model and firmware.
  package private(set) var subtype: String?
  /// More of that.
  package private(set) var secondSubtype: String?
  /// "N", "O" or "E".
  package private(set) var parity: String?

  init() {}

  package subscript(_ field: Field) -> Double? { numbers[field.rawValue] }

  /// When it was opened; nil while it is not.
  package var activated: Date? {
    guard
      let date = numbers[Field.activation.rawValue].map(Date.init(timeIntervalSinceReferenceDate:)),
      date != Date(timeIntervalSince1970: 0)
    else { return nil }
    return date
  }

  /// True when the report says that the device is gone: gpsd writes the number 0 for its time.
  package var isRemoved: Bool {
    numbers[Field.activation.rawValue]
      == Date(timeIntervalSince1970: 0).timeIntervalSinceReferenceDate
  }
}

extension DeviceReport: ReportFields {
  static let className: String? = "DEVICE"
  static let table = FieldTable(Field.allCases.map(\.specification))

  mutating func remove(_ field: Int) {
    guard field >= Field.pathName.rawValue else { return numbers.remove(field) }
    set(field, nil)
  }

  mutating func set(_ field: Int, _ value: Double) { numbers.set(field, value) }

  mutating func set(_ field: Int, _ text: ScannedText, _ names: inout NameCache) {
    set(field, field == Field.pathName.rawValue ? names.name(text) : text.string())
  }

  private mutating func set(_ field: Int, _ text: String?) {
    switch Field(rawValue: field) {
    case .pathName: path = text
    case .driverName: driver = text
    case .subtypeName: subtype = text
    case .secondSubtypeName: secondSubtype = text
    case .parityName: parity = text
    default: break
    }
  }
}

extension DeviceReport.Field {
  fileprivate var specification: FieldSpecification {
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
    case .parityName: .text("parity")
    case .className: .className
    }
  }
}

extension ClosedRange<Double> {
  /// A period that is no mistake: up to a year.
  fileprivate static var seconds: Self { 0...31_557_600 }
}

/// gpsd's DEVICES: the receivers that it has.
package struct DevicesReport: Sendable, Equatable {
  package private(set) var devices: [DeviceReport] = []
  /// The daemon that reports, when it is not the one that is connected.
  package private(set) var remote: String?

  init() {}
}

extension DevicesReport: ReportFields {
  private enum Field: Int, CaseIterable { case devices, remote, className }

  static let className: String? = "DEVICES"
  static let table = FieldTable([.list("devices"), .text("remote"), .className])

  mutating func remove(_ field: Int) {
    switch Field(rawValue: field) {
    case .devices: devices = []
    case .remote: remote = nil
    case .className, nil: break
    }
  }

  mutating func set(_ field: Int, _ value: Double) {}

  mutating func set(_ field: Int, _ text: ScannedText, _ names: inout NameCache) {
    remote = text.string()
  }

  mutating func add(
    _ field: Int, _ scanner: inout JSONScanner, _ names: inout NameCache
  ) throws(JSONScanner.Fault) {
    guard devices.count < Self.maximumListLength else { return try scanner.skipValue(depth: 2) }
    var device = DeviceReport()
    // An element's class says nothing new, so it is not asked for.
    _ = try scanner.fields(of: &device, in: DeviceReport.table, depth: 3, &names)
    devices.append(device)
  }
}
