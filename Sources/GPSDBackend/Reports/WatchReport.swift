public import AsyncLocation

/// gpsd's WATCH: what it will send, as it understood the request.
public struct WatchReport: Sendable, Hashable {
  package enum Field: Int, ReportField {
    case isEnabled, json, nmea, raw, scaled, timing, split24, pps
    /// Not numbers: of use to the decoder alone.
    case deviceName, remoteName, className
  }

  private var numbers = Numbers<8>()
  /// The one receiver that is watched; nil for all.
  public private(set) var device: String?
  /// The daemon that reports, when it is not the one that is connected.
  public private(set) var remote: String?
  var unknown = UnknownMembers()
  /// Members that have no property here, such as a later gpsd's, by name; see ``JSONValue``.
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
  /// As JSON.
  public var json: Bool? { flag(.json) }
  /// As NMEA, made of binary packets too.
  public var nmea: Bool? { flag(.nmea) }
  /// What the receiver sends: 0 not, 1 with binary packets in hexadecimal, 2 as it is.
  public var raw: Int? { integer(.raw) }
  /// Whether AIS and subframes are scaled to units.
  public var scaled: Bool? { flag(.scaled) }
  /// Whether reports tell how they were timed; for gpsd's developers.
  public var timing: Bool? { flag(.timing) }
  /// Whether the parts of AIS' type 24 come apart.
  public var split24: Bool? { flag(.split24) }
  /// Whether TOFF and PPS are sent.
  public var pps: Bool? { flag(.pps) }
}

extension WatchReport {
  /// Creates a report; what is not given is absent.
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
