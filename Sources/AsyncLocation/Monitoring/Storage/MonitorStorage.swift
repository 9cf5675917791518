public import FoundationEssentials

/// Stores the conditions, states and unfinished events of monitors.
///
/// `LocationStorage` stores them in a SQLite file, ``MemoryMonitorStorage`` in memory until the
/// process ends.
public protocol MonitorStorage: Sendable {
  /// Opens the monitor with a name, which stays open until its session is closed or the process
  /// ends.
  ///
  /// - Parameter name: 1...128 bytes of letters, digits, `-`, `_` and `.`, not beginning with `.`;
  ///   ``Monitor`` has checked it.
  /// - Returns: The session and its stored content, which is empty for a new monitor.
  /// - Throws: ``LocationError`` with ``LocationError/Code/monitorInUse`` when the monitor is open,
  ///   here or in another process; ``LocationError/Code/storageUnavailable`` when it cannot be
  ///   read.
  func open(_ name: String) async throws(LocationError) -> (any MonitorSession, StoredMonitor)
}

/// An open monitor in a storage. The monitor makes one call at a time. Releasing the session closes
/// it.
public protocol MonitorSession: Sendable {
  /// Applies changes in order, all or none, and returns once they survive the end of the process.
  ///
  /// - Throws: ``LocationError`` with ``LocationError/Code/storageUnavailable``. The stored content
  ///   then lacks the changes; the monitor calls ``replace(with:)`` later.
  func commit(_ changes: [MonitorChange]) async throws(LocationError)

  /// Replaces everything that is stored, all or nothing.
  ///
  /// - Throws: As ``commit(_:)`` does.
  func replace(with monitor: StoredMonitor) async throws(LocationError)

  /// Records that permission for the stored locations was withdrawn.
  ///
  /// Until ``deleteRemains()`` returns, ``MonitorStorage/open(_:)`` returns a content without these
  /// locations, with ``Monitor/Diagnostics/locationWithheld``, also in another process. The monitor
  /// replaces the stored content next; the record is needed if the process ends before that. The
  /// default implementation does nothing.
  ///
  /// - Parameter number: The number of the last event so far. Later events keep their locations.
  /// - Throws: ``LocationError`` with ``LocationError/Code/storageUnavailable``. The monitor
  ///   continues, and calls again before each retry of a failed write.
  func withhold(through number: UInt64) async throws(LocationError)

  /// Deletes the remains of earlier contents, because permission for the locations in them was
  /// withdrawn.
  ///
  /// Remains are, for example, damaged files that were set aside, and finished events that are
  /// still in a log. The default implementation does nothing, for storages without remains.
  ///
  /// - Throws: ``LocationError`` with ``LocationError/Code/storageUnavailable``. Some remains may
  ///   then be left; the monitor calls again later.
  func deleteRemains() async throws(LocationError)

  /// Closes the monitor, so that it can be opened again. Called once, after all other calls.
  func close() async
}

extension MonitorSession {
  public func withhold(through number: UInt64) async throws(LocationError) {}
  public func deleteRemains() async throws(LocationError) {}
}

/// The stored content of a monitor.
public struct StoredMonitor: Sendable, Hashable {
  /// The conditions, in any order, with distinct identifiers.
  public var conditions: [StoredCondition]
  /// The events that no consumer has finished, in the order of their numbers.
  public var events: [StoredEvent]
  /// The number of the last event, including those that were finished.
  public var lastNumber: UInt64
  /// The reason why earlier content was set aside; nil if none was.
  public var problem: LocationError?

  /// Creates a content, by default that of a new monitor.
  public init(
    conditions: [StoredCondition] = [], events: [StoredEvent] = [], lastNumber: UInt64 = 0,
    problem: LocationError? = nil
  ) {
    self.conditions = conditions
    self.events = events
    self.lastNumber = lastNumber
    self.problem = problem
  }
}

