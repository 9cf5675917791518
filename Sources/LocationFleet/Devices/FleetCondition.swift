public import AsyncLocation

/// A condition of a fleet, and the devices that it applies to.
public struct FleetCondition: Sendable, Hashable {
  /// The devices that a condition applies to.
  @nonexhaustive
  public enum Audience: Sendable, Hashable {
    /// All devices.
    case all
    /// All devices of these users. User names are compared byte by byte.
    case users(Set<String>)
    /// These devices.
    case devices(Set<FleetDevice.ID>)

    /// Whether a condition with this audience applies to a device.
    public func contains(_ device: FleetDevice.ID) -> Bool {
      switch self {
      case .all: true
      // `Set` compares strings by canonical equivalence; a broker compares bytes.
      case .users(let users):
        users.firstIndex(of: device.user).map { users[$0].hasSameBytes(as: device.user) } ?? false
      case .devices(let devices): devices.contains(device)
      }
    }

    /// Whether another audience contains all devices of this one.
    package func isSubset(of other: Self) -> Bool {
      switch (self, other) {
      case (_, .all): true
      case (.all, _): false
      case (.users(let own), .users(let others)):
        own.allSatisfy { user in
          others.firstIndex(of: user).map { others[$0].hasSameBytes(as: user) } ?? false
        }
      case (.devices(let devices), _): devices.allSatisfy(other.contains)
      case (.users, .devices): false
      }
    }
  }

  /// Checks the user names of the audience.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` for a user name that no device
  ///   can have.
  package func checkAudience() throws(LocationError) {
    guard case .users(let users) = audience,
      let invalidUser = users.first(where: { !TopicText.isLevel($0.utf8.span) })
    else { return }
    throw LocationError(
      .invalidValue,
      "The audience of a condition has a user that no device can have: \"\(String(printable: invalidUser))\"."
    )
  }

  /// The name of the condition, unique in its fleet; 1...1,024 bytes without NUL.
  public var identifier: String
  /// The condition.
  public var condition: Condition
  /// The devices that the condition applies to.
  public var audience: Audience

  /// Creates a condition, by default for all devices.
  public init(identifier: String, condition: Condition, audience: Audience = .all) {
    (self.identifier, self.condition, self.audience) = (identifier, condition, audience)
  }
}

/// The differences between two sets of conditions.
public struct FleetConditionDifference: Sendable, Hashable {
  /// The identifiers of conditions that were added.
  public var added: [String] = []
  /// The identifiers of conditions that were replaced. Their states are unknown.
  public var replaced: [String] = []
  /// The identifiers of conditions whose audience changed. Devices in both audiences keep their
  /// states.
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
