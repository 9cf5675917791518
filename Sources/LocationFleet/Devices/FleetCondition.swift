public import AsyncLocation

/// A condition of a fleet, and the devices that it is for.
public struct FleetCondition: Sendable, Hashable {
  /// Which devices a condition is for.
  @nonexhaustive
  public enum Audience: Sendable, Hashable {
    /// All devices.
    case all
    /// The devices of these users.
    case users(Set<String>)
    /// These devices.
    case devices(Set<FleetDevice.ID>)

    /// Whether a condition for this audience is for a device.
    public func contains(_ device: FleetDevice.ID) -> Bool {
      switch self {
      case .all: true
      // Byte by byte, as a broker compares them.
      case .users(let users): users.contains { $0.hasSameBytes(as: device.user) }
      case .devices(let devices): devices.contains(device)
      }
    }
  }

  /// The name of the condition, unique in its fleet; 1...1,024 bytes without NUL.
  public var identifier: String
  /// The condition.
  public var condition: Condition
  /// The devices that it is for.
  public var audience: Audience

  /// Creates a condition, by default for all devices.
  public init(identifier: String, condition: Condition, audience: Audience = .all) {
    (self.identifier, self.condition, self.audience) = (identifier, condition, audience)
  }
}

/// What another set of conditions changed.
public struct FleetConditionDifference: Sendable, Hashable {
  /// The identifiers of conditions that were added.
  public var added: [String] = []
  /// The identifiers of conditions that another one replaced: their states are unknown.
  public var replaced: [String] = []
  /// The identifiers of conditions that are for other devices now: the states of the devices that they
  /// are still for go on.
  public var readdressed: [String] = []
  /// The identifiers of conditions that were removed.
  public var removed: [String] = []

  /// Creates a difference.
  public init(
    added: [String] = [], replaced: [String] = [], readdressed: [String] = [],
    removed: [String] = []
  ) {
    (self.added, self.replaced) = (added, replaced)
    (self.readdressed, self.removed) = (readdressed, removed)
  }

  /// Whether nothing changed.
  public var isEmpty: Bool {
    added.isEmpty && replaced.isEmpty && readdressed.isEmpty && removed.isEmpty
  }
}
