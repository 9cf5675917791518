public import AsyncLocation
import FoundationEssentials

/// An event at a time of a recorded track.
public struct TimedEvent: Sendable, Hashable {
  /// The time since the start of the track.
  public var offset: Duration
  /// What happened.
  public var event: BackendEvent

  /// Creates an event at a time of a track.
  public init(offset: Duration, event: BackendEvent) {
    self.offset = offset
    self.event = event
  }

  /// Locations at the times that their timestamps tell, the first at the start.
  ///
  /// ```swift
  /// let track = TimedEvent.track(recordedLocations)
  /// let backend = try MockBackend.replay(track, rate: 10, clock: ContinuousClock())
  /// ```
  ///
  /// A location older than the first one comes at the start.
  public static func track(_ locations: [Location]) -> [Self] {
    guard let start = locations.first?.timestamp else { return [] }
    return locations.map { location in
      let seconds = max(0, location.timestamp.timeIntervalSince(start))
      // To the microsecond: a date holds no more.
      let offset = Duration.microseconds(Int64((seconds * 1e6).rounded()))
      return Self(offset: offset, event: .location(location))
    }
  }
}
