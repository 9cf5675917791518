import AsyncLocation
import OwnTracks

/// The content of a message, as far as a fleet needs it.
enum FleetContent: Hashable, Sendable {
  /// - Parameter request: The device's request for a confirmation; nil without one.
  case location(Location, request: ConfirmationRequest? = nil)
  /// The last will of a device: its connection to the broker ended.
  case lastWill
  /// Another kind of message, such as a waypoint.
  case other
  case malformed
  /// An encrypted message that is not decrypted yet, or whose device has no known key.
  case encrypted
  /// A message that the device's key does not decrypt.
  case undecryptable
}

extension FleetContent {
  /// The time of the unconfirmed location that the device sent before this one; nil without one.
  var previous: LocationTime? {
    switch self {
    case .location(_, let request): request?.previous
    case .lastWill, .other, .malformed, .encrypted, .undecryptable: nil
    }
  }

  /// Decodes the complete message; returns nil for a message that is not delivered. The content
  /// becomes malformed if a required member is absent or invalid.
  mutating func message(of payload: Span<UInt8>) -> OwnTracksMessage? {
    switch self {
    case .malformed, .encrypted, .undecryptable: return nil
    case .location, .lastWill, .other:
      guard let message = try? OwnTracksMessage(copying: payload) else {
        self = .malformed
        return nil
      }
      return message
    }
  }
}

/// The time at which messages arrived.
struct FleetTime: Hashable, Sendable {
  /// The host's wall clock in seconds since 2001.
  var wall: Double
  /// Nanoseconds of a monotonic clock.
  var monotonic: Int64

  init(wall: Double, monotonic: Int64) { (self.wall, self.monotonic) = (wall, monotonic) }
}

/// The outcome of a message.
enum FleetOutcome: Hashable, Sendable {
  case delivered, lastWill, other, malformed, unexpectedTopic, oversized, rateLimited, refused
  case duplicate, stale, future, encrypted, undecryptable

  /// Why a message of a device was dropped; nil if it was not dropped, or does not belong to a
  /// known device.
  var dropReason: FleetDevice.DropReason? {
    switch self {
    case .malformed: .malformed
    case .oversized: .oversized
    case .rateLimited: .rateLimited
    case .duplicate: .duplicate
    case .stale: .stale
    case .future: .future
    case .encrypted: .encrypted
    case .undecryptable: .undecryptable
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
    case .encrypted: encrypted += 1
    case .undecryptable: undecryptable += 1
    }
  }
}
