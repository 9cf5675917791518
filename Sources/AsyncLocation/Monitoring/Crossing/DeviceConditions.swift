/// The states of all conditions for one device.
///
/// Only what differs from "unsatisfied" is stored, so a device far from every area takes no memory,
/// and a fix costs as many steps as there are areas around it.
struct DeviceConditions: Sendable {
  /// A change of a condition's state.
  struct Change: Sendable, Hashable {
    let slot: ConditionTable.Slot
    let previousState: Monitor.State
    let state: Monitor.State
  }

  private struct Entry: Sendable {
    var machine: CrossingStateMachine
    let revision: UInt32
  }

  /// By slot. An entry of another revision belongs to a condition that was removed.
  private var entries: [Int32: Entry] = [:]
  /// Conditions with a later revision and no entry are unknown. Nil if none is.
  private var seen: UInt32?

  /// - Parameter isNew: True when every condition is unknown until the first fix.
  init(isNew: Bool) { seen = isNew ? 0 : nil }

  /// Sets the state of a condition.
  mutating func set(
    _ state: Monitor.State, candidate: CrossingStateMachine.Candidate? = nil,
    _ slot: ConditionTable.Slot, in table: ConditionTable
  ) {
    set(CrossingStateMachine(state, candidate: candidate), slot, in: table)
  }

  private mutating func set(
    _ machine: CrossingStateMachine, _ slot: ConditionTable.Slot, in table: ConditionTable
  ) {
    entries[Int32(slot)] =
      machine.isAtRest ? nil : Entry(machine: machine, revision: table.revision(of: slot))
  }

  func state(of slot: ConditionTable.Slot, in table: ConditionTable) -> Monitor.State {
    machine(of: slot, in: table).state
  }

  func candidate(
    of slot: ConditionTable.Slot, in table: ConditionTable
  ) -> CrossingStateMachine.Candidate? {
    machine(of: slot, in: table).candidate
  }

  /// The slots whose conditions are satisfied.
  func satisfied(in table: ConditionTable) -> [ConditionTable.Slot] {
    entries.filter {
      $1.machine.state == .satisfied && table.isCurrent(Int($0), revision: $1.revision)
    }.map { Int($0.key) }
  }

  private func machine(
    of slot: ConditionTable.Slot, in table: ConditionTable
  ) -> CrossingStateMachine {
    let revision = table.revision(of: slot)
    if let entry = entries[Int32(slot)], entry.revision == revision { return entry.machine }
    return CrossingStateMachine(seen.map { revision > $0 } == true ? .unknown : .unsatisfied)
  }

  // MARK: Observing

  /// Observes a fix.
  ///
  /// - Parameters:
  ///   - accuracy: Metres; nil if it is unknown.
  ///   - instant: When the fix arrived, on a monotonic clock.
  ///   - candidates: Receives the slots whose candidates began or were dropped without a change of
  ///     state.
  /// - Returns: The changes, in the order of the slots.
  mutating func observe(
    _ point: AreaPoint, accuracy: Double?, at instant: Duration, in table: ConditionTable,
    _ options: CrossingOptions, candidates: inout [ConditionTable.Slot]
  ) -> [Change] {
    let accuracy = accuracy ?? options.assumedAccuracy
    let fix = Fix(
      point: point, margin: max(accuracy, options.minimumMargin),
      mayDoubt: accuracy <= options.leastAccuracy, instant: instant)
    var changes: [Change] = []
    var inside: [ConditionTable.Slot] = []
    table.visit(containing: point) { slot in
      if entries[Int32(slot)]?.revision != table.revision(of: slot) { inside.append(slot) }
    }
    // Copied, because steps change the entries.
    for (slot, entry) in Array(entries) {
      if table.isCurrent(Int(slot), revision: entry.revision) {
        step(Int(slot), fix, in: table, options, &changes, &candidates)
      } else {
        entries[slot] = nil
      }
    }
    for slot in inside { step(slot, fix, in: table, options, &changes, &candidates) }
    if seen != nil, fix.mayDoubt { seen = table.lastRevision }
    if changes.count > 1 { changes.sort { $0.slot < $1.slot } }
    return changes
  }

  /// Observes whether a beacon is received. A beacon that is not received counts as lost after the
  /// time of confirmation.
  mutating func observe(
    isReceived: Bool, _ slot: ConditionTable.Slot, at instant: Duration, in table: ConditionTable,
    _ options: CrossingOptions
  ) -> Change? {
    let (before, after) = step(
      slot, .init(side: isReceived ? .inside : .outside, isCertain: isReceived, instant: instant),
      in: table, options)
    return Change(slot, from: before, to: after)
  }

  private struct Fix {
    let point: AreaPoint
    let margin: Double
    /// False when the fix counts only if it leaves no doubt.
    let mayDoubt: Bool
    let instant: Duration
  }

  private mutating func step(
    _ slot: ConditionTable.Slot, _ fix: Fix, in table: ConditionTable, _ options: CrossingOptions,
    _ changes: inout [Change], _ candidates: inout [ConditionTable.Slot]
  ) {
    guard let (side, isCertain) = table.side(of: fix.point, to: slot, margin: fix.margin),
      isCertain || fix.mayDoubt
    else { return }
    let (before, after) = step(
      slot, .init(side: side, isCertain: isCertain, instant: fix.instant), in: table, options)
    if let change = Change(slot, from: before, to: after) {
      changes.append(change)
    } else if before.candidate?.since != after.candidate?.since
      || before.candidate?.isCertain != after.candidate?.isCertain
    {
      candidates.append(slot)
    }
  }

  /// Lets the machine of a condition observe, and returns it as it was and as it is.
  private mutating func step(
    _ slot: ConditionTable.Slot, _ observation: CrossingStateMachine.Observation,
    in table: ConditionTable, _ options: CrossingOptions
  ) -> (before: CrossingStateMachine, after: CrossingStateMachine) {
    let before = machine(of: slot, in: table)
    var after = before
    after.observe(observation, dwell: table.dwell(of: slot), options)
    set(after, slot, in: table)
    return (before, after)
  }
}

extension DeviceConditions.Change {
  /// Nil if the state is the same.
  fileprivate init?(
    _ slot: ConditionTable.Slot, from before: CrossingStateMachine, to after: CrossingStateMachine
  ) {
    guard before.state != after.state else { return nil }
    self.init(slot: slot, previousState: before.state, state: after.state)
  }
}
