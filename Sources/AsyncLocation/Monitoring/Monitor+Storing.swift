/// Stores what changes, one write at a time.
extension Monitor {
  /// Stores changes after all earlier ones, then delivers their events.
  ///
  /// - Parameter stamp: The permission under which the positions were made that caused them.
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

  /// The number of changes at which locations wait for the storage, too.
  private static var pendingLimit: Int { 16_384 }

  /// Stores changes as ``store(_:_:)`` does, but returns at once: locations do not wait for the
  /// storage, unless it is very far behind.
  func storeSoon(_ changes: [MonitorChange], _ stamp: DeliveryStamp) async {
    guard pending.count < Self.pendingLimit else { return await store(changes, stamp) }
    guard !changes.isEmpty || isStorageDue else { return }
    pending += changes.map { ($0, stamp) }
    startStoring()
  }

  private func startStoring() {
    guard !isStoring else { return }
    isStoring = true
    // A task of its own: the caller's cancellation does not reach the storage.
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
        var added: Diagnostics = isStored ? [] : .persistenceUnavailable
        // The identifier may name another condition since the event was made.
        if machine.isOfReplacedCondition(event) { added.insert(.conditionReplaced) }
        let stamped = StampedEvent(event.with(added, isRepeated: false), stamp)
        guard stamped.tellsPlace, !manager.hub.gate.admits(stamp) else { return stamped }
        // Permission went while it was being stored.
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

  /// Lets the next event that is stored report that locations were lost.
  private func markLosses() {
    guard hasLostLocations else { return }
    for index in pending.indices {
      guard case .event(let event) = pending[index].change else { continue }
      pending[index].change = .event(event.with(.locationsDiscarded, isRepeated: false))
      hasLostLocations = false
      return
    }
  }

  /// Whether the storage has something to do now, although nothing changes.
  private var isStorageDue: Bool { journal.isDue(at: manager.hub.timeline.now()) }

  /// Tries a storage that failed again, also when nothing changes: permission may have been withdrawn
  /// for what it has.
  private func setRetryTimer() {
    let instant = isClosed ? nil : journal.retry
    guard instant != retry?.instant else { return }
    retry?.timer.cancel()
    retry = instant.map { ($0, timer(until: $0) { await $0.store([]) }) }
  }

  /// Stores the rest when the monitor closes. A storage that failed is tried once more.
  func storeLast(_ changes: [MonitorChange]) async {
    retry?.timer.cancel()
    await store(changes)
    // A discard can follow what was being stored.
    while isStoring { await store([]) }
    // Permission may go meanwhile, which nothing follows any more.
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
      // The next try can be due when this one has ended.
    } while isStoring || !gate.admits(seenPermission)
  }

  /// A change without what permission no longer covers.
  private func readable(_ change: MonitorChange, _ stamp: DeliveryStamp) -> MonitorChange {
    guard case .event(let event) = change, !manager.hub.gate.admits(stamp) else { return change }
    return .event(StampedEvent(event, stamp).withheld.event)
  }

  /// Delivers events to ``LocationManager/events``.
  private func report(_ events: [StampedEvent]) {
    for event in events {
      let told = event.event.withoutFormerState
      manager.hub.decide {
        $0.report(.didChangeCondition(told, monitor: name), ofPosition: event.stamp, &$1)
      }
    }
  }

  /// Returns false when the storage does not work.
  private func write(_ changes: [(MonitorChange, DeliveryStamp)]) async -> Bool {
    guard !changes.isEmpty || isStorageDue else { return journal.problem == nil }
    let timeline = manager.hub.timeline
    let instant = timeline.now()
    // The next write may fail, or this process may end before it. Another withdrawal may follow
    // meanwhile.
    withholdEvents(isPermitted: !isWithheld)
    while let number = journal.withdrawalToTell(at: instant) {
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
        // The file may have been damaged, and set aside just now.
        if isWithheld { deletesRemains = true }
      case .skip: return false
      }
      // After a withdrawal during the write, what was written is what must not remain.
      if deletesRemains, manager.hub.gate.admits(permission) { try await session.deleteRemains() }
      journal.succeeded()
      return true
    } catch {
      journal.failed(error, at: timeline.now(), keepingRemains: deletesRemains)
      return false
    }
  }

  /// Everything to be stored, with the events of changes that are not in the queue yet.
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
