/// What one subscriber wants of locations. Another subscriber's wishes never show.
public struct UpdateOptions: Sendable, Hashable {
  /// Metres along the ground from the location delivered last; 0 for every location.
  public var distanceFilter: Double
  /// The time between two deliveries; zero or less for every location.
  ///
  /// Over a long time there is at most one delivery an interval, and a receiver that reports once an
  /// interval loses none. One that reports more often is delivered at the report nearest to each
  /// turn: 10 Hz give one location a second at an interval of one second.
  ///
  /// An interval is over when it is so by the receiver's timestamps, whatever the jitter of arrival,
  /// or by the manager's monotonic clock. Two deliveries are at least three quarters of it apart by
  /// one of the two. Where a timestamp tells nothing, since the host made it
  /// (``SourceInformation/TimeSource/host``), accuracy is reduced or several reports share it, only
  /// the arrival counts: then a receiver that reports once an interval loses none as long as its
  /// reports are late by less than a quarter of it.
  ///
  /// The manager's clock bounds what timestamps claim, such as those of a replay at ten times its
  /// pace: a stream has at most two locations, and one more for each interval since the first. As
  /// clocks differ, an interval counts there as a thousandth shorter. What a stall of the source held
  /// back arrives at once, and is delivered as far as its timestamps are an interval apart, about 64
  /// locations at a time at most.
  public var minimumInterval: Duration
  /// Locations less accurate than this are not delivered. The backend hears it as a hint.
  public var desiredAccuracy: DesiredAccuracy
  /// The stream may begin with the last known location when that is at most this old.
  public var maximumAge: Duration
  /// The only receiver that is wanted, by ``Receiver/name``; nil for the one that the source
  /// prefers, or all where it prefers none. ``SourceInformation/device`` says which it was.
  ///
  /// While the source lacks the receiver the stream waits, ``ConnectionState/problem`` names it and
  /// ``LocationManager/liveUpdates`` says ``LocationUpdate/Diagnostics/deviceUnknown``. An empty name
  /// and one with a NUL are refused with ``LocationError/Code/invalidValue``.
  public var device: String?
  /// What waits while the subscriber is busy.
  public var buffering: BufferingPolicy

  /// Creates options; by default everything is delivered.
  public init(
    distanceFilter: Double = 0, minimumInterval: Duration = .zero,
    desiredAccuracy: DesiredAccuracy = .best, maximumAge: Duration = .zero, device: String? = nil,
    buffering: BufferingPolicy = .newest(64)
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
