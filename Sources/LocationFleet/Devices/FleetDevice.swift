public import AsyncLocation

/// A device of a fleet and its known state.
public struct FleetDevice: Sendable, Hashable, Identifiable {
  /// Whether a device is connected to the broker.
  @nonexhaustive
  public enum Presence: String, Sendable, Hashable, Codable, CaseIterable {
    /// No last will has arrived, and no location except retained ones; or messages may have been
    /// missed since.
    case unknown
    /// The device has sent a location.
    case online
    /// The broker has sent the device's last will: its connection ended.
    case offline
  }

  /// The user and the name of the device, from the topic.
  public let id: ID
  /// The last delivered location; nil if there is none.
  public let location: Location?
  /// Whether the device is connected to the broker.
  public let presence: Presence
  /// The time from the arrival of the device's last location, delivered or not, until this value
  /// was created. Retained locations do not count; nil if no other has arrived.
  public let silence: Duration?
  /// The counts of the device's dropped messages. If `FleetConfiguration.group` is set, ignored
  /// retained messages are not included.
  public let drops: Drops
  /// Whether the device's last message was encrypted and could not be decrypted: there is no key,
  /// the key is wrong, or the message was altered. See `FleetConfiguration.keys`.
  public let isUnreadable: Bool

  /// Creates a device, for tests.
  public init(
    id: ID, location: Location? = nil, presence: Presence = .unknown, silence: Duration? = nil,
    drops: Drops = Drops(), isUnreadable: Bool = false
  ) {
    (self.id, self.location, self.presence, self.silence) = (id, location, presence, silence)
    (self.drops, self.isUnreadable) = (drops, isUnreadable)
  }
}

extension FleetDevice: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("id", id), DescribedMember("location", location),
      DescribedMember("presence", presence), DescribedMember("silence", silence),
      DescribedMember("drops", drops.total > 0 ? drops : nil),
      DescribedMember("isUnreadable", isUnreadable ? true : nil),
    ]
  }
}
