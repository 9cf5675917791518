/// The options of a stream of placemarks; see ``LocationManager/placemarks(using:_:)``.
public struct PlacemarkOptions: Sendable, Hashable {
  /// The distance in metres by which a location must differ from the last one whose place was
  /// requested, before its own place is requested. The default of 100 m is about a block of houses;
  /// a shorter distance causes more requests. With zero or less, the place of each location is
  /// requested, one request at a time.
  public var minimumDistance: Double
  /// The minimum time between two requests. The default of five seconds limits the requests at any
  /// speed.
  public var minimumInterval: Duration
  /// The time after which the next location is looked up, even without movement, if the last
  /// request failed with a transient error. A value below ``minimumInterval`` has the effect of
  /// that interval. The default is 30 seconds.
  public var retryInterval: Duration
  /// The languages of the names.
  public var locale: GeocodingLocale?
  /// The only receiver to use, as in ``UpdateOptions/device``.
  public var device: String?
  /// The updates that are buffered while the reader is busy; by default the newest 16.
  public var buffering: BufferingPolicy

  /// Creates options.
  public init(
    minimumDistance: Double = 100, minimumInterval: Duration = .seconds(5),
    retryInterval: Duration = .seconds(30), locale: GeocodingLocale? = nil, device: String? = nil,
    buffering: BufferingPolicy = .newest(16)
  ) {
    self.minimumDistance = minimumDistance
    self.minimumInterval = minimumInterval
    self.retryInterval = retryInterval
    self.locale = locale
    self.device = device
    self.buffering = buffering
  }
}

/// A missing member gets its default. Durations are numbers of seconds with nanosecond precision.
extension PlacemarkOptions: TabulatedValue {
  package static let standard = Self()
  package static let table: [TabulatedMember<Self>] = [
    TabulatedMember("minimumDistance", \.minimumDistance, "m"),
    TabulatedMember("minimumInterval", \.minimumInterval),
    TabulatedMember("retryInterval", \.retryInterval),
    TabulatedMember("locale", \.locale, printed: { $0.languages }),
    TabulatedMember("device", \.device),
    TabulatedMember("buffering", \.buffering),
  ]
}
