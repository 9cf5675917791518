package import AsyncLocation

/// Where a track is interrupted, and which receiver it follows.
public struct TrackOptions: Sendable, Hashable {
  /// The longest time between two locations of one segment. A longer one begins the next. A receiver
  /// that reports its loss ends the segment at once.
  ///
  /// Nil, the default, for ``TrackPace/maximumInterval`` of the recording: a minute, or five times the
  /// median interval if that is longer. While a recording goes on, the pace is that of its locations so
  /// far.
  public var maximumInterval: Duration?
  /// The greatest distance in metres between two locations of one segment; nil, the default, for
  /// any.
  public var maximumDistance: Double?
  /// The receiver to follow; nil, the default, follows the one that the source prefers, or all if
  /// it prefers none, as recordings in GPX, GeoJSON and CSV.
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
  /// Whether the track has the locations of a location's receiver.
  package func isFollowed(_ location: Location) -> Bool {
    let source = location.sourceInformation
    if let device { return source?.device == device }
    return source?.isPreferred ?? true
  }

  /// The same options with a ``maximumInterval``: if it has none, that of the first locations.
  package func fitting(_ locations: some Sequence<Location>) -> Self {
    guard maximumInterval == nil else { return self }
    var (pace, options) = (TrackPace(), self)
    for location in locations.prefix(TrackPace.locationCount) { pace.add(location) }
    options.maximumInterval = pace.maximumInterval
    return options
  }
}
