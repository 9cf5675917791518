/// The states of all conditions for one device.
///
/// A condition has an entry only while it is not at rest or, where there are many areas, while the
/// device is near its area. For each fix, the entries are examined whose boundary the device may
/// have reached since their last examination, and the entries with a candidate. So the cost of a
/// fix depends on the number of changes, not on the number of areas around the device.
///
/// While there are few areas around the device, comparing each fix with all of them costs less than
/// scheduling the comparisons.
struct DeviceConditions: Sendable {
  /// A change of a condition's state.
  struct Change: Sendable, Hashable {
    let slot: ConditionTable.Slot
    let previousState: Monitor.State
    let state: Monitor.State
  }

  private struct Entry: Sendable {
    /// Nil if the condition is at rest: the device is near the area, and no crossing has begun.
    var machine: CrossingStateMachine?
    let revision: UInt32
    /// The reading of the entry's latest addition to the queue; `never` if fixes do not affect the
    /// condition, NaN while the condition is examined.
    var due: ProximityQueue.Reading
  }

  private static let never = ProximityQueue.Reading.infinity
  /// From this number of areas on, an area is compared when a comparison is due, not with each fix.
  private static let schedulingThreshold = 64

  /// The entries by slot. If an entry's revision is not that of the slot, its condition was
  /// removed.
  private var entries: [Int32: Entry] = [:]
  /// Whether a condition is unknown until the first fix that it is compared with.
  private let startsUnknown: Bool
  /// The last revision that was compared with a fix. Conditions with later revisions were not
  /// compared yet.
  private(set) var compared: UInt32 = 0
  /// The time of the latest fix; nil before the first.
  private(set) var latest: Duration?
  /// Whether the last fix changed anything to be stored, except ``latest`` and recent changes that
  /// were forgotten.
  private(set) var hasChanged = false
  /// The slots of conditions that are stored only for their recent changes, in the order in which
  /// they became idle.
  private var recent: ArraySlice<Int32> = []
  /// The slots of entries, by the reading at which they are due. An addition is stale if its
  /// reading differs from the entry's `due`.
  private var queue = ProximityQueue()
  /// The crowded cells that the device has entered; all their conditions have entries.
  private var cells: Set<CubeCell> = []
  /// True if all conditions without cells have entries, because there are many of them.
  private var hasEntriesWithoutCells = false
  /// The table's last revision when the device entered the cells.
  private var enteredRevision: UInt32 = 0
  /// The number of comparisons of conditions with fixes.
  private(set) var examinations: UInt32 = 0

  /// The number of conditions in memory, including removed ones.
  var storedConditions: Int { entries.count }
  /// The number of additions to the queue in memory, including stale ones.
  var storedAdditions: Int { queue.count }

  /// - Parameters:
  ///   - isNew: True when every condition is unknown until the first fix.
  ///   - latest: The time of the latest fix.
  ///   - compared: The last revision that was compared with a fix.
  init(isNew: Bool, latest: Duration? = nil, compared: UInt32 = 0) {
    (startsUnknown, self.latest, self.compared) = (isNew, latest, compared)
  }

  // MARK: States

  /// Treats the states of all conditions as results of earlier fixes, not as assumptions.
  mutating func resume(in table: ConditionTable) { compared = table.lastRevision }

  /// Sets the state of a condition, and clears its candidate and recent changes.
  mutating func set(
    _ state: Monitor.State, _ slot: ConditionTable.Slot, in table: ConditionTable
  ) {
    restore(CrossingStateMachine(state), slot, in: table)
  }

  /// Sets a condition's candidate and recent changes. A value that is nil is not changed.
  mutating func restore(
    _ candidate: CrossingStateMachine.Candidate?, _ changes: RecentChanges?,
    _ slot: ConditionTable.Slot, in table: ConditionTable
  ) {
    let machine = machine(of: slot, in: table)
    restore(
      CrossingStateMachine(
        machine.state, candidate: candidate ?? machine.candidate,
        changes: changes ?? machine.changes),
      slot, in: table)
  }

  /// Sets the machine of a condition, and schedules the condition for examination with the next
  /// fix.
  mutating func restore(
    _ machine: CrossingStateMachine, _ slot: ConditionTable.Slot, in table: ConditionTable
  ) {
    set(machine, slot, in: table)
    if entries[Int32(slot)] != nil { examineNext(slot) }
    if machine.isIdle, machine.changes != nil { recent.append(Int32(slot)) }
  }

