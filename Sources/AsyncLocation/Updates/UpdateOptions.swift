/// What one subscriber wants of locations. Another subscriber's wishes never show.
public struct UpdateOptions: Sendable, Hashable {
  /// Metres along the ground from the location delivered last; 0 for every location.
  public var distanceFilter: Double
  /// The shortest time between two deliveries, by the manager's monotonic clock at arrival.
  public var minimumInterval: Duration
  /// Locations less accurate than this are not delivered. The backend hears it as a hint.
  public var desiredAccuracy: Accuracy
  /// The stream may begin with the last known location when that is at most this old.
  public var maximumAge: Duration
  /// The only receiver that is wanted, by ``Receiver/name``; nil for the one that the source
  /// prefers, or all where it prefers none. ``SourceInformation/device`` says which it was.
  public var device: String?
  /// What waits while the subscriber is busy.
  public var buffering: Buffering

  /// Creates options; by default everything is delivered.
  public init(
    distanceFilter: Double = 0, minimumInterval: Duration = .zero,
    desiredAccuracy: Accuracy = .best, maximumAge: Duration = .zero, device: String? = nil,
    buffering: Buffering = .newest(64)
  ) {
    self.distanceFilter = distanceFilter
    self.minimumInterval = minimumInterval
    self.desiredAccuracy = desiredAccuracy
    self.maximumAge = maximumAge
    self.device = device
    self.buffering = buffering
  }

  /// What a subscriber with these options asks of the backend.
  var demand: BackendDemand {
    BackendDemand(
      kinds: .locations, desiredAccuracy: desiredAccuracy, minimumInterval: minimumInterval,
      devices: device.map { [$0] })
  }
}
