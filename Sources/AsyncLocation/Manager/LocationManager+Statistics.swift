import FoundationEssentials

extension LocationManager {
  /// Counters since a manager was created, and the current number of subscribers.
  public struct Statistics: Sendable, Hashable {
    /// Events that the backend emitted.
    public var eventsReceived: UInt64 = 0
    /// Events that the backend emitted after its run was cancelled, for example by a withdrawal of
    /// permission. Also locations that were discarded while their reduced location was chosen.
    public var eventsDiscarded: UInt64 = 0
    /// Locations and headings not delivered because they were older than a delivered report, or
    /// repeated a delivered report after a reconnection.
    public var locationsStale: UInt64 = 0
    /// Locations that contradict themselves or each other; see ``Location/integrity``. They are
    /// delivered, except to those who omit them, for example with
    /// ``UpdateOptions/omitsSuspectLocations``.
    public var locationsSuspect: UInt64 = 0
    /// Reduced locations that could not be stored for other processes. Other processes may then
    /// choose different locations, and several different locations reveal more than one does.
    /// Counted once per receiver and time step of five minutes; 0 for a key that is not in a file.
    public var locationsUnstored: UInt64 = 0
    /// Reports not delivered because accuracy is reduced: headings, satellite views, beacons,
    /// locations that arrive before the key of reduced accuracy is read, and locations that a later
    /// one replaces while a reduced location is chosen. Also events of monitors, regions and
    /// placemarks that permission does not cover.
    public var reportsWithheld: UInt64 = 0
    /// Elements delivered to subscribers, counted once per subscriber.
    public var elementsDelivered: UInt64 = 0
    /// Elements that their subscriber never read: they were evicted by newer ones, did not fit into
    /// the buffer, or were withdrawn with permission. Elements that are buffered when their stream
    /// is released are not counted.
    public var elementsDropped: UInt64 = 0
    /// Streams that are currently open.
    public var subscribers: Int = 0
    /// The number of times the backend was started.
    public var backendRuns: UInt64 = 0

    /// Creates statistics.
    public init(
      eventsReceived: UInt64 = 0, eventsDiscarded: UInt64 = 0, locationsStale: UInt64 = 0,
      locationsSuspect: UInt64 = 0, locationsUnstored: UInt64 = 0, reportsWithheld: UInt64 = 0,
      elementsDelivered: UInt64 = 0,
      elementsDropped: UInt64 = 0, subscribers: Int = 0, backendRuns: UInt64 = 0
    ) {
      self.eventsReceived = eventsReceived
      self.eventsDiscarded = eventsDiscarded
      self.locationsStale = locationsStale
      self.locationsSuspect = locationsSuspect
      self.locationsUnstored = locationsUnstored
      self.reportsWithheld = reportsWithheld
      self.elementsDelivered = elementsDelivered
      self.elementsDropped = elementsDropped
      self.subscribers = subscribers
      self.backendRuns = backendRuns
    }
  }
}

/// Encoded as an object with every count under its name. A missing count is decoded as 0.
extension LocationManager.Statistics: TabulatedValue {
  package static let standard = Self()
  package static let table: [TabulatedMember<Self>] = [
    TabulatedMember("eventsReceived", \.eventsReceived),
    TabulatedMember("eventsDiscarded", \.eventsDiscarded),
    TabulatedMember("locationsStale", \.locationsStale),
    TabulatedMember("locationsSuspect", \.locationsSuspect),
    TabulatedMember("locationsUnstored", \.locationsUnstored),
    TabulatedMember("reportsWithheld", \.reportsWithheld),
    TabulatedMember("elementsDelivered", \.elementsDelivered),
    TabulatedMember("elementsDropped", \.elementsDropped),
    TabulatedMember("backendRuns", \.backendRuns),
    TabulatedMember("subscribers", \.subscribers),
  ]
}
