import AsyncLocation
import FoundationEssentials
import LocationFleet

/// The part of a fleet's state that concerns its storage.
struct FleetStoring: Sendable {
  /// What is not stored yet; nil without a storage.
  var journal: FleetJournal?
  /// The stored events that no consumer has finished.
  var queue = FleetEventQueue()
  /// Wakes the writer; nil without one.
  var wake: (@Sendable () -> Void)?
  /// Lets the writer store what is left, and end.
  var finish: (@Sendable () -> Void)?
  /// Why the last commit failed; nil once one succeeded.
  var problem: LocationError?
  /// Nothing is stored any more.
  var isEnded = false
  /// The error with which the events' streams end once everything is stored.
  var streamError: LocationError?

  /// Whether a writer stores what is decided.
  var isOpen: Bool { wake != nil && !isEnded }
  /// The events that were discarded from the queue.
  private(set) var discardedEvents: UInt64 = 0
  /// The devices whose removal is not stored yet: their events are not offered any more.
  var erased: Set<FleetDevice.ID> = []

  /// Offers events that are stored.
  ///
  /// - Parameter limit: The number of events that may wait.
  mutating func offer(_ events: [FleetEvent], limit: Int) {
    for number in queue.append(events, limit: limit) {
      journal?.add(.finish(number: number))
      discardedEvents += 1
    }
  }

  /// Removes a device, its history and its events.
  mutating func erase(_ device: FleetDevice.ID) {
    queue.erase(device)
    erased.insert(device)
    journal?.add(.erase(device))
  }

  /// Takes an event, and returns the position at which it is stored as offered.
  mutating func takeEvent() -> (FleetEvent?, FleetJournal.Position) {
    guard let event = queue.take() else { return (nil, 0) }
    journal?.add(.offer(number: event.number))
    return (event, journal?.position ?? 0)
  }

  mutating func finish(_ number: UInt64) {
    if queue.finish(number) { journal?.add(.finish(number: number)) }
  }
}

extension FleetState {
  /// Continues from what a storage has.
  mutating func restore(_ stored: StoredFleet, at now: FleetTime) {
    storing.journal = FleetJournal(
      lastNumber: stored.lastNumber, limit: limits.unstoredChanges,
      eventLimit: limits.unfinishedEvents)
    storing.queue = FleetEventQueue(stored.events)
    for condition in stored.conditions {
      let fleetCondition = condition.condition
      tracker.restore(
        fleetCondition.condition, identifier: fleetCondition.identifier,
        revision: condition.revision)
      audiences[condition.revision] = fleetCondition.audience
    }
    tracker.continueRevisions(after: stored.lastRevision)
    var states: [(DeviceDirectory.Slot, DeviceStates)] = []
    for device in stored.devices {
      let slot = intake.restore(device.id, device.location, at: now)
      guard var last = device.states.flatMap(DeviceStates.init) else { continue }
      // States are stored when they change; the last location may be later.
      last.latest = .seconds(device.location.timestampSeconds)
      states.append((slot, last))
    }
    tracker.restore(states.map { (device: $0.0, states: $0.1) })
  }

  /// Everything but the history.
  var wholeContent: [FleetStorageChange] {
    let conditions = tracker.identifiers.compactMap { identifier in
      storedCondition(identifier).map(FleetStorageChange.add)
    }
    let devices = intake.locatedDevices.flatMap { id, slot, location in
      [.location(id, location, isLast: true)]
        + (tracker.states(of: slot).map { [FleetStorageChange.states(id, $0.bytes)] } ?? [])
    }
    let events = storing.queue.unfinished.flatMap { event in
      [.event(event)] + (event.isRepeated ? [FleetStorageChange.offer(number: event.number)] : [])
    }
    return conditions + devices + events
  }

  /// A condition as it is stored.
  func storedCondition(_ identifier: String) -> StoredFleet.Condition? {
    guard let condition = tracker.condition(for: identifier),
      let revision = tracker.revision(of: identifier)
    else { return nil }
    return StoredFleet.Condition(
      FleetCondition(
        identifier: identifier, condition: condition, audience: audiences[revision]),
      revision: revision)
  }

  /// Changes are stored: their events are offered.
  mutating func stored(
    _ changes: [FleetStorageChange], through position: FleetJournal.Position,
    waking wakes: inout Wakes
  ) {
    storing.journal?.commit(through: position)
    let stored = changes.compactMap { change in
      if case .event(let event) = change { event } else { nil }
    }.filter { !storing.erased.contains($0.device) }
    for case .erase(let id) in changes { storing.erased.remove(id) }
    storing.offer(stored, limit: limits.unfinishedEvents)
    events.push(stored, waking: &wakes)
    guard storing.problem != nil else { return }
    storing.problem = nil
    self.changes.push([.storageRecovered], waking: &wakes)
  }

  mutating func storingFailed(_ error: LocationError, waking wakes: inout Wakes) {
    if storing.problem == nil { changes.push([.storageFailed], waking: &wakes) }
    storing.problem = error
  }
}

/// The audiences of conditions that are not for all devices, by revision. Pure.
struct FleetAudiences: Sendable {
  private var audiences: [UInt32: FleetCondition.Audience] = [:]

  subscript(_ revision: UInt32) -> FleetCondition.Audience {
    get { audiences[revision] ?? .all }
    set { audiences[revision] = newValue == .all ? nil : newValue }
  }

  /// Whether the condition of a revision is for a device; nil if all are for all devices.
  func filter(for device: FleetDevice.ID) -> ((_ revision: UInt32) -> Bool)? {
    guard !audiences.isEmpty else { return nil }
    return { [audiences] revision in audiences[revision]?.contains(device) ?? true }
  }
}
