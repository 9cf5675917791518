/// Stores changes, one write at a time.
extension Monitor {
  /// Stores changes after all earlier ones, then delivers their events. Returns when both are done.
  /// Without changes, waits for the write in progress or performs one that is due.
  ///
  /// - Parameter stamp: The permission under which the positions that caused the changes were made.
  func store(
    _ changes: [MonitorChange], _ stamp: DeliveryStamp = .unrestricted
  ) async {
    guard !changes.isEmpty || isStoring || isStorageDue else { return }
    pending += changes.map { ($0, stamp) }
    await withCheckedContinuation { waiter in
      waiters.append(waiter)
      startStoring()
    }
  }

  /// From this number of pending changes on, locations wait for the storage.
  private static var pendingLimit: Int { 16_384 }

  /// Stores changes as ``store(_:_:)`` does, but returns at once: locations do not wait for the
  /// storage, unless too many changes are pending.
  func storeSoon(_ changes: [MonitorChange], _ stamp: DeliveryStamp) async {
    guard pending.count < Self.pendingLimit else { return await store(changes, stamp) }
    guard !changes.isEmpty || isStorageDue else { return }
    pending += changes.map { ($0, stamp) }
    startStoring()
  }

  private func startStoring() {
    guard !isStoring else { return }
    isStoring = true
    // A separate task, so that cancelling the caller does not cancel the write.
    activity?.begin()
    Task.detached(executorPreference: manager.hub.executor) {
      await self.storePending()
      self.activity?.end()
    }
  }

  private func storePending() async {
    while !pending.isEmpty || !waiters.isEmpty || isStorageDue {
      markLosses()
      let (changes, callers) = (pending, waiters)
      (pending, waiters) = ([], [])
      let isStored = await write(changes)
      let events = changes.compactMap { change, stamp -> StampedEvent? in
        guard case .event(let event) = change else { return nil }
        var diagnostics: Diagnostics = isStored ? [] : .persistenceUnavailable
        // The condition may have been replaced since the event was made.
        if machine.isOfReplacedCondition(event) { diagnostics.insert(.conditionReplaced) }
        let stamped = StampedEvent(event.with(diagnostics, isRepeated: false), stamp)
        guard stamped.revealsPlace, !manager.hub.gate.admits(stamp) else { return stamped }
        // Permission was withdrawn while the event was being stored.
        journal.withdraw(isStored: true, through: event.number)
        return stamped.withheld
      }
      if let number = queue.push(events, limit: max(eventLimit, 2 * machine.count)) {
        pending.append((.discard(through: number), .unrestricted))
      }
      if reportsToManager { report(events) }
      for caller in callers { caller.resume() }
    }
    isStoring = false
    setRetryTimer()
  }

  /// If locations were lost, marks the next event to be stored with
  /// ``Diagnostics/locationsDiscarded``.
  private func markLosses() {
    guard hasLostLocations else { return }
    for index in pending.indices {
      guard case .event(let event) = pending[index].change else { continue }
      pending[index].change = .event(event.with(.locationsDiscarded, isRepeated: false))
      hasLostLocations = false
      return
    }
  }

  /// Whether a write is due even without changes.
  private var isStorageDue: Bool { journal.isDue(at: manager.hub.timeline.now()) }

  /// Schedules the next attempt after the storage failed. The attempt is made even without changes,
  /// because permission for the stored content may have been withdrawn.
  private func setRetryTimer() {
    let instant = isClosed ? nil : journal.retry
    guard instant != retry?.instant else { return }
    retry?.timer.cancel()
    retry = instant.map { ($0, timer(until: $0) { await $0.store([]) }) }
  }

  /// Stores the remaining changes when the monitor closes. A storage that failed is retried once.
  func storeLast(_ changes: [MonitorChange]) async {
    retry?.timer.cancel()
    await store(changes)
    // The write in progress may have discarded events, which is another change to store.
    while isStoring { await store([]) }
    // Permission is no longer observed, but may still be withdrawn.
    let gate = manager.hub.gate
    repeat {
      if gate.admits(seenPermission) {
        withholdEvents(isPermitted: !isWithheld)
      } else {
        seenPermission = gate.stamp(isPrecise: true)
        withholdPlaces()
      }
      journal.retryNow()
      await store([])
      // A further write may already be in progress when `store` returns.
    } while isStoring || !gate.admits(seenPermission)
  }

  /// Returns a change without the data that permission no longer covers.
  private func readable(_ change: MonitorChange, _ stamp: DeliveryStamp) -> MonitorChange {
    guard case .event(let event) = change, !manager.hub.gate.admits(stamp) else { return change }
    return .event(StampedEvent(event, stamp).withheld.event)
  }

  /// Delivers events to ``LocationManager/events``.
  private func report(_ events: [StampedEvent]) {
    for event in events {
      let reported = event.event.withoutPreviousState
      manager.hub.decide {
        $0.report(.didChangeCondition(reported, monitor: name), ofPosition: event.stamp, &$1)
      }
    }
  }

  /// Writes to the storage. Returns false if the write failed, or if it waits for the next attempt
  /// after a failure.
  private func write(_ changes: [(MonitorChange, DeliveryStamp)]) async -> Bool {
    guard !changes.isEmpty || isStorageDue else { return journal.problem == nil }
    let timeline = manager.hub.timeline
    let instant = timeline.now()
    // Withdrawals are reported to the storage first, because the write may fail or the process may
    // end before the write. The loop covers a withdrawal during the report.
    withholdEvents(isPermitted: !isWithheld)
    while let number = journal.withdrawalToReport(at: instant) {
      try? await session.withhold(through: number)
    }
    let permission = seenPermission
    let changes = changes.map(readable)
    var deletesRemains = false
    do throws(LocationError) {
      switch journal.write(at: instant) {
      case .commit(let isWithdrawn):
        deletesRemains = isWithdrawn
        if !changes.isEmpty { try await session.commit(changes) }
      case .replace(let isWithdrawn):
        deletesRemains = isWithdrawn
        try await session.replace(with: content(including: changes))
        // The replacement may have set a damaged file aside, which must be deleted, too.
        if isWithheld { deletesRemains = true }
      case .skip: return false
      }
      // After a withdrawal during the write, the content just written must be replaced first.
      if deletesRemains, manager.hub.gate.admits(permission) { try await session.deleteRemains() }
      journal.succeeded()
      return true
    } catch {
      journal.failed(error, at: timeline.now(), keepingRemains: deletesRemains)
      return false
    }
  }

  /// The whole content to store. It includes the events of `changes`, which are not in the queue
  /// yet.
  private func content(including changes: [MonitorChange]) -> StoredMonitor {
    let events = changes.compactMap { change -> StoredEvent? in
      guard case .event(let event) = change else { return nil }
      return StoredEvent(event)
    }
    return StoredMonitor(
      conditions: machine.stored(at: now(), manager.hub.timeline.now()),
      events: queue.unfinished + events, lastNumber: machine.lastNumber)
  }
}
