public import AsyncLocation

/// Keeps the devices, the conditions, the events and the history of a fleet.
///
/// `LocationStorage` keeps them in a SQLite file, `PostgreSQLStorage` in a database that several servers share;
/// ``MemoryFleetStorage`` for the time of a process.
public protocol FleetStorage: Sendable {
  /// Opens the storage, which stays open until its session is closed or the process ends.
  ///
  /// - Returns: The session, and what is stored beside the history. A new storage stores nothing.
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   ``/AsyncLocation/LocationError/Code/storageUnavailable`` if it cannot be read, or if it is open,
  ///   here or in another process.
  func open() async throws(LocationError) -> (any FleetSession, StoredFleet)
}

/// An open storage of a fleet. Releasing it closes it.
///
/// Calls may come from several tasks. One task at a time commits.
public protocol FleetSession: FleetHistorySource {
  /// Applies changes in order, all or none, and returns once they survive the end of the process.
  ///
  /// Changes that were applied before, since their result was not known, change nothing: each location
  /// is stored once by its device and time.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   ``/AsyncLocation/LocationError/Code/storageUnavailable``. What is stored is then as before, or has
  ///   the changes. ``recover()`` is called before the next call. With
  ///   ``/AsyncLocation/LocationError/Code/superseded`` if another server has taken over: nothing of the
  ///   changes is stored, and the fleet ends with the error.
  func commit(_ changes: [FleetStorageChange]) async throws(LocationError)

  /// Opens the storage again after a failure.
  ///
  /// - Returns: Nil if it has what was stored; why not, if it began anew, such as a file that was damaged.
  /// - Throws: As ``commit(_:)`` does.
  func recover() async throws(LocationError) -> LocationError?

  /// Closes the storage, so that it can be opened again. Called once, last.
  func close() async

  /// The longest time between two commits, after which ``commit(_:)`` is called without changes; nil, the
  /// default, if there is none. A storage that several servers share learns by it that this one lives.
  var longestPause: Duration? { get }
}

extension FleetSession {
  public var longestPause: Duration? { nil }
}

/// The content of a fleet's storage beside the history.
public struct StoredFleet: Sendable {
  /// A device, where it was, and the states of the conditions for it.
  public struct Device: Sendable, Hashable {
    /// The device.
    public let id: FleetDevice.ID
    /// The last location that was delivered.
    public var location: Location
    /// What the conditions remember of the device, as ``FleetStorageChange/states(_:_:)`` had it; nil if
    /// there were none.
    public var states: [UInt8]?

    /// Creates a device.
    public init(id: FleetDevice.ID, location: Location, states: [UInt8]? = nil) {
      (self.id, self.location, self.states) = (id, location, states)
    }
  }

  /// A condition, and the revision that distinguishes it from others of its identifier.
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
  /// ``FleetEvent/isRepeated`` is true for those that were offered.
  public var events: [FleetEvent]
  /// The number of the last event, including those that were finished.
  public var lastNumber: UInt64
  /// The revision of the last condition, including those that were removed.
  public var lastRevision: UInt32
  /// Why an earlier content could not be used, if it was set aside.
  public var problem: LocationError?

  /// Creates a content, by default that of a new fleet.
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
  /// A location for the history. If it is the device's last one, it also becomes the location of the
  /// device, which is added if it is not stored. A location of the device with the same time stays.
  case location(FleetDevice.ID, Location, isLast: Bool)
  /// Sets what the conditions remember of a device, in a form of the fleet's.
  case states(FleetDevice.ID, [UInt8])
  /// Adds a condition, or replaces the one with its identifier.
  case add(StoredFleet.Condition)
  /// Removes a condition. Its events remain.
  case remove(identifier: String)
  /// Adds an event, which no consumer has received.
  case event(FleetEvent)
  /// A consumer is about to receive an event.
  case offer(number: UInt64)
  /// A consumer finished an event, or it was discarded.
  case finish(number: UInt64)
  /// Removes a device, but not its history.
  case forget(FleetDevice.ID)
  /// Removes a device, its history and its events; nothing of them stays.
  case erase(FleetDevice.ID)
  /// Lets the numbers of events and the revisions of conditions that follow be greater than these.
  case numbers(lastNumber: UInt64, lastRevision: UInt32)
}