  /// Stores the machine of a condition, unless it is at rest. Schedules nothing.
  private mutating func set(
    _ machine: CrossingStateMachine, _ slot: ConditionTable.Slot, in table: ConditionTable
  ) {
    let (index, revision) = (Int32(slot), table.revision(of: slot))
    let machine = machine.isAtRest ? nil : machine
    if entries[index]?.revision == revision {
      entries[index]!.machine = machine
    } else if machine != nil {
      entries[index] = Entry(machine: machine, revision: revision, due: .nan)
    } else {
      entries[index] = nil
    }
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
      $1.machine?.state == .satisfied && table.isCurrent(Int($0), revision: $1.revision)
    }.map { Int($0.key) }
  }

  /// The machines of the conditions that are not at rest.
  func machines(
    in table: ConditionTable
  ) -> [(slot: ConditionTable.Slot, machine: CrossingStateMachine)] {
    entries.compactMap { index, entry in
      guard let machine = entry.machine, table.isCurrent(Int(index), revision: entry.revision)
      else { return nil }
      return (Int(index), machine)
    }
  }

  /// The machine of a condition; nil if it is at rest.
  func storedMachine(
    of slot: ConditionTable.Slot, in table: ConditionTable
  ) -> CrossingStateMachine? {
    guard let entry = entries[Int32(slot)], entry.revision == table.revision(of: slot) else {
      return nil
    }
    return entry.machine
  }

  /// The machine of a condition, which may be at rest.
  private func machine(
    of slot: ConditionTable.Slot, in table: ConditionTable
  ) -> CrossingStateMachine {
    let revision = table.revision(of: slot)
    if let entry = entries[Int32(slot)], entry.revision == revision, let machine = entry.machine {
      return machine
    }
    return CrossingStateMachine(startsUnknown && revision > compared ? .unknown : .unsatisfied)
  }

  // MARK: Observing

  /// Observes a fix.
  ///
  /// - Parameters:
  ///   - accuracy: Metres; nil if it is unknown.
  ///   - instant: The time of the fix, on a monotonic clock.
  ///   - candidates: Receives the slots whose candidates began, became certain or were dropped
  ///     without a change of state, in order.
  ///   - isIncluded: Whether a condition applies to this device; nil if all conditions do.
  /// - Returns: The changes, in the order of the slots.
  mutating func observe(
    _ point: AreaPoint, accuracy: Double?, at instant: Duration, in table: ConditionTable,
    _ options: CrossingOptions, candidates: inout [ConditionTable.Slot],
    where isIncluded: ((ConditionTable.Slot) -> Bool)? = nil
  ) -> [Change] {
    hasChanged = false
    let accuracy = accuracy ?? options.assumedAccuracy
    let isAfterGap =
      latest.map { instant.subtractingSaturated($0) > options.longestGap } ?? false
    latest = max(latest ?? instant, instant)
    let fix = Fix(
      point: point, margin: max(accuracy, options.minimumMargin),
      wideMargin: max(accuracy * options.marginFactor, options.minimumMargin),
      countsIfDoubtful: accuracy <= options.leastAccuracy, isAfterGap: isAfterGap, instant: instant)
    queue.move(to: point.spherical, uncertainty: fix.margin)
    enterCells(at: point, of: table, where: isIncluded)
    forgetChanges(at: instant, in: table, options)
    var changes: [Change] = []
    for slot in takeDue(in: table) {
      examine(slot, fix, in: table, options, &changes, &candidates)
    }
    // A less accurate fix may not have determined the states of new conditions.
    if fix.countsIfDoubtful, compared != table.lastRevision {
      compared = table.lastRevision
      hasChanged = true
    }
    removeStaleEntries(of: table)
    return changes
  }

  /// Removes the machines of conditions that were stored only for recent changes, once these are
  /// forgotten, and schedules the conditions for examination.
  private mutating func forgetChanges(
    at instant: Duration, in table: ConditionTable, _ options: CrossingOptions
  ) {
    while let index = recent.first {
      if let entry = entries[index], let machine = entry.machine, machine.isIdle,
        table.isCurrent(Int(index), revision: entry.revision)
      {
        guard machine.forgettingChanges(at: instant, options).isAtRest else { return }
        entries[index]!.machine = nil
        examineNext(Int(index))
      }
      recent.removeFirst()
    }
  }

  /// Observes whether a beacon is received. A received beacon counts at once; a missing beacon
  /// counts as lost after the confirmation time.
  mutating func observe(
    isReceived: Bool, _ slot: ConditionTable.Slot, at instant: Duration, in table: ConditionTable,
    _ options: CrossingOptions
  ) -> Change? {
    // Recent changes do not matter: reception has no boundary at which a receiver could stand.
    var options = options
    options.changeMemory = .zero
    let before = machine(of: slot, in: table)
    let after = step(
      slot, before,
      .init(
        side: isReceived ? .inside : .outside, evidence: isReceived ? .received : .certain,
        instant: instant),
      in: table, options)
    return Change(slot, from: before, to: after)
  }

  private struct Fix {
    let point: AreaPoint
    /// The margin in metres for a condition whose state is unknown.
    let margin: Double
    /// The margin in metres for a condition whose state is known.
    let wideMargin: Double
    /// False when the fix is too inaccurate to count unless it is certain.
    let countsIfDoubtful: Bool
    let isAfterGap: Bool
    let instant: Duration
  }

  /// Compares a condition with a fix, and schedules the next examination.
  private mutating func examine(
    _ slot: ConditionTable.Slot, _ fix: Fix, in table: ConditionTable, _ options: CrossingOptions,
    _ changes: inout [Change], _ candidates: inout [ConditionTable.Slot]
  ) {
    examinations &+= 1
    let hasMachine = entries[Int32(slot)]?.machine != nil
    // Without a machine, no crossing has begun, and none begins outside the area.
    if !hasMachine, table.side(of: fix.point, to: slot, margin: 0)?.side == .outside {
      return wait(outside: slot, fix.point, in: table)
    }
    let before = machine(of: slot, in: table)
    let margin = before.state.isDetermined ? fix.wideMargin : fix.margin
    guard let (side, isCertain) = table.side(of: fix.point, to: slot, margin: margin) else {
      entries[Int32(slot)]!.due = Self.never
      return
    }
    guard isCertain || fix.countsIfDoubtful else { return examineNext(slot) }
    var evidence = CrossingStateMachine.Evidence.doubtful
    if isCertain {
      let isDecisive = fix.isAfterGap || table.revision(of: slot) > compared
      evidence = isDecisive ? .decisive : .certain
    }
    let after = step(
      slot, before, .init(side: side, evidence: evidence, instant: fix.instant), in: table, options)
    if let change = Change(slot, from: before, to: after) {
      changes.append(change)
    } else if before.candidate?.since != after.candidate?.since
      || before.candidate?.isCertain != after.candidate?.isCertain
    {
      candidates.append(slot)
    }
    if after.isIdle, after.changes != nil, !before.isIdle, recent.last != Int32(slot) {
      recent.append(Int32(slot))
    }
    schedule(slot, after, side, fix, in: table)
  }

  /// Schedules the next examination of a condition after a fix.
  private mutating func schedule(
    _ slot: ConditionTable.Slot, _ machine: CrossingStateMachine, _ side: AreaSide, _ fix: Fix,
    in table: ConditionTable
  ) {
    // The next fix may begin or confirm a crossing, even at the same place.
    guard machine.state == side.state, machine.candidate == nil else { return examineNext(slot) }
    if machine.isAtRest {
      wait(outside: slot, fix.point, in: table)
    } else if entries.count >= Self.schedulingThreshold {
      examineLater(slot, after: table.clearance(of: fix.point, from: slot), from: fix.point)
    } else {
      examineNext(slot)
    }
  }

  /// Passes an observation to a condition's machine, and stores and returns the machine.
  private mutating func step(
    _ slot: ConditionTable.Slot, _ machine: CrossingStateMachine,
    _ observation: CrossingStateMachine.Observation, in table: ConditionTable,
    _ options: CrossingOptions
  ) -> CrossingStateMachine {
    var after = machine
    after.observe(observation, dwell: table.dwell(of: slot), options)
    if after != machine { hasChanged = true }
    set(after, slot, in: table)
    return after
  }

  // MARK: Scheduling

  /// Adds entries for the conditions around the device: for all conditions of the crowded cells
  /// that it enters, and in other cells for those whose areas contain it.
  private mutating func enterCells(
    at point: AreaPoint, of table: ConditionTable,
    where isIncluded: ((ConditionTable.Slot) -> Bool)?
  ) {
    if enteredRevision != table.lastRevision {
      // Conditions were added, perhaps in cells that the device had entered.
      enteredRevision = table.lastRevision
      cells.removeAll()
      hasEntriesWithoutCells = false
    }
    var isCrowded = table.countWithoutCells >= Self.schedulingThreshold
    if !hasEntriesWithoutCells {
      table.visitWithoutCells {
        add($0, isCrowded: isCrowded, at: point, in: table, where: isIncluded)
      }
      hasEntriesWithoutCells = isCrowded
    }
    table.visitCells(at: point) { cell, count in
      isCrowded = count >= Self.schedulingThreshold
      return !isCrowded || cells.insert(cell).inserted
    } _: {
      add($0, isCrowded: isCrowded, at: point, in: table, where: isIncluded)
    }
  }

  /// Adds an entry for a condition and schedules its examination with this fix. Outside crowded
  /// cells, does so only if the area contains the point.
  private mutating func add(
    _ slot: ConditionTable.Slot, isCrowded: Bool, at point: AreaPoint, in table: ConditionTable,
    where isIncluded: ((ConditionTable.Slot) -> Bool)?
  ) {
    let (index, revision) = (Int32(slot), table.revision(of: slot))
    guard entries[index]?.revision != revision, isIncluded?(slot) ?? true else { return }
    if !isCrowded {
      examinations &+= 1
      guard table.side(of: point, to: slot, margin: 0)?.side == .inside else { return }
    }
    entries[index] = Entry(machine: nil, revision: revision, due: entries[index]?.due ?? .nan)
    examineNext(slot)
  }

  /// Removes and returns the slots that are due, sorted.
  private mutating func takeDue(in table: ConditionTable) -> [ConditionTable.Slot] {
    var slots: [ConditionTable.Slot] = []
    for (index, reading) in queue.takeDue() {
      guard let entry = entries[index], entry.due == reading else { continue }
      if table.isCurrent(Int(index), revision: entry.revision) {
        entries[index]!.due = .nan
        slots.append(Int(index))
      } else {
        entries[index] = nil
      }
    }
    slots.sort()
    return slots
  }

  /// Schedules a condition for examination with the next fix.
  private mutating func examineNext(_ slot: ConditionTable.Slot) {
    let index = Int32(slot)
    guard entries[index]!.due != ProximityQueue.now else { return }
    entries[index]!.due = ProximityQueue.now
    queue.addNow(index)
  }

  /// Schedules a condition for examination once the device may have moved by a distance in metres.
  private mutating func examineLater(
    _ slot: ConditionTable.Slot, after distance: Double, from point: AreaPoint
  ) {
    entries[Int32(slot)]!.due = queue.add(Int32(slot), after: distance, from: point.spherical)
  }

  /// Schedules an examination of a condition for when the device may have reached its area. Removes
  /// the entry instead if the device has left the area far behind. Without crowded areas, also
  /// removes the entry, because each fix is compared with all areas around it.
  private mutating func wait(
    outside slot: ConditionTable.Slot, _ point: AreaPoint, in table: ConditionTable
  ) {
    guard hasEntriesWithoutCells || !cells.isEmpty else {
      entries[Int32(slot)] = nil
      return
    }
    let clearance = table.clearance(of: point, from: slot)
    if let leftCells = table.cells(of: slot, leftBehindAt: point, clearance) {
      entries[Int32(slot)] = nil
      cells.subtract(leftCells)
    } else {
      examineLater(slot, after: clearance, from: point)
    }
  }

  /// Removes entries and additions of removed conditions, before they outnumber those in use.
  private mutating func removeStaleEntries(of table: ConditionTable) {
    let limit = 2 * min(entries.count, table.count) + 64
    if recent.count > limit {
      // A slot may have been added several times.
      var seen: Set<Int32> = []
      recent = recent.filter { seen.insert($0).inserted }[...]
    }
    guard queue.count > limit || entries.count > limit || cells.count > 2 * limit else { return }
    entries = entries.filter { table.isCurrent(Int($0), revision: $1.revision) }
    queue.removeAll()
    for (index, entry) in entries where entry.due < Self.never {
      entries[index]!.due = ProximityQueue.now
      queue.addNow(index)
    }
    cells.removeAll()
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
