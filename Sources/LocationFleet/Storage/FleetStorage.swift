public import AsyncLocation

/// Stores the devices, the conditions, the events and the history of a fleet.
///
/// `LocationStorage` uses a SQLite file, `PostgreSQLStorage` a database that several servers share,
/// and ``MemoryFleetStorage`` the memory of the process.
public protocol FleetStorage: Sendable {
  /// Opens the storage, which stays open until its session is closed or the process ends.
  ///
  /// - Returns: The session, and the stored content except the history. A new storage is empty.
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   ``/AsyncLocation/LocationError/Code/storageUnavailable`` if the storage cannot be read, or
  ///   is already open in this or another process.
  func open() async throws(LocationError) -> (any FleetSession, StoredFleet)
}

/// An open storage of a fleet. Releasing the session closes the storage.
///
/// Several tasks may call the session. One task at a time commits.
public protocol FleetSession: FleetHistorySource {
  /// Applies changes in order, all or none. In a storage that outlasts the process, they survive
  /// the end of the process once the call has returned.
  ///
  /// Changes may be committed again if the result of the first commit is unknown. They then have no
  /// further effect: a device has at most one stored location for each time.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   ``/AsyncLocation/LocationError/Code/storageUnavailable``. Either none or all of the changes
  ///   are then stored, and ``recover()`` is called before the next commit. With
  ///   ``/AsyncLocation/LocationError/Code/superseded`` if another server has taken over: none of
  ///   the changes are stored, and the fleet ends with the error.
  func commit(_ changes: [FleetStorageChange]) async throws(LocationError)

  /// Reopens the storage after a failure.
  ///
  /// - Returns: Nil if the stored content is intact; the reason if it was lost, such as a damaged
  ///   file that was replaced.
  /// - Throws: As ``commit(_:)`` does.
  func recover() async throws(LocationError) -> LocationError?

  /// Closes the storage, so that it can be opened again. Called once, after all other calls.
  func close() async

  /// The longest time between two commits; nil, the default, for no limit. After this time without
  /// changes, ``commit(_:)`` is called with none. In a storage that several servers share, these
  /// commits show that this server is alive.
  var longestPause: Duration? { get }
}

extension FleetSession {
  public var longestPause: Duration? { nil }
}

/// The content of a fleet's storage, except the history.
public struct StoredFleet: Sendable {
  /// A device, its last location, and the states of the conditions for it.
  public struct Device: Sendable, Hashable {
    /// The device.
    public let id: FleetDevice.ID
    /// The last delivered location.
    public var location: Location
    /// The encoded states of the conditions for the device, as in
    /// ``FleetStorageChange/states(_:_:)``; nil if there are none.
    public var states: [UInt8]?

    /// Creates a device.
    public init(id: FleetDevice.ID, location: Location, states: [UInt8]? = nil) {
      (self.id, self.location, self.states) = (id, location, states)
    }
  }

  /// A condition, and the revision that distinguishes it from others with its identifier.
  public struct Condition: Sendable, Hashable {
    /// The condition.
    public var condition: FleetCondition
    /// The revision, which increases with each condition that is added.
    public let revision: UInt32

    /// Creates a condition.
    public init(_ condition: FleetCondition, revision: UInt32) {
      (self.condition, self.revision) = (condition, revision)
    }
  }

  /// The devices, in any order.
  public var devices: [Device]
  /// The conditions, in any order, with distinct identifiers.
  public var conditions: [Condition]
  /// The events that no consumer has finished, in the order of their numbers.
  /// ``FleetEvent/isRepeated`` is true for events that were offered to a consumer.
  public var events: [FleetEvent]
  /// The number of the last event, including finished events.
  public var lastNumber: UInt64
  /// The revision of the last condition, including removed conditions.
  public var lastRevision: UInt32
  /// The problem with the content that was stored earlier, such as a damaged file that was set
  /// aside or damaged rows that are left out; nil if there is none.
  public var problem: LocationError?

  /// Creates content, by default that of a new fleet.
  public init(
    devices: [Device] = [], conditions: [Condition] = [], events: [FleetEvent] = [],
    lastNumber: UInt64 = 0, lastRevision: UInt32 = 0, problem: LocationError? = nil
  ) {
    (self.devices, self.conditions, self.events) = (devices, conditions, events)
    (self.lastNumber, self.lastRevision, self.problem) = (lastNumber, lastRevision, problem)
  }
}

/// A change that a fleet stores.
public enum FleetStorageChange: Sendable, Hashable {
  /// Adds a location to the history, unless the device has one with the same time. If `isLast` is
  /// true, the location also becomes the device's last location; a device that is not stored is
  /// added.
  case location(FleetDevice.ID, Location, isLast: Bool)
  /// Sets the states of the conditions for a device, in the fleet's own encoding.
  case states(FleetDevice.ID, [UInt8])
  /// Adds a condition, or replaces the one with its identifier.
  case add(StoredFleet.Condition)
  /// Removes a condition. Its events remain.
  case remove(identifier: String)
  /// Adds an event that no consumer has received.
  case event(FleetEvent)
  /// Marks an event as offered: a consumer is about to receive it.
  case offer(number: UInt64)
  /// Removes an event that a consumer finished, or that was discarded.
  case finish(number: UInt64)
  /// Removes a device, but not its history.
  case forget(FleetDevice.ID)
  /// Removes a device, its history and its events. None of their data remains.
  case erase(FleetDevice.ID)
  /// Raises ``StoredFleet/lastNumber`` and ``StoredFleet/lastRevision`` to at least these values.
  /// Later numbers and revisions are greater.
  case numbers(lastNumber: UInt64, lastRevision: UInt32)
  /// Changes nothing. In a storage that outlasts the process, the commit also survives a loss of
  /// power.
  case synchronize
}
