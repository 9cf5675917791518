public import FoundationEssentials

/// A receiver that a backend knows of. Its texts come from outside: escape before printing.
public struct Receiver: Sendable, Hashable {
  /// Its name, by which ``UpdateOptions/device`` chooses it; gpsd's device path.
  public let name: String
  /// The protocol or chip family that was recognised, such as "u-blox" or "NMEA0183".
  public let driver: String?
  /// What the receiver says of its own model and firmware.
  public let model: String?
  /// When it was opened, within the years 1 to 9999; nil while it is not.
  public let activated: Date?
  /// Bits a second on a serial line.
  public let baudRate: Int?
  /// The time between its reports, to the nanosecond.
  public let cycle: Duration?

  /// True while the backend has it open.
  public var isActive: Bool { activated != nil }

  /// Creates the description of a receiver. A time beyond the years 1 to 9999 becomes the nearest
  /// of them.
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
