extension LocationManager {
  /// The properties of Core Location's manager. They apply to ``events`` and to the services that
  /// produce them; other streams have options of their own.
  public struct Properties: Sendable, Hashable {
    /// The activity of the user. It determines which jumps are treated as errors and not reported,
    /// and when the receiver counts as stationary.
    public var activityType: ActivityType
    /// Whether locations continue while the application is not in use (see ``setInUse(_:)``) with
    /// when-in-use permission. One-time permission then does not lapse either.
    public var allowsBackgroundLocationUpdates: Bool
    /// The desired accuracy, a hint for the backend: less accurate locations are reported, too.
    public var desiredAccuracy: DesiredAccuracy
    /// The minimum distance in metres from the last reported location; 0 or less reports every
    /// location.
    public var distanceFilter: Double
    /// The minimum change in degrees since the last reported heading; 0 or less reports every
    /// heading.
    public var headingFilter: Double
    /// The orientation in which the device is held. Headings of a compass refer to the edge of the
    /// device that is at the top; headings from the course over ground are not changed.
    public var headingOrientation: DeviceOrientation
    /// Whether locations pause while the receiver is stationary. False by default, unlike in Core
    /// Location: an unexpected pause looks like a failure.
    public var pausesLocationUpdatesAutomatically: Bool
    /// Stored without effect: a Linux system has no indicator.
    public var showsBackgroundLocationIndicator: Bool

    /// Creates properties.
    public init(
      activityType: ActivityType = .other, allowsBackgroundLocationUpdates: Bool = false,
      desiredAccuracy: DesiredAccuracy = .best, distanceFilter: Double = 0,
      headingFilter: Double = 1, headingOrientation: DeviceOrientation = .portrait,
      pausesLocationUpdatesAutomatically: Bool = false,
      showsBackgroundLocationIndicator: Bool = false
    ) {
      self.activityType = activityType
      self.allowsBackgroundLocationUpdates = allowsBackgroundLocationUpdates
      self.desiredAccuracy = desiredAccuracy
      self.distanceFilter = distanceFilter
      self.headingFilter = headingFilter
      self.headingOrientation = headingOrientation
      self.pausesLocationUpdatesAutomatically = pausesLocationUpdatesAutomatically
      self.showsBackgroundLocationIndicator = showsBackgroundLocationIndicator
    }
  }
}

/// A missing member is decoded as its default. So is an activity that this version does not define.
extension LocationManager.Properties: TabulatedValue {
  package static let standard = Self()
  package static let table: [TabulatedMember<Self>] = [
    .known("activityType", \.activityType),
    TabulatedMember("allowsBackgroundLocationUpdates", \.allowsBackgroundLocationUpdates),
    TabulatedMember("desiredAccuracy", \.desiredAccuracy),
    TabulatedMember("distanceFilter", \.distanceFilter, "m"),
    TabulatedMember("headingFilter", \.headingFilter, "°"),
    TabulatedMember("headingOrientation", \.headingOrientation),
    TabulatedMember("pausesLocationUpdatesAutomatically", \.pausesLocationUpdatesAutomatically),
    TabulatedMember("showsBackgroundLocationIndicator", \.showsBackgroundLocationIndicator),
  ]
}
