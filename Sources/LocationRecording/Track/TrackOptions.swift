package import AsyncLocation

/// The limits that interrupt a track, and the receiver that the track follows.
public struct TrackOptions: Sendable, Hashable {
  /// The longest time between two locations of one segment. A longer time begins the next segment.
  /// A receiver that reports the loss of its fix ends the segment at once.
  ///
  /// Nil, the default, for ``TrackPace/maximumInterval`` of the recording: a minute, or five times
  /// the median interval if that is longer. During a recording, the pace is that of its locations
  /// so far.
  public var maximumInterval: Duration?
  /// The greatest distance in metres between two locations of one segment; nil, the default, for no
  /// limit.
  public var maximumDistance: Double?
  /// The receiver to follow; nil, the default, for the receiver that the source prefers, or all
  /// receivers if it prefers none, as in recordings in GPX, GeoJSON and CSV.
  public var device: String?

  /// Creates options.
  public init(
    maximumInterval: Duration? = nil, maximumDistance: Double? = nil, device: String? = nil
  ) {
    (self.maximumInterval, self.maximumDistance) = (maximumInterval, maximumDistance)
    self.device = device
  }
}

extension TrackOptions {
  /// Whether the track follows the receiver of a location.
  package func isFollowed(_ location: Location) -> Bool {
    let source = location.sourceInformation
    if let device { return source?.device == device }
    return source?.isPreferred ?? true
  }

  /// The options with a ``maximumInterval``; if it is nil, the first locations determine it.
  package func fitting(_ locations: some Sequence<Location>) -> Self {
    guard maximumInterval == nil else { return self }
    var (pace, options) = (TrackPace(), self)
    for location in locations.prefix(TrackPace.locationCount) { pace.add(location) }
    options.maximumInterval = pace.maximumInterval
    return options
  }
}
