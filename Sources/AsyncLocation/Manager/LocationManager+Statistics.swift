import FoundationEssentials

extension LocationManager {
  /// Counters since a manager was created, and the current number of subscribers.
  public struct Statistics: Sendable, Hashable {
    /// Events that the backend emitted.
    public var eventsReceived: UInt64 = 0
    /// Events of a run that was cancelled, or that followed a withdrawal of permission.
    public var eventsDiscarded: UInt64 = 0
    /// Locations and headings not delivered because they were older than one delivered before, or
    /// repeated it after a reconnection.
    public var locationsStale: UInt64 = 0
    /// Reduced locations that could not be stored for other processes, which may choose others: many
    /// answers then reveal more than one. One for each receiver and time step of five minutes; 0 for
    /// a key that is not in a file.
    public var locationsUnstored: UInt64 = 0
    /// Reports not delivered because accuracy is reduced: headings, satellite views, and locations
    /// that arrive before the key of reduced accuracy is read.
    public var reportsWithheld: UInt64 = 0
    /// Elements delivered to subscribers, counted once per subscriber.
    public var elementsDelivered: UInt64 = 0
    /// Elements that their subscriber never read: they were evicted by newer ones, permission was
    /// withdrawn, or the stream had just ended. Elements that are buffered when their stream is released
    /// are not counted.
    public var elementsDropped: UInt64 = 0
    /// Streams that are currently open.
    public var subscribers: Int = 0
    /// The number of times the backend was started.
    public var backendRuns: UInt64 = 0

    /// Creates statistics.
    public init(
      eventsReceived: UInt64 = 0, eventsDiscarded: UInt64 = 0, locationsStale: UInt64 = 0,
      locationsUnstored: UInt64 = 0, reportsWithheld: UInt64 = 0, elementsDelivered: UInt64 = 0,
      elementsDropped: UInt64 = 0, subscribers: Int = 0, backendRuns: UInt64 = 0
    ) {
      self.eventsReceived = eventsReceived
      self.eventsDiscarded = eventsDiscarded
      self.locationsStale = locationsStale
      self.locationsUnstored = locationsUnstored
      self.reportsWithheld = reportsWithheld
      self.elementsDelivered = elementsDelivered
      self.elementsDropped = elementsDropped
      self.subscribers = subscribers
      self.backendRuns = backendRuns
    }
  }
}

/// An object with every count under its name. A missing count is read as 0.
extension LocationManager.Statistics: Codable, Described {
  private typealias Count = any WritableKeyPath<Self, UInt64> & Sendable

  /// The counts that are `UInt64`: all but `subscribers`.
  private static let counts: [(name: String, path: Count)] = [
    ("eventsReceived", \.eventsReceived),
    ("eventsDiscarded", \.eventsDiscarded),
    ("locationsStale", \.locationsStale),
    ("locationsUnstored", \.locationsUnstored),
    ("reportsWithheld", \.reportsWithheld),
    ("elementsDelivered", \.elementsDelivered),
    ("elementsDropped", \.elementsDropped),
    ("backendRuns", \.backendRuns),
  ]

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: MemberKey.self)
    self.init()
    for (name, path) in Self.counts {
      self[keyPath: path] = try values.decodeIfPresent(UInt64.self, forKey: MemberKey(name)) ?? 0
    }
    subscribers = try values.decodeIfPresent(Int.self, forKey: MemberKey("subscribers")) ?? 0
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: MemberKey.self)
    for (name, path) in Self.counts {
      try values.encode(self[keyPath: path], forKey: MemberKey(name))
    }
    try values.encode(subscribers, forKey: MemberKey("subscribers"))
  }

  package var members: [DescribedMember] {
    Self.counts.map { DescribedMember($0.name, self[keyPath: $0.path]) }
      + [DescribedMember("subscribers", subscribers)]
  }
}
