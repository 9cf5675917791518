import FoundationEssentials

/// Decides the states and events of a monitor. Its methods return the changes to store, in order.
struct MonitorStateMachine: Sendable {
  private var table = ConditionTable()
  private var device = DeviceConditions(isNew: false)
  /// By slot: the last event that a consumer finished.
  private var finished: [FinishedEvent?] = []
  /// By slot: the number of the last event before the condition was added.
  private var numberBefore: [UInt64] = []
  /// By slot: the refinement of the last finished event. Few events have one.
  private var refinements: [ConditionTable.Slot: Condition] = [:]
  /// By slot: the stored candidates, until the first fix.
  private var storedCandidates: [ConditionTable.Slot: StoredCondition.Candidate] = [:]
  /// By slot: the times of changes whose events no consumer has finished, until the first fix.
  private var storedChanges: [ConditionTable.Slot: Date] = [:]
  /// Whether the stored candidates and changes were restored or dropped.
  private var isRestored = false
  private var timeline = FixTimeline(longestStep: .seconds(3_600))
  /// The number of the last event.
  private(set) var lastNumber: UInt64
  /// The reasons why nothing is monitored; empty while conditions are monitored.
  private var suspension: Monitor.Diagnostics = []
  private let options: CrossingOptions
  private let canRangeBeacons: Bool

  init(_ stored: StoredMonitor, _ options: CrossingOptions, canRangeBeacons: Bool) {
    self.options = options
    self.canRangeBeacons = canRangeBeacons
    lastNumber = stored.lastNumber
    table.reserve(stored.conditions.count)
    finished.reserveCapacity(stored.conditions.count)
    numberBefore.reserveCapacity(stored.conditions.count)
    for condition in stored.conditions {
      let slot = insert(
        condition.condition, identifier: condition.identifier, state: condition.state)
      finished[slot] = condition.lastEvent.map(FinishedEvent.init)
      // Once an event of the condition is finished, the number is no longer stored.
      if let last = finished[slot], last.isAssumption { numberBefore[slot] = last.number }
      if let refinement = condition.lastEvent?.refinement { refinements[slot] = refinement }
      storedCandidates[slot] = condition.candidate
    }
    device.resume(in: table)
    for event in stored.events.lazy.map(\.event)
    where event.isCrossing && !isOfReplacedCondition(event) {
      if let slot = table.slot(of: event.identifier) { storedChanges[slot] = event.date }
    }
  }

  // MARK: Conditions

  var count: Int { table.count }
  var identifiers: [String] { table.slots.map { table.identifier(of: $0) }.sorted() }
  /// True when beacons are to be ranged.
  var rangesBeacons: Bool { canRangeBeacons && !table.beacons.isEmpty }

  mutating func nextExpiry() -> Date? { table.nextExpiry() }

  /// Adds conditions. If a condition equals the one with its identifier, the state is kept; a
  /// different condition replaces the existing one.
  mutating func add(
    _ conditions: some Collection<(key: String, value: Condition)>, assuming state: Monitor.State,
    at date: Date
  ) -> [MonitorChange] {
    var changes: [MonitorChange] = []
    table.reserve(conditions.count)
    for (identifier, condition) in conditions where table.condition(for: identifier) != condition {
      let slot = insert(condition, identifier: identifier, state: state)
      let assumption = Monitor.Event(
        identifier: identifier, number: lastNumber, state: state, previousState: state, date: date)
      finished[slot] = FinishedEvent(assumption)
      numberBefore[slot] = lastNumber
      changes.append(
        .add(
          StoredCondition(
            identifier: identifier, condition: condition, state: state, lastEvent: assumption)))
      if let obstacle = obstacle(to: slot) {
        changes.append(stop(slot, because: obstacle, at: date))
      }
    }
    return changes
  }

