/// Starts and cancels the backend's runs, so that one is active while there is demand and
/// permission, and forwards changes of demand to it.
struct RunControl: Sendable {
  typealias RunID = RunStateMachine.RunID

  private var machine = RunStateMachine()
  private var ledger = DemandLedger()
  private var isPermitted = false
  private var task: (id: RunID, task: Task<Void, Never>)?
  /// The channel for changes of demand; set while a run is active.
  private var changes: BoundedChannel<BackendDemand>?
  private var idleWaiters: [CheckedContinuation<Void, Never>] = []

  var runs: UInt64 { machine.runs }
  /// True while there is demand, whether or not it is permitted.
  var isWanted: Bool { ledger.merged != nil }

  /// The devices that subscribers name.
  var devices: [String] { ledger.devices }
  var holders: Int { ledger.count }
  var run: Inspection.Run { machine.isIdle ? .idle : machine.isRunning ? .running : .stopping }

  func isCurrent(_ id: RunID) -> Bool { machine.isCurrent(id) }
  func isLatest(_ id: RunID) -> Bool { machine.isLatest(id) }

  // MARK: Demand

  mutating func hold(_ demand: BackendDemand, holder: UInt64, _ effects: inout Effects) {
    let before = ledger.merged
    ledger.add(demand, holder: holder)
    demandChanged(from: before, &effects)
  }

  mutating func release(_ holders: some Sequence<UInt64>, _ effects: inout Effects) {
    let before = ledger.merged
    for holder in holders { ledger.remove(holder) }
    demandChanged(from: before, &effects)
  }

  mutating func setPaused(
    _ holders: some Sequence<UInt64>, _ isPaused: Bool, _ effects: inout Effects
  ) {
    let before = ledger.merged
    for holder in holders { ledger.setPaused(holder, isPaused) }
    demandChanged(from: before, &effects)
  }

  mutating func permit(_ isPermitted: Bool, _ effects: inout Effects) {
    self.isPermitted = isPermitted
    updateRunState(&effects)
  }

  private mutating func demandChanged(from before: BackendDemand?, _ effects: inout Effects) {
    updateRunState(&effects)
    if let changes, let demand = ledger.merged, demand != before {
      _ = changes.push([demand], waking: &effects.wakes)
    }
  }

  private mutating func updateRunState(_ effects: inout Effects) {
    act(machine.handle(.wanted(isPermitted && ledger.merged != nil)), &effects)
  }

  // MARK: The run

  mutating func setTask(_ task: Task<Void, Never>, of id: RunID, _ effects: inout Effects) {
    if machine.isCurrent(id) {
      self.task = (id, task)
    } else if machine.isStopping(id) {
      effects.cancelled.append(task)
    }
  }

  /// The demand with which a run starts, and the channel for later changes; nil when the run must
  /// not start.
  mutating func begin(_ id: RunID) -> (BackendDemand, BoundedChannel<BackendDemand>)? {
    guard machine.isCurrent(id), let demand = ledger.merged else { return nil }
    let changes = BoundedChannel<BackendDemand>(.newest(1))
    self.changes = changes
    return (demand, changes)
  }

  /// Returns true when the run ended without being cancelled.
  mutating func ended(_ id: RunID, _ effects: inout Effects) -> Bool {
    let endedByItself = machine.isCurrent(id)
    if task?.id == id { task = nil }
    changes = nil
    act(machine.handle(.ended(id)), &effects)
    if machine.isIdle {
      effects.waiters += idleWaiters
      idleWaiters = []
    }
    return endedByItself
  }

  /// Returns true when no run is in progress; otherwise the waiter is resumed after the last run.
  mutating func waitUntilIdle(_ waiter: CheckedContinuation<Void, Never>) -> Bool {
    guard !machine.isIdle else { return true }
    idleWaiters.append(waiter)
    return false
  }

  private mutating func act(_ action: RunStateMachine.Action, _ effects: inout Effects) {
    switch action {
    case .none:
      break
    case .start(let id):
      effects.run = id
    case .cancel:
      changes = nil
      if let task { effects.cancelled.append(task.task) }
      task = nil
    }
  }
}
