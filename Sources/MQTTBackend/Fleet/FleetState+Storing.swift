import AsyncLocation
import FoundationEssentials
import LocationFleet

extension FleetState {
  /// Restores the content of a storage.
  mutating func restore(_ stored: StoredFleet, at now: FleetTime) {
    storing.journal = FleetJournal(
      lastNumber: stored.lastNumber, limit: limits.unstoredChanges,
      eventLimit: limits.unfinishedEvents)
    storing.queue = FleetEventQueue(stored.events)
    storing.loss = stored.problem
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

  /// The whole content except the history.
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
    let numbers = FleetStorageChange.numbers(
      lastNumber: storing.journal?.lastNumber ?? 0, lastRevision: tracker.lastRevision)
    return [numbers] + conditions + devices + events
  }

  /// A condition in its stored form.
  func storedCondition(_ identifier: String) -> StoredFleet.Condition? {
    guard let condition = tracker.condition(for: identifier),
      let revision = tracker.revision(of: identifier)
    else { return nil }
    return StoredFleet.Condition(
      FleetCondition(
        identifier: identifier, condition: condition, audience: audiences[revision]),
      revision: revision)
  }

  /// Handles stored changes: offers and delivers their events.
  mutating func stored(
    _ changes: [FleetStorageChange], through position: FleetJournal.Position,
    waking wakes: inout Wakes
  ) {
    storing.journal?.commit(through: position)
    let storedEvents = storing.takeEvents(of: changes, through: position)
    storing.offer(storedEvents, limit: limits.unfinishedEvents)
    events.push(storedEvents, waking: &wakes)
    guard storing.problem != nil else { return }
    storing.problem = nil
    self.changes.push([.storageRecovered], waking: &wakes)
  }

  /// Handles a storage that has lost its content. No change may be decided between reading the
  /// whole content and taking the pending changes.
  ///
  /// - Parameter batch: The batch that was to be stored.
  /// - Returns: The whole content to store again, and the batch with all pending changes added.
  mutating func storageLost(
    _ error: LocationError, _ batch: FleetBatch, waking wakes: inout Wakes
  ) -> (whole: [FleetStorageChange], batch: FleetBatch) {
    storing.loss = error
    storing.confirmations.storageWasLost()
    changes.push([.storageLost], waking: &wakes)
    var batch = batch
    let whole = wholeContent
    if let waiting = storing.journal?.take() {
      batch = FleetBatch(changes: batch.changes + waiting.changes, position: waiting.position)
    }
    return (whole, batch)
  }

  mutating func storingFailed(_ error: LocationError, waking wakes: inout Wakes) {
    if storing.problem != error { changes.push([.storageFailed], waking: &wakes) }
    storing.problem = error
  }
}
