extension CachingGeocoder {
  /// The bounds of a cache.
  public struct Configuration: Sendable, Hashable {
    /// The distance in metres within which two points share an answer: 0...100,000, and 11 by
    /// default, about 1e-4 degrees of latitude. Other numbers are clamped, and NaN becomes the
    /// default. With 0, only equal points share an answer.
    public var radius: Double {
      didSet { radius = Self.bounded(radius) }
    }
    /// The largest number of answers, by default 1,000; zero or less disables caching. The least
    /// recently used answer is evicted.
    public var limit: Int
    /// The time for which a result is cached, by default a day.
    public var maximumAge: Duration
    /// The time for which "no result" is cached, by default a minute.
    public var noResultAge: Duration

    /// Creates a configuration.
    public init(
      radius: Double = 11, limit: Int = 1_000, maximumAge: Duration = .seconds(86_400),
      noResultAge: Duration = .seconds(60)
    ) {
      self.radius = Self.bounded(radius)
      self.limit = limit
      self.maximumAge = maximumAge
      self.noResultAge = noResultAge
    }

    private static func bounded(_ radius: Double) -> Double {
      radius.isNaN ? 11 : min(max(radius, 0), 100_000)
    }
  }

  /// Counters since the cache was created.
  public struct Statistics: Sendable, Hashable {
    /// Callers that were answered from the cache.
    public internal(set) var hits = 0
    /// Callers that joined the request of another caller.
    public internal(set) var joined = 0
    /// Requests to the geocoder.
    public internal(set) var requests = 0
    /// Requests that failed; "no result" and a partial result do not count.
    public internal(set) var failures = 0
    /// Answers that were dropped because the cache was full.
    public internal(set) var evictions = 0
    /// Answers that were found but were too old.
    public internal(set) var expirations = 0
    /// The number of answers in the cache now, including those that are too old.
    public internal(set) var entries = 0
  }
}

/// A missing count is decoded as 0.
extension CachingGeocoder.Statistics: TabulatedValue {
  package static let standard = Self()
  package static let table: [TabulatedMember<Self>] = [
    TabulatedMember("hits", \.hits),
    TabulatedMember("joined", \.joined),
    TabulatedMember("requests", \.requests),
    TabulatedMember("failures", \.failures),
    TabulatedMember("evictions", \.evictions),
    TabulatedMember("expirations", \.expirations),
    TabulatedMember("entries", \.entries),
  ]
}
