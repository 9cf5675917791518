public import FoundationEssentials

/// A constraint on the identity of beacons: an identifier, and optionally a group and one beacon of
/// that group.
public struct BeaconIdentityConstraint: Sendable, Hashable, Codable {
  /// The identifier that all beacons of an owner share.
  public let uuid: UUID
  /// The group of beacons; nil for every group.
  public let major: UInt16?
  /// The beacon within the group; nil for every beacon, and if ``major`` is nil.
  public let minor: UInt16?

  /// Creates a constraint. Without `major`, `minor` is ignored.
  public init(uuid: UUID, major: UInt16? = nil, minor: UInt16? = nil) {
    self.uuid = uuid
    self.major = major
    self.minor = major == nil ? nil : minor
  }

  /// Decodes a constraint, ignoring a `minor` without `major`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      uuid: try values.decode(UUID.self, forKey: .uuid),
      major: try values.decodeIfPresent(UInt16.self, forKey: .major),
      minor: try values.decodeIfPresent(UInt16.self, forKey: .minor))
  }

  /// True when a beacon satisfies the constraint.
  public func matches(_ beacon: Beacon) -> Bool {
    beacon.uuid == uuid && (major == nil || beacon.major == major)
      && (minor == nil || beacon.minor == minor)
  }
}