  mutating func remove(_ identifiers: some Sequence<String>) -> [MonitorChange] {
    identifiers.compactMap { identifier in
      guard let slot = table.slot(of: identifier) else { return nil }
      refinements[slot] = nil
      storedCandidates[slot] = nil
      storedChanges[slot] = nil
      _ = table.remove(identifier)
      return .remove(identifier: identifier)
    }
  }

  /// Removes the conditions whose expiry has passed.
  mutating func expire(at date: Date) -> [MonitorChange] {
    table.takeExpired(at: date).flatMap { slot in
      let event = stop(slot, because: .conditionExpired, at: date)
      return [event] + remove([table.identifier(of: slot)])
    }
  }

  func state(for identifier: String) -> Monitor.State? {
    table.slot(of: identifier).map { device.state(of: $0, in: table) }
  }

  func record(for identifier: String) -> Monitor.Record? {
    guard let slot = table.slot(of: identifier) else { return nil }
    return Monitor.Record(
      condition: table.condition(of: slot),
      lastEvent: finished[slot]?.event(identifier, refinement: refinements[slot])
        ?? Monitor.Event(
          identifier: identifier, number: 0, state: .unknown, previousState: .unknown,
          date: Date(timeIntervalSinceReferenceDate: 0)))
  }

  /// Whether an unfinished event is of a condition that was replaced by one with the same
  /// identifier.
  func isOfReplacedCondition(_ event: Monitor.Event) -> Bool {
    table.slot(of: event.identifier).map { event.number <= numberBefore[$0] } ?? false
  }

  private mutating func insert(
    _ condition: Condition, identifier: String, state: Monitor.State
  ) -> ConditionTable.Slot {
    let slot = table.add(condition, identifier: identifier)
    while finished.count <= slot {
      finished.append(nil)
      numberBefore.append(0)
    }
    // Clears the values of the condition that is replaced, or that had the slot.
    (finished[slot], numberBefore[slot]) = (nil, 0)
    refinements[slot] = nil
    storedCandidates[slot] = nil
    storedChanges[slot] = nil
    device.set(state, slot, in: table)
    return slot
  }

  // MARK: Observations

  /// Observes a location.
  ///
  /// - Parameter arrival: The arrival time, on the manager's monotonic clock.
  mutating func observe(
    _ location: Location, at arrival: Duration
  ) -> [MonitorChange] {
    guard suspension.isEmpty, options.counts(location) else { return [] }
    let instant = timeline.add(location, at: arrival)
    restore(at: location.timestamp, instant)
    var candidates: [ConditionTable.Slot] = []
    let changes = device.observe(
      AreaPoint(location.coordinate), accuracy: location.horizontalAccuracy, at: instant,
      in: table, options, candidates: &candidates)
    return changes.map { .event(event($0, at: location.timestamp, location)) }
      + candidates.map { slot in
        .candidate(
          identifier: table.identifier(of: slot),
          stored(device.candidate(of: slot, in: table), at: location.timestamp, instant))
      }
  }

  /// Observes the beacons that the backend receives.
  mutating func observe(
    _ beacons: [Beacon], at date: Date, _ instant: Duration
  ) -> [MonitorChange] {
    guard suspension.isEmpty else { return [] }
    return table.beacons.sorted().compactMap { slot in
      guard case .beacon(let identity) = table.condition(of: slot).subject else { return nil }
      let beacon = beacons.first(where: identity.matches)
      let change = device.observe(
        isReceived: beacon != nil, slot, at: instant, in: table, options)
      guard let change else { return nil }
      let refinement = beacon.map {
        Condition.beacon(BeaconIdentityConstraint(uuid: $0.uuid, major: $0.major, minor: $0.minor))
      }
      return .event(event(change, at: date, nil, refinement))
    }
  }

