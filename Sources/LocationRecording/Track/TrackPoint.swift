public import AsyncLocation

/// A location of a track, and whether a segment begins with it.
///
/// Tracks are read, counted and written as a sequence of points: ``TrackSegmentation`` creates a
/// point from a location; ``TrackStatistics`` and ``RecordingWriter`` accept points.
public struct TrackPoint: Sendable, Hashable {
  /// The reason that a segment begins.
  @nonexhaustive
  public enum Beginning: String, Sendable, Hashable, Codable, CaseIterable {
    /// A recording begins.
    case start
    /// The source reported a loss of its fix, or a recorder lost locations.
    case loss
    /// There was no location for longer than ``TrackOptions/maximumInterval``.
    case interval
    /// The location is farther than ``TrackOptions/maximumDistance`` from the previous one.
    case distance
    /// Another receiver took over, and the error of one covers the position of the other: the
    /// difference is not a movement.
    case receiver
    /// The location is older than the previous one.
    case earlierTime
    /// A longer segment was divided or clipped here; there is no gap.
    case division
  }

  /// The position and its measurements.
  public var location: Location
  /// The reason that a segment begins here; nil within a segment.
  public var beginning: Beginning?
  private var boxedSensors: SensorBox?

  /// The number of locations before this one that a recorder could not store. A recorder begins a
  /// segment after lost locations.
  public var lostCount: Int

  /// The readings of other sensors at this point; nil for none.
  public var sensors: SensorReadings? {
    get { boxedSensors?.readings }
    set { boxedSensors = newValue.map(SensorBox.init) }
  }

  /// Creates a point.
  public init(
    _ location: Location, beginning: Beginning? = nil, lostCount: Int = 0,
    sensors: SensorReadings? = nil
  ) {
    (self.location, self.beginning, self.lostCount) = (location, beginning, lostCount)
    boxedSensors = sensors.map(SensorBox.init)
  }

  /// The reason that a segment begins with this point, after another location; nil if the point
  /// continues the segment. Times never decrease within a segment.
  func beginning(after last: Location?) -> Beginning? {
    if let beginning { return beginning }
    guard let last else { return .start }
    return location.timestampSeconds < last.timestampSeconds ? .earlierTime : nil
  }
}
