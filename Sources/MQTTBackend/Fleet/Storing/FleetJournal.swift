import AsyncLocation
import LocationFleet

/// Changes that are stored together.
struct FleetBatch: Sendable, Equatable {
  let changes: [FleetStorageChange]
  /// The position of the last change.
  let position: FleetJournal.Position

  /// The number of locations in the batch.
  var locationCount: UInt64 {
    changes.reduce(0) { count, change in
      if case .location = change { count + 1 } else { count }
    }
  }
}

/// The changes of a fleet that are not stored yet, in their order. Pure.
///
/// While the storage fails, changes are retained up to a limit. Beyond it, superseded changes are
/// dropped: of the locations, states and events, only the last location and states of each device
/// and the newest events are retained.
struct FleetJournal: Sendable {
  /// The number of changes up to and including a change, which identifies it.
  typealias Position = UInt64

  private(set) var changes: [FleetStorageChange] = []
  /// The position of the last change.
  private(set) var position: Position = 0
  /// The position of the last change that is stored.
  private(set) var stored: Position = 0
  /// The number of the last event.
  private(set) var lastNumber: UInt64
  /// The highest revision of the added conditions.
  private var lastRevision: UInt32 = 0
  /// The counts of dropped locations and events.
  private(set) var droppedLocations: UInt64 = 0
  private(set) var droppedEvents: UInt64 = 0

  /// Whether the next commit must survive a loss of power.
  private var isSynchronized = false

  private let limit: Int
  private let eventLimit: Int
  /// The number of changes above which they are condensed.
  private var threshold: Int

  init(lastNumber: UInt64 = 0, limit: Int, eventLimit: Int) {
    (self.lastNumber, self.limit, self.eventLimit) = (lastNumber, limit, eventLimit)
    threshold = limit
  }

  var isEmpty: Bool { changes.isEmpty }

  mutating func add(_ change: FleetStorageChange) {
    if case .add(let condition) = change { lastRevision = max(lastRevision, condition.revision) }
    changes.append(change)
    position += 1
    if changes.count > threshold { compact() }
  }

  /// Makes the commit of the pending changes survive a loss of power.
  mutating func synchronize() { isSynchronized = true }

  /// Assigns the number of the next event.
  mutating func assignNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  /// Removes and returns all changes, for a commit; nil if there are none.
  mutating func take() -> FleetBatch? {
    guard !changes.isEmpty else { return nil }
    threshold = limit
    if exchange(&isSynchronized, with: false) { changes.append(.synchronize) }
    return FleetBatch(changes: exchange(&changes, with: []), position: position)
  }

  /// Records that the changes up to a position are stored.
  mutating func commit(through position: Position) { stored = max(stored, position) }

  // MARK: Compaction

  private mutating func compact() {
    var retained: [FleetStorageChange] = []
    var compaction = Compaction(eventLimit: eventLimit)
    for change in changes.reversed() where compaction.retains(change) { retained.append(change) }
    retained.reverse()
    // The events and conditions with these numbers may have been dropped.
    changes = [.numbers(lastNumber: lastNumber, lastRevision: lastRevision)] + retained
    droppedLocations += compaction.droppedLocations
    droppedEvents += compaction.droppedEvents
    threshold = max(limit, 2 * changes.count)
  }

  /// Decides which changes to retain, from the last change to the first.
  private struct Compaction {
    let eventLimit: Int
    var droppedLocations: UInt64 = 0
    var droppedEvents: UInt64 = 0
    /// The devices whose last location, or last states, are retained.
    private var withLocation: Set<FleetDevice.ID> = []
    private var withStates: Set<FleetDevice.ID> = []
    private var forgotten: Set<FleetDevice.ID> = []
    private var erased: Set<FleetDevice.ID> = []
    private var identifiers: Set<ExactText> = []
    private var finished: Set<UInt64> = []
    private var events = 0

    init(eventLimit: Int) { self.eventLimit = eventLimit }

    mutating func retains(_ change: FleetStorageChange) -> Bool {
      switch change {
      case .location(let id, _, let isLast):
        if isLast, !forgotten.contains(id), withLocation.insert(id).inserted { return true }
        if !erased.contains(id) { droppedLocations += 1 }
        return false
      case .states(let id, _): return !forgotten.contains(id) && withStates.insert(id).inserted
      case .add(let condition):
        return identifiers.insert(ExactText(condition.condition.identifier)).inserted
      case .remove(let identifier): return identifiers.insert(ExactText(identifier)).inserted
      case .finish(let number):
        finished.insert(number)
        return true
      case .offer(let number): return !finished.contains(number)
      case .event(let event):
        guard !finished.contains(event.number), !erased.contains(event.device) else { return false }
        events += 1
        if events > eventLimit { droppedEvents += 1 }
        return events <= eventLimit
      case .numbers, .synchronize: return false
      case .forget(let id): return forgotten.insert(id).inserted
      case .erase(let id):
        forgotten.insert(id)
        return erased.insert(id).inserted
      }
    }
  }
}
