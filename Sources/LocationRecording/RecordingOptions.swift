public import FoundationEssentials

/// Options for reading a recording.
public struct RecordingOptions: Hashable, Sendable {
  /// The time of the first event of a recording without dates. Later events follow it at their
  /// pace: that of the times of the day if there are any, else a second for each location.
  ///
  /// Such events have the time source `host`. Dates of NMEA 0183 more than ten years after this
  /// time are not trusted.
  public var start: Date
  /// The maximum number of events, and of waypoints, that a ``Recording`` keeps.
  public var maximumEventCount: Int
  /// Whether reading a cut or damaged recording returns the content before the damage, with the
  /// error in ``Recording/failure`` or ``RecordingReader/failure``. False, the default, throws the
  /// error.
  ///
  /// A recording of which nothing can be read throws in any case.
  public var keepsReadablePart: Bool

  /// Creates options.
  public init(
    start: Date = Date(), maximumEventCount: Int = 10_000_000, keepsReadablePart: Bool = false
  ) {
    (self.start, self.maximumEventCount) = (start, maximumEventCount)
    self.keepsReadablePart = keepsReadablePart
  }
}
