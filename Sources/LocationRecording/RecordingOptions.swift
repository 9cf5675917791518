public import FoundationEssentials

/// Options for reading a recording.
public struct RecordingOptions: Hashable, Sendable {
  /// The time of the first event of a recording without dates. Later events are spaced by their
  /// times of day if there are any, else by one second for each location.
  ///
  /// Such events have the time source `host`. NMEA 0183 dates more than ten years after this time
  /// are ignored.
  public var start: Date
  /// The maximum number of events, and of waypoints, of a ``Recording``. More of them are an error.
  public var maximumEventCount: Int
  /// Whether reading a truncated or damaged recording returns the content before the damage, with
  /// the error in ``Recording/failure`` or ``RecordingReader/failure``. If false, the default, the
  /// error is thrown.
  ///
  /// If nothing of a recording can be read, the error is thrown in any case.
  public var keepsReadablePart: Bool

  /// Creates options.
  public init(
    start: Date = Date(), maximumEventCount: Int = 10_000_000, keepsReadablePart: Bool = false
  ) {
    (self.start, self.maximumEventCount) = (start, maximumEventCount)
    self.keepsReadablePart = keepsReadablePart
  }
}
