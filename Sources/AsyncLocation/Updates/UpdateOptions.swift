/// A subscriber's options for locations. They do not affect other subscribers.
public struct UpdateOptions: Sendable, Hashable {
  /// The minimum distance in metres along the ground from the last delivered location; 0 or less
  /// delivers every location. A location of another receiver is not delivered while the error of one
  /// of the two covers the other's position with its error.
  public var distanceFilter: Double
  /// The time between two deliveries; zero or less delivers every location.
  ///
  /// On average there is at most one delivery per interval. A receiver that reports once per
  /// interval loses none. From a receiver that reports more often, the report nearest to each due
  /// time is delivered: 10 Hz yields one location per second at an interval of one second.
  ///
  /// An interval has passed when it has passed by the receiver's timestamps, regardless of the
  /// jitter of arrival, or by the manager's monotonic clock. By one of the two, deliveries are at
  /// least three quarters of an interval apart. Only the arrival counts where the timestamp carries
  /// no information: when the host set it (``SourceInformation/TimeSource/host``), when accuracy is
  /// reduced, or when several reports share a timestamp. A receiver that reports once per interval
  /// then loses none as long as its reports are late by less than a quarter of an interval.
  ///
  /// The manager's clock limits the deliveries that timestamps allow, for example in a replay at
  /// ten times real time: a stream has at most two locations, and one more for each interval since
  /// the first. Because clocks differ, this limit counts an interval as 0.1 % shorter. Reports that
  /// a stalled source delayed arrive together; they are delivered if their timestamps are an
  /// interval apart, at most about 64 at a time.
  public var minimumInterval: Duration
  /// Locations less accurate than this are not delivered. Locations of reduced accuracy are not
  /// compared with it. The backend receives this accuracy as a hint.
  public var desiredAccuracy: DesiredAccuracy
  /// The maximum age of a last known location with which the stream begins. If it is zero, the
  /// stream begins with a new location.
  public var maximumAge: Duration
  /// The only receiver whose locations are delivered, by ``Receiver/name``; nil for the source's
  /// preferred receiver, or all receivers if it prefers none. ``SourceInformation/device`` names
  /// the receiver of a location.
  ///
  /// While the source does not have the receiver, the stream waits, ``ConnectionState/problem``
  /// names the receiver, and ``LocationManager/liveUpdates`` reports
  /// ``LocationUpdate/Diagnostics/deviceUnknown``. A name that is empty or contains a NUL fails
  /// with ``LocationError/Code/invalidValue``.
  public var device: String?
  /// The activity of the subscriber's user. It determines which jumps are treated as errors and not
  /// delivered, and when the receiver counts as stationary; see ``ActivityType``.
  public var activityType: ActivityType
  /// Whether the stream pauses while the receiver is stationary: after the location that shows
  /// this, nothing is delivered until a location that shows movement.
  /// ``LocationManager/pauseEvents`` reports the start and the end of a pause. The receiver itself
  /// stops when every subscriber to locations is paused and the backend has
  /// ``BackendCapabilities/pausing``; otherwise it continues. No effect with reduced accuracy.
  public var pausesAutomatically: Bool
  /// Whether locations that are suspect are not delivered; see ``Location/integrity``. They are
  /// counted in ``LocationManager/Statistics/locationsSuspect``. Locations that were not assessed are
  /// delivered.
  public var omitsSuspectLocations: Bool
  /// The buffering while the subscriber is busy.
  public var buffering: BufferingPolicy

  /// Creates options. By default every location is delivered.
  public init(
    distanceFilter: Double = 0, minimumInterval: Duration = .zero,
    desiredAccuracy: DesiredAccuracy = .best, maximumAge: Duration = .zero, device: String? = nil,
    activityType: ActivityType = .other, pausesAutomatically: Bool = false,
    omitsSuspectLocations: Bool = false, buffering: BufferingPolicy = .newest(64)
  ) {
    self.distanceFilter = distanceFilter
    self.minimumInterval = minimumInterval
    self.desiredAccuracy = desiredAccuracy
    self.maximumAge = maximumAge
    self.device = device
    self.activityType = activityType
    self.pausesAutomatically = pausesAutomatically
    self.omitsSuspectLocations = omitsSuspectLocations
    self.buffering = buffering
  }

  /// The demand of a subscriber with these options.
  var demand: BackendDemand {
    BackendDemand(
      kinds: .locations, desiredAccuracy: desiredAccuracy, minimumInterval: minimumInterval,
      devices: device.map { [$0] })
  }
}

/// A subscriber's options for headings. They do not affect other subscribers.
public struct HeadingOptions: Sendable, Hashable {
  /// The minimum change in degrees since the last delivered heading; 0 or less delivers every
  /// heading.
  public var headingFilter: Double
  /// The only receiver whose headings are delivered, by ``Receiver/name``; nil for the source's
  /// preferred receiver, or all receivers if it prefers none. A missing receiver or an invalid name
  /// is handled as in ``UpdateOptions/device``.
  public var device: String?
  /// The buffering while the subscriber is busy.
  public var buffering: BufferingPolicy

  /// Creates options. The default filter is one degree, as in Core Location.
  public init(
    headingFilter: Double = 1, device: String? = nil, buffering: BufferingPolicy = .newest(64)
  ) {
    self.headingFilter = headingFilter
    self.device = device
    self.buffering = buffering
  }

  /// The demand of a subscriber with these options.
  var demand: BackendDemand {
    BackendDemand(kinds: .headings, devices: device.map { [$0] })
  }
}

/// The number of elements buffered for a subscriber that is slower than the receiver.
///
/// The newest elements are retained: when the buffer is full, the oldest is evicted and counted in
/// ``LocationManager/Statistics/elementsDropped``.
public struct BufferingPolicy: Sendable, Hashable {
  /// The maximum number of buffered elements.
  public let limit: Int

  /// Buffers the newest elements, at least one.
  public static func newest(_ limit: Int) -> Self { Self(limit: max(1, limit)) }
}