extension StoredMonitor {
  /// The content without the locations and refinements for which permission was withdrawn. States
  /// remain.
  ///
  /// - Parameter number: The number of the last event before the withdrawal.
  package func withheld(through number: UInt64) -> Self {
    var withheld = self
    for (index, condition) in conditions.enumerated() {
      guard let event = condition.lastEvent, event.number <= number else { continue }
      withheld.conditions[index].lastEvent = event.withoutRefinement
    }
    withheld.events = events.map { stored in
      guard stored.event.number <= number else { return stored }
      return StoredEvent(stored.event.withheld, isOffered: stored.isOffered)
    }
    return withheld
  }
}

/// A condition and its state, as stored.
public struct StoredCondition: Sendable, Hashable {
  /// A crossing that has begun and is not confirmed yet, or a dwell that has begun.
  public struct Candidate: Sendable, Hashable {
    /// True when the position is inside.
    public let isInside: Bool
    /// True when one of its fixes was certain.
    public let isCertain: Bool
    /// The time of the first location on this side.
    public let since: Date

    /// Creates a candidate.
    public init(isInside: Bool, isCertain: Bool, since: Date) {
      self.isInside = isInside
      self.isCertain = isCertain
      self.since = since
    }
  }

  /// The name of the condition, unique in its monitor; 1...1,024 bytes without NUL.
  public let identifier: String
  /// The condition.
  public let condition: Condition
  /// The state.
  public var state: Monitor.State
  /// The crossing that is not confirmed yet; nil if there is none.
  public var candidate: Candidate?
  /// The last event that a consumer finished, without its location. Before the first one, an event
  /// whose two states are the state with which the condition was added, and whose number is that of
  /// the last event before the addition.
  public var lastEvent: Monitor.Event?

  /// Creates a condition without events.
  public init(
    identifier: String, condition: Condition, state: Monitor.State = .unknown,
    candidate: Candidate? = nil, lastEvent: Monitor.Event? = nil
  ) {
    self.identifier = identifier
    self.condition = condition
    self.state = state
    self.candidate = candidate
    self.lastEvent = lastEvent
  }
}

/// An event that no consumer has finished.
public struct StoredEvent: Sendable, Hashable {
  /// The event.
  public let event: Monitor.Event
  /// True when a consumer may have received the event.
  public var isOffered: Bool

  /// Creates an event.
  public init(_ event: Monitor.Event, isOffered: Bool = false) {
    self.event = event
    self.isOffered = isOffered
  }

  /// A copy that reports that earlier events were discarded.
  package var afterDiscarded: Self {
    Self(event.with(.eventsDiscarded, isRepeated: false), isOffered: isOffered)
  }
}

/// A change that a monitor stores.
public enum MonitorChange: Sendable, Hashable {
  /// Adds a condition, or replaces the one with its identifier.
  case add(StoredCondition)
  /// Removes a condition. Its events remain.
  case remove(identifier: String)
  /// Sets a condition's state and adds the event, which no consumer has received. Clears the
  /// candidate. The condition may have been removed in the same step.
  case event(Monitor.Event)
  /// Sets or clears a condition's candidate.
  case candidate(identifier: String, StoredCondition.Candidate?)
  /// A consumer is about to receive an event.
  case offer(number: UInt64)
  /// A consumer finished an event: it is removed from the events, and becomes the last event of its
  /// condition, if that exists and has no later one.
  case finish(number: UInt64)
  /// Removes the events up to a number that were not offered. The next event that was not offered
  /// reports this with ``Monitor/Diagnostics/eventsDiscarded``.
  case discard(through: UInt64)
}

extension Monitor.Event {
  /// The event without its location, as in a record.
  public var withoutLocation: Self {
    Self(
      identifier: identifier, number: number, state: state, previousState: previousState,
      date: date, refinement: refinement, diagnostics: diagnostics, isRepeated: isRepeated)
  }
}
