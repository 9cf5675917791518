public import FoundationEssentials

/// A receiver that a backend reports. Its texts are external input: escape them before printing.
public struct Receiver: Sendable, Hashable {
  /// The name by which ``UpdateOptions/device`` selects the receiver; gpsd's device path.
  public let name: String
  /// The detected protocol or chip family, such as "u-blox" or "NMEA0183".
  public let driver: String?
  /// The model and firmware as the receiver reports them.
  public let model: String?
  /// The time when the receiver was opened, within the years 1 to 9999; nil while it is not open.
  public let activated: Date?
  /// Bits per second on a serial line.
  public let baudRate: Int?
  /// The time between reports, with nanosecond precision.
  public let cycle: Duration?

  /// True while the backend has the receiver open.
  public var isActive: Bool { activated != nil }

  /// Creates the description of a receiver. A time outside the years 1 to 9999 is clamped.
  public init(
    name: String, driver: String? = nil, model: String? = nil, activated: Date? = nil,
    baudRate: Int? = nil, cycle: Duration? = nil
  ) {
    self.name = name
    self.driver = driver
    self.model = model
    self.activated = activated.map(Timestamp.nearest)
    self.baudRate = baudRate
    self.cycle = cycle.map(ExactSeconds.exact)
  }
}

/// Encoded with the property names; times are ISO 8601 in UTC, `cycle` is a number of seconds, and
/// absent members are omitted.
extension Receiver: Codable {
  private enum CodingKeys: String, CodingKey {
    case name, driver, model, activated, baudRate, cycle
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try values.decode(String.self, forKey: .name),
      driver: try values.decodeIfPresent(String.self, forKey: .driver),
      model: try values.decodeIfPresent(String.self, forKey: .model),
      activated: try values.decodeTimestampIfPresent(forKey: .activated),
      baudRate: try values.decodeIfPresent(Int.self, forKey: .baudRate),
      cycle: try values.decodeDurationIfPresent(forKey: .cycle))
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    try values.encodeIfPresent(driver, forKey: .driver)
    try values.encodeIfPresent(model, forKey: .model)
    try values.encodeIfPresent(activated.map(Timestamp.format), forKey: .activated)
    try values.encodeIfPresent(baudRate, forKey: .baudRate)
    try values.encodeIfPresent(cycle.map(ExactSeconds.number), forKey: .cycle)
  }
}
