import AsyncLocation

/// The content of a message, as far as a fleet needs it.
enum FleetMessage: Hashable, Sendable {
  case location(Location)
  /// The last will of a device: its connection to the broker ended.
  case lastWill
  /// Another kind of message, such as a waypoint.
  case other
  case malformed
}

/// The time at which messages arrived.
struct FleetTime: Hashable, Sendable {
  /// The host's wall clock in seconds since 2001.
  var wall: Double
  /// Nanoseconds on a clock that does not go backwards.
  var monotonic: Int64

  init(wall: Double, monotonic: Int64) { (self.wall, self.monotonic) = (wall, monotonic) }
}

/// The outcome of a message.
enum FleetOutcome: Hashable, Sendable {
  case delivered, lastWill, other, malformed, unexpectedTopic, oversized, rateLimited, refused
  case duplicate, stale, future

  /// Why a message of a device was dropped; nil if it was not, or is no device's.
  var dropReason: FleetDevice.DropReason? {
    switch self {
    case .malformed: .malformed
    case .oversized: .oversized
    case .rateLimited: .rateLimited
    case .duplicate: .duplicate
    case .stale: .stale
    case .future: .future
    case .delivered, .lastWill, .other, .unexpectedTopic, .refused: nil
    }
  }
}

extension FleetStatistics {
  mutating func count(_ outcome: FleetOutcome) {
    switch outcome {
    case .delivered: delivered += 1
    case .lastWill: wills += 1
    case .other: other += 1
    case .malformed: malformed += 1
    case .unexpectedTopic: unexpectedTopics += 1
    case .oversized: oversized += 1
    case .rateLimited: rateLimited += 1
    case .refused: refused += 1
    case .duplicate: duplicates += 1
    case .stale: stale += 1
    case .future: future += 1
    }
  }
}