  /// Sets the reasons why nothing is monitored. Without reasons, monitoring resumes.
  mutating func suspend(
    because reasons: Monitor.Diagnostics, at date: Date
  ) -> [MonitorChange] {
    guard reasons != suspension else { return [] }
    let wasMonitoring = suspension.isEmpty
    suspension = reasons
    guard wasMonitoring, !reasons.isEmpty else { return [] }
    // After a suspension, the stored candidates and changes are out of date.
    defer { endRestoring() }
    return stop(Array(table.slots), because: reasons, at: date)
  }

  /// Records that a consumer finished an event. The event is ignored if its condition was replaced,
  /// or if a consumer has finished a later event of the condition.
  mutating func finish(_ event: Monitor.Event) {
    guard let slot = table.slot(of: event.identifier),
      finished[slot].map({ event.number > $0.number }) ?? true
    else { return }
    finished[slot] = FinishedEvent(event)
    refinements[slot] = event.refinement
  }

  /// Clears the refinements, which reveal received beacons. Returns false if there were none.
  mutating func forgetRefinements() -> Bool { !exchange(&refinements, with: [:]).isEmpty }

  /// Stops monitoring conditions that the backend cannot monitor. Called once, at the start.
  mutating func stopUnsupported(at date: Date) -> [MonitorChange] {
    guard !canRangeBeacons else { return [] }
    return stop(table.beacons.sorted(), because: .conditionUnsupported, at: date)
  }

  /// The conditions to store.
  ///
  /// - Parameters:
  ///   - date: The current time of the host's wall clock.
  ///   - now: The current instant of the manager's monotonic clock.
  func stored(at date: Date, _ now: Duration) -> [StoredCondition] {
    table.slots.map { slot in
      let instant = table.beacons.contains(slot) ? now : timeline.instant(at: now)
      let identifier = table.identifier(of: slot)
      return StoredCondition(
        identifier: identifier, condition: table.condition(of: slot),
        state: device.state(of: slot, in: table),
        candidate: stored(device.candidate(of: slot, in: table), at: date, instant),
        lastEvent: finished[slot]?.stored(identifier, refinement: refinements[slot]))
    }
  }

  // MARK: Events

  /// The reasons why a condition cannot be monitored at the moment; nil if it can.
  private func obstacle(to slot: ConditionTable.Slot) -> Monitor.Diagnostics? {
    if !canRangeBeacons, table.beacons.contains(slot) { return .conditionUnsupported }
    return suspension.isEmpty ? nil : suspension
  }

  /// Stops monitoring conditions, and clears the candidates of those that are unmonitored already.
  private mutating func stop(
    _ slots: [ConditionTable.Slot], because reasons: Monitor.Diagnostics, at date: Date
  ) -> [MonitorChange] {
    slots.compactMap { slot in
      device.state(of: slot, in: table) == .unmonitored
        ? forgetCandidate(of: slot) : stop(slot, because: reasons, at: date)
    }
  }

  /// Clears the candidate of an unmonitored condition. After a suspension, a condition stays
  /// unmonitored until its state is determined.
  private mutating func forgetCandidate(of slot: ConditionTable.Slot) -> MonitorChange? {
    let identifier = table.identifier(of: slot)
    guard device.candidate(of: slot, in: table) != nil || storedCandidates[slot] != nil
    else { return nil }
    device.set(.unmonitored, slot, in: table)
    return .candidate(identifier: identifier, nil)
  }

  private mutating func stop(
    _ slot: ConditionTable.Slot, because reasons: Monitor.Diagnostics, at date: Date
  ) -> MonitorChange {
    let change = DeviceConditions.Change(
      slot: slot, previousState: device.state(of: slot, in: table), state: .unmonitored)
    device.set(.unmonitored, slot, in: table)
    return .event(event(change, at: date, nil, diagnostics: reasons))
  }

  private mutating func event(
    _ change: DeviceConditions.Change, at date: Date, _ location: Location?,
    _ refinement: Condition? = nil, diagnostics: Monitor.Diagnostics = []
  ) -> Monitor.Event {
    lastNumber += 1
    return Monitor.Event(
      identifier: table.identifier(of: change.slot), number: lastNumber, state: change.state,
      previousState: change.previousState, date: date, location: location, refinement: refinement,
      diagnostics: diagnostics)
  }

