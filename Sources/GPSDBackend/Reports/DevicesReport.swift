/// gpsd's DEVICES: the list of its receivers.
public struct DevicesReport: Sendable, Hashable {
  package enum Field: Int, ReportField {
    case deviceList, remoteName, className
  }

  /// The receivers, in gpsd's order.
  public internal(set) var devices: [DeviceReport] = []
  /// The daemon that sent the report, if it is not the connected one.
  public private(set) var remote: String?
  var unknown = UnknownMembers()
  /// Members without a property here, such as those of a later gpsd, by name; see ``JSONValue``.
  public var unknownMembers: [String: JSONValue] { unknown.all }

  init() {}
}

extension DevicesReport: ReportFields {
  static let className: String? = "DEVICES"
  static let specifications = Field.allCases.map(\.specification)
  static let table = FieldTable(specifications)

  func number(_ field: Int) -> Double? { nil }

  mutating func remove(_ field: Int) {
    switch Field(rawValue: field) {
    case .deviceList: devices = []
    default: set(field, String?.none)
    }
  }

  mutating func set(_ field: Int, _ value: Double) {}

  mutating func set(_ field: Int, _ text: ScannedText, _ memory: inout DecoderMemory) {
    set(field, text.string())
  }

  mutating func set(_ field: Int, _ text: String?) {
    if field == Field.remoteName.rawValue { remote = text }
  }

  func text(_ field: Int) -> String? {
    field == Field.remoteName.rawValue ? remote : nil
  }

  func list(_ field: Int) -> [Any]? { devices }

  mutating func add(
    _ field: Int, _ scanner: inout JSONScanner, _ memory: inout DecoderMemory
  ) throws(JSONScanner.Fault) {
    guard devices.count < Self.maximumListLength else { return try scanner.skipValue(depth: 2) }
    var device = DeviceReport()
    // The class of an element is not checked, because it is known.
    _ = try scanner.fields(of: &device, in: DeviceReport.table, depth: 3, &memory)
    devices.append(device)
  }

  func encodeList(_ field: Int, to container: inout FieldEncoding) throws {
    try container.encode(devices, forKey: .of(Self.specifications[field]))
  }

  mutating func decodeList(_ field: Int, from container: FieldDecoding) {
    devices = container.list(of: DeviceReport.self, Self.specifications[field]) ?? []
  }
}

extension DevicesReport.Field {
  var specification: FieldSpecification {
    switch self {
    case .deviceList: .list("devices")
    case .remoteName: .text("remote")
    case .className: .className
    }
  }
}

extension DevicesReport {
  /// Creates a report; omitted fields are absent.
  public init(
    devices: [DeviceReport] = [], remote: String? = nil
  ) {
    self.init()
    self.devices = devices
    put(.remoteName, remote)
  }
}

extension DevicesReport: Codable {
  public init(from decoder: any Decoder) throws { try self.init(reading: decoder) }
  public func encode(to encoder: any Encoder) throws { try write(to: encoder) }
}
