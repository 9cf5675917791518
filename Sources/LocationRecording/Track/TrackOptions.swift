/// Where a track is interrupted, and which receiver it follows.
public struct TrackOptions: Sendable, Hashable {
  /// The longest time between two locations of one segment. A longer one begins the next.
  ///
  /// 60 seconds by default: longer than the pauses of phones that save energy, shorter than a stop
  /// with the receiver switched off. A receiver that reports its loss ends the segment at once.
  public var maximumInterval: Duration
  /// The greatest distance in metres between two locations of one segment; nil, the default, for
  /// any.
  public var maximumDistance: Double?
  /// The receiver to follow; nil, the default, follows the one that the source prefers, or all if
  /// it prefers none, as recordings in GPX, GeoJSON and CSV.
  public var device: String?

  /// Creates options.
  public init(
    maximumInterval: Duration = .seconds(60), maximumDistance: Double? = nil, device: String? = nil
  ) {
    (self.maximumInterval, self.maximumDistance) = (maximumInterval, maximumDistance)
    self.device = device
  }
}