  // MARK: Candidates

  private func stored(
    _ candidate: CrossingStateMachine.Candidate?, at date: Date, _ instant: Duration
  ) -> StoredCondition.Candidate? {
    guard let candidate else { return nil }
    return StoredCondition.Candidate(
      isInside: candidate.side == .inside, isCertain: candidate.isCertain,
      since: date - ExactSeconds.number(instant - candidate.since))
  }

  // MARK: Restarts

  /// Restores the candidates and recent changes from before a restart, at the first fix.
  private mutating func restore(at date: Date, _ instant: Duration) {
    guard !isRestored else { return }
    restoreChanges(at: date, instant)
    restoreCandidates(at: date, instant)
    endRestoring()
  }

  private mutating func endRestoring() {
    isRestored = true
    (storedCandidates, storedChanges) = ([:], [:])
  }

  /// Restores the stored candidates, unless too much time has passed.
  private mutating func restoreCandidates(at date: Date, _ instant: Duration) {
    for (slot, candidate) in storedCandidates {
      // An earlier version also stored doubtful candidates of conditions whose state was known.
      let isUsable = candidate.isCertain || !device.state(of: slot, in: table).isDetermined
      let longest = max(options.longestGap, table.dwell(of: slot))
      guard isUsable, let elapsed = ExactSeconds.duration(date.timeIntervalSince(candidate.since)),
        elapsed >= .zero, elapsed <= longest
      else { continue }
      device.restore(
        .init(
          side: candidate.isInside ? .inside : .outside, isCertain: candidate.isCertain,
          since: instant - elapsed, latest: instant - elapsed),
        nil, slot, in: table)
    }
  }

  /// Restores the last change of each condition, if it is recent. The number of earlier changes is
  /// not stored.
  private mutating func restoreChanges(at date: Date, _ instant: Duration) {
    for slot in table.slots where !table.beacons.contains(slot) {
      let lastFinished = finished[slot].flatMap { $0.isCrossing ? $0.date : nil }
      guard let changed = storedChanges[slot] ?? lastFinished,
        let elapsed = ExactSeconds.duration(date.timeIntervalSince(changed)), elapsed >= .zero,
        let changes = RecentChanges(1, since: instant - elapsed, at: instant, options)
      else { continue }
      device.restore(nil, changes, slot, in: table)
    }
  }
}

/// A finished event without the values that its condition determines: 32 bytes.
private struct FinishedEvent: Sendable {
  let number: UInt64
  let date: Date
  let diagnostics: Monitor.Diagnostics
  let state: Monitor.State
  let previousState: Monitor.State
  let isRepeated: Bool

  init(_ event: Monitor.Event) {
    number = event.number
    date = event.date
    diagnostics = event.diagnostics
    state = event.state
    previousState = event.previousState
    isRepeated = event.isRepeated
  }

  var isCrossing: Bool { state.isChange(from: previousState) }

  /// Whether the value represents the state with which a condition was added. Its number is then
  /// the number of the last event before the addition.
  var isAssumption: Bool { state == previousState }

  func event(_ identifier: String, refinement: Condition?) -> Monitor.Event {
    stored(identifier, number: isAssumption ? 0 : number, refinement: refinement)
  }

  func stored(_ identifier: String, refinement: Condition?) -> Monitor.Event {
    stored(identifier, number: number, refinement: refinement)
  }

  private func stored(
    _ identifier: String, number: UInt64, refinement: Condition?
  ) -> Monitor.Event {
    Monitor.Event(
      identifier: identifier, number: number, state: state, previousState: previousState,
      date: date, refinement: refinement, diagnostics: diagnostics, isRepeated: isRepeated)
  }
}
