/// How a program receives the places of a manager's locations; see
/// ``LocationManager/placemarks(using:_:)``.
public struct PlacemarkOptions: Sendable, Hashable {
  /// The distance in metres from the last location whose place was requested, beyond which the next
  /// is requested. The default of 100 m is about a block of houses; a finer one costs more
  /// requests. Zero or less requests the place of every location, one at a time.
  public var minimumDistance: Double
  /// The least time between two requests. The default of five seconds limits them at any speed.
  public var minimumInterval: Duration
  /// The time after which a request that failed for a passing reason is repeated although the
  /// receiver did not move; at least ``minimumInterval``. The default is 30 seconds.
  public var retryInterval: Duration
  /// The languages of the names.
  public var locale: GeocodingLocale?
  /// The only receiver to use, as in ``UpdateOptions/device``.
  public var device: String?
  /// How many updates wait for a busy reader; the default is 16, the newest ones.
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
extension PlacemarkOptions: Codable, Described {
  private enum CodingKeys: String, CodingKey {
    case minimumDistance, minimumInterval, retryInterval, locale, device, buffering
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let standard = Self()
    self.init(
      minimumDistance: try values.decodeIfPresent(Double.self, forKey: .minimumDistance)
        ?? standard.minimumDistance,
      minimumInterval: try values.decodeDurationIfPresent(forKey: .minimumInterval)
        ?? standard.minimumInterval,
      retryInterval: try values.decodeDurationIfPresent(forKey: .retryInterval)
        ?? standard.retryInterval,
      locale: try values.decodeIfPresent(GeocodingLocale.self, forKey: .locale),
      device: try values.decodeIfPresent(String.self, forKey: .device),
      buffering: try values.decodeIfPresent(BufferingPolicy.self, forKey: .buffering)
        ?? standard.buffering)
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(minimumDistance, forKey: .minimumDistance)
    try values.encode(ExactSeconds.number(minimumInterval), forKey: .minimumInterval)
    try values.encode(ExactSeconds.number(retryInterval), forKey: .retryInterval)
    try values.encodeIfPresent(locale, forKey: .locale)
    try values.encodeIfPresent(device, forKey: .device)
    try values.encode(buffering, forKey: .buffering)
  }

  package var members: [DescribedMember] {
    [
      DescribedMember("minimumDistance", minimumDistance, "m"),
      DescribedMember("minimumInterval", minimumInterval),
      DescribedMember("retryInterval", retryInterval),
      DescribedMember("locale", locale?.languages),
      DescribedMember("device", device),
      DescribedMember("buffering", buffering),
    ]
  }
}
