import LocationFleet

/// The retained locations that wait until the broker has sent what it kept for a session. Pure.
///
/// A broker sends retained messages when a client subscribes, before most of the messages that
/// waited for its session. Accepted at once, the last location of a device would make those between
/// late, so that they would be neither delivered nor compared with the conditions.
struct HeldRetained: Sendable {
  /// Nanoseconds without a message after which the broker has sent all.
  static let quiet: Int64 = 2_000_000_000
  /// The maximum number of locations; further ones are accepted at once.
  static let limit = 1 << 17
  /// The number of locations after which the release is interrupted.
  private static let releaseLimit = 4_096

  /// The last one of each topic.
  private var messages: [[UInt8]: DeferredMessage] = [:]
  /// When the session was resumed; nil when nothing is held.
  private var start: Int64?
  private var lastArrival: Int64 = 0
  /// The longest time for which locations are held, in nanoseconds.
  private let longest: Int64

  init(longest: Int64) { self.longest = longest }

  /// When ``takeDue(at:)`` is next due, in nanoseconds; nil if nothing is held.
  var deadline: Int64? {
    start.map { min(lastArrival + Self.quiet, $0 + longest) }
  }

  /// Begins to hold retained locations.
  mutating func begin(at now: Int64) {
    guard longest > 0 else { return }
    (start, lastArrival) = (start ?? now, now)
  }

  /// Handles the arrival of any message.
  mutating func arrived(at now: Int64) { lastArrival = now }

  /// Returns false if the location is not held.
  mutating func add(_ message: DeferredMessage) -> Bool {
    guard start != nil, messages.count < Self.limit else { return false }
    messages[message.topic] = message
    return true
  }

  /// Removes and returns locations if it is time, and then holds no others.
  mutating func takeDue(at now: Int64) -> [DeferredMessage] {
    guard let deadline, now >= deadline else { return [] }
    let topics = messages.keys.prefix(Self.releaseLimit)
    let due = topics.compactMap { messages.removeValue(forKey: $0) }
    if messages.isEmpty { start = nil }
    return due
  }

  /// Removes the location of a device.
  mutating func remove(_ device: FleetDevice.ID) {
    let end = Array("/\(device.name)".utf8)
    messages = messages.filter { !$0.key.suffix(end.count).elementsEqual(end) }
  }

  /// Removes all locations: the broker still has them.
  mutating func removeAll() { (messages, start) = ([:], nil) }
}
