public import AsyncLocation

/// gpsd's WATCH: the report options that are in effect after a request.
public struct WatchReport: Sendable, Hashable {
  package enum Field: Int, ReportField {
    case isEnabled, json, nmea, raw, scaled, timing, split24, pps
    /// Fields that are not numbers; used only by the decoder.
    case deviceName, remoteName, className
  }

  private var numbers = Numbers<8>()
  /// The only receiver that is watched; nil for all.
  public private(set) var device: String?
  /// The daemon that sent the report, if it is not the connected one.
  public private(set) var remote: String?
  var unknown = UnknownMembers()
  /// Members without a property here, such as those of a later gpsd, by name; see ``JSONValue``.
  public var unknownMembers: [String: JSONValue] { unknown.all }

  init() {}

  package subscript(_ field: Field) -> Double? { numbers[field.rawValue] }
}

extension WatchReport: ReportFields {
  static let className: String? = "WATCH"
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
    case .remoteName: remote = text
    default: break
    }
  }

  func text(_ field: Int) -> String? {
    switch Field(rawValue: field) {
    case .deviceName: device
    case .remoteName: remote
    default: nil
    }
  }
}

extension WatchReport.Field {
  var specification: FieldSpecification {
    switch self {
    case .isEnabled: .flag("enable")
    case .json: .flag("json")
    case .nmea: .flag("nmea")
    case .raw: .integer("raw", 0...255)
    case .scaled: .flag("scaled")
    case .timing: .flag("timing")
    case .split24: .flag("split24")
    case .pps: .flag("pps")
    case .deviceName: .text("device")
    case .remoteName: .text("remote")
    case .className: .className
    }
  }
}

extension WatchReport {
  /// Whether reports are sent.
  public var isEnabled: Bool? { flag(.isEnabled) }
  /// Whether reports are sent as JSON.
  public var json: Bool? { flag(.json) }
  /// Whether reports are sent as NMEA, with binary packets converted.
  public var nmea: Bool? { flag(.nmea) }
  /// How raw data is sent: 0 not at all, 1 with binary packets in hexadecimal, 2 unchanged.
  public var raw: Int? { integer(.raw) }
  /// Whether fields of AIS and SUBFRAME are scaled to units.
  public var scaled: Bool? { flag(.scaled) }
  /// Whether reports include timing information for gpsd's developers.
  public var timing: Bool? { flag(.timing) }
  /// Whether AIS type 24 reports are sent for single parts; see ``ReportOptions/split24``.
  public var split24: Bool? { flag(.split24) }
  /// Whether TOFF and PPS are sent.
  public var pps: Bool? { flag(.pps) }
}

extension WatchReport {
  /// Creates a report; omitted fields are absent.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` for a value that is not finite
  ///   or out of its range.
  public init(
    device: String? = nil, isEnabled: Bool? = nil, json: Bool? = nil, nmea: Bool? = nil,
    raw: Int? = nil, scaled: Bool? = nil, timing: Bool? = nil, split24: Bool? = nil,
    pps: Bool? = nil, remote: String? = nil
  ) throws(LocationError) {
    self.init()
    put(.deviceName, device)
    put(.isEnabled, isEnabled)
    put(.json, json)
    put(.nmea, nmea)
    try put(.raw, raw)
    put(.scaled, scaled)
    put(.timing, timing)
    put(.split24, split24)
    put(.pps, pps)
    put(.remoteName, remote)
  }
}

extension WatchReport: Codable {
  public init(from decoder: any Decoder) throws { try self.init(reading: decoder) }
  public func encode(to encoder: any Encoder) throws { try write(to: encoder) }
}
