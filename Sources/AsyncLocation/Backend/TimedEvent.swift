import FoundationEssentials

/// An event at an offset from the start of a recorded track.
public struct TimedEvent: Sendable, Hashable {
  /// The time since the start of the recorded track.
  public var offset: Duration
  /// The event.
  public var event: BackendEvent

  /// Creates an event at an offset.
  public init(offset: Duration, event: BackendEvent) {
    self.offset = offset
    self.event = event
  }

  /// Creates a track from locations, with offsets computed from their timestamps; the first is at
  /// offset zero.
  ///
  /// ```swift
  /// let track = TimedEvent.track(recordedLocations)
  /// let backend = try MockBackend.replay(track, rate: 10, clock: ContinuousClock())
  /// ```
  ///
  /// A location older than the first one has offset zero.
  public static func track(_ locations: [Location]) -> [Self] {
    guard let start = locations.first?.timestamp else { return [] }
    return locations.map { location in
      let seconds = max(0, location.timestamp.timeIntervalSince(start))
      // Rounded to microseconds, because the difference of two timestamps is inexact as a `Double`.
      let offset = Duration.microseconds(Int64((seconds * 1e6).rounded()))
      return Self(offset: offset, event: .location(location))
    }
  }
}

extension TimedEvent: Described {
  package var members: [DescribedMember] {
    [DescribedMember("offset", offset), DescribedMember("event", event)]
  }
}
