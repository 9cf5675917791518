package import AsyncLocation

/// Counts of a fleet's messages since it was created.
///
/// Each message has one outcome: ``messages`` is the sum of ``delivered``, ``wills``, ``other``,
/// ``malformed``, ``unexpectedTopics``, ``oversized``, ``rateLimited``, ``refused``,
/// ``duplicates``, ``stale``, ``future``, ``encrypted`` and ``undecryptable``, and of the locations
/// that wait for an earlier one, or whose device was forgotten while they waited.
public struct FleetStatistics: Sendable, Hashable {
  /// All messages.
  public internal(set) var messages: UInt64 = 0
  /// The size of all messages in bytes, with their topics.
  public internal(set) var bytes: UInt64 = 0
  /// Retained messages, which the broker stores for new subscribers. Each is also counted by its
  /// outcome.
  public internal(set) var retained: UInt64 = 0

  /// Locations that were delivered.
  public internal(set) var delivered: UInt64 = 0
  /// Last wills: a device went offline.
  public internal(set) var wills: UInt64 = 0
  /// Messages of other kinds, such as waypoints and cards; messages on other topics below a
  /// device's topic; and empty messages, which remove a retained location.
  public internal(set) var other: UInt64 = 0
  /// Messages that are not OwnTracks JSON, or have no valid position or time.
  public internal(set) var malformed: UInt64 = 0
  /// Messages whose topic does not name a device under the fleet's filter, or whose device name is
  /// not text, has control characters or exceeds ``FleetLimits/nameLength``.
  public internal(set) var unexpectedTopics: UInt64 = 0
  /// Messages that exceeded ``FleetLimits/payloadLength``.
  public internal(set) var oversized: UInt64 = 0
  /// Messages beyond ``FleetLimits/messagesPerSecond``, and messages of unknown devices while too
  /// many of those messages add no device. They were not decoded, except for a few short messages
  /// that could be a last will.
  public internal(set) var rateLimited: UInt64 = 0
  /// Messages of new devices beyond ``FleetLimits/devices``.
  public internal(set) var refused: UInt64 = 0
  /// Locations with the same time as the device's last delivered location: sent again, because
  /// delivery is at least once, or retained. In a group, also all retained messages, since each
  /// member may receive them.
  public internal(set) var duplicates: UInt64 = 0
  /// Locations older than the device's last delivered location.
  public internal(set) var stale: UInt64 = 0
  /// Locations that waited for an earlier one of their device, which had not arrived yet; see
  /// ``FleetLimits/gapTimeout``. Each is also counted by its outcome, once it no longer waits.
  public internal(set) var waited: UInt64 = 0
  /// Locations further in the future than ``FleetLimits/futureTolerance``.
  public internal(set) var future: UInt64 = 0
  /// Encrypted messages of devices without a key in ``FleetConfiguration/keys``.
  public internal(set) var encrypted: UInt64 = 0
  /// Encrypted messages that the device's key does not decrypt.
  public internal(set) var undecryptable: UInt64 = 0

  /// Locations missing from the history, because the storage failed while more than
  /// ``FleetLimits/unstoredChanges`` waited, or when the fleet ended.
  public internal(set) var unstored: UInt64 = 0
  /// Events that were discarded beyond ``FleetLimits/unfinishedEvents``.
  public internal(set) var discardedEvents: UInt64 = 0

  /// Confirmations of stored locations that the broker has acknowledged. Each has the times of one
  /// or more locations of a device.
  public internal(set) var confirmations: UInt64 = 0
  /// Confirmations that the broker has refused, for example because its rules do not permit the
  /// topic, and those that were in flight when a connection ended. The devices then send their
  /// locations again. With MQTT 3.1.1, a broker may acknowledge a confirmation that it refuses.
  public internal(set) var refusedConfirmations: UInt64 = 0

  /// Devices that were forgotten because of ``FleetLimits/silence`` or ``Fleet/forget(_:)``.
  public internal(set) var forgottenDevices: UInt64 = 0

  /// Messages that the broker has dropped, for any of its clients, since the fleet first connected.
  ///
  /// A broker drops messages when a queue or a socket is full. They did not arrive, so ``messages``
  /// does not include them. Mosquitto publishes the number every ten seconds as
  /// `$SYS/broker/publish/messages/dropped`. The count remains zero with a broker that does not
  /// publish the number or refuses the topic. It also remains zero without reconnection: the topic
  /// is not requested then, since a broker may refuse it by closing the connection.
  public internal(set) var droppedByBroker: UInt64 = 0

  /// Creates statistics with all counts zero.
  public init() {}

  /// The counts since earlier statistics of the same fleet.
  public func since(_ earlier: FleetStatistics) -> FleetStatistics {
    var change = FleetStatistics()
    for (_, path) in Self.counts {
      change[keyPath: path] = self[keyPath: path] &- earlier[keyPath: path]
    }
    return change
  }
}

/// A missing count is decoded as 0.
extension FleetStatistics: TabulatedValue {
  private typealias Count = any WritableKeyPath<Self, UInt64> & Sendable

  private static let counts: [(name: String, path: Count)] = [
    ("messages", \.messages),
    ("bytes", \.bytes),
    ("retained", \.retained),
    ("delivered", \.delivered),
    ("wills", \.wills),
    ("other", \.other),
    ("malformed", \.malformed),
    ("unexpectedTopics", \.unexpectedTopics),
    ("oversized", \.oversized),
    ("rateLimited", \.rateLimited),
    ("refused", \.refused),
    ("duplicates", \.duplicates),
    ("stale", \.stale),
    ("waited", \.waited),
    ("future", \.future),
    ("encrypted", \.encrypted),
    ("undecryptable", \.undecryptable),
    ("unstored", \.unstored),
    ("discardedEvents", \.discardedEvents),
    ("confirmations", \.confirmations),
    ("refusedConfirmations", \.refusedConfirmations),
    ("forgottenDevices", \.forgottenDevices),
    ("droppedByBroker", \.droppedByBroker),
  ]

  package static let standard = Self()
  package static let table = counts.map { TabulatedMember($0.name, $0.path) }
}
