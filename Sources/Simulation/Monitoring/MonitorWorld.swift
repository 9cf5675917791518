import AsyncLocation
import FoundationEssentials

/// A monitor, its consumers and its storage, in processes that may be killed at any moment. Each
/// step is one job of the executor, one operation, or an advance of the clock.
///
// SAFETY: a simulation, including this object, runs on a single thread.
final class MonitorWorld: @unchecked Sendable {
  let scenario: Scenario
  var choices: Choices
  let executor = SimulatedExecutor()
  let clock = SimulatedClock()
  let disk = SimulatedDisk()
  let census = Census()
  let model = MonitorModel()

  private(set) var operations: ArraySlice<Operation>
  /// The decision of the operator, which outlives processes.
  var decision = AuthorizationDecision.authorizedAlways
  var lastPlace = Operation.Monitoring.Place.center
  var isReporting = false
  /// Whether the decision was made after the last rest.
  var decisionIsNew = false
  /// Whether the monitor has stored that it stopped monitoring because accuracy is reduced.
  var reductionIsInEffect = false
  var process: SimulatedProcess?
  var instance: MonitorInstance?
  var consumers: [MonitorConsumer] = []
  var tasks: [Task<Void, Never>] = []
  /// All processes, to check for leaks.
  var processes: [SimulatedProcess] = []
  /// The processes that had permission for precise locations when the running job began.
  private(set) var permitted: [SimulatedProcess] = []

  private(set) var steps = 0
  private(set) var depth = 0
  private let isVerbose: Bool
  private var preemptionsLeft: Int
  private var deviationsLeft: Int
  private var isDraining = false
  /// Whether the next operation waits until nothing else can run.
  private var waitsUntilIdle = false
  private(set) var isEnding = false
  private(set) var log: [String] = []
  private(set) var violation: Violation?
  /// The maximum number of steps.
  private let budget = 20_000

  init(
    _ scenario: Scenario, _ operations: [Operation], _ choices: Choices, isVerbose: Bool = false
  ) {
    self.scenario = scenario
    self.operations = operations[...]
    self.choices = choices
    self.isVerbose = isVerbose
    preemptionsLeft = scenario.maximumPreemptions
    deviationsLeft = scenario.maximumDeviations
    executor.onEnqueue = { [weak self] in self?.requireNoLock("a task was resumed") }
    clock.onUse = { [weak self] in self?.requireNoLock("the clock was used") }
    disk.onViolation = { [weak self] in self?.fail($0) }
    disk.delay = { [weak self] in
      guard let self, !scenario.isExplored else { return 1 }
      return self.choices.choose(3)
    }
    disk.onCommit = { [weak self] changes in
      guard let self else { return }
      note("written: \(changes.map(Self.summary))")
      model.committed(changes, at: now)
      if isReduced, !decisionIsNew, changes.contains(where: Self.isReduced) {
        reductionIsInEffect = true
      }
      collectViolations()
    }
    disk.onReplace = { [weak self] old in
      guard let self else { return }
      note("everything is written")
      model.replaced(old, with: disk.content)
      collectViolations()
    }
  }

  /// The host's wall clock.
  var now: Date { MonitorModel.date(clock.now.offset) }

  // MARK: Violations and log

  func fail(_ violation: Violation) {
    guard self.violation == nil else { return }
    self.violation = violation
    note("!!! \(violation.name): \(violation.details)")
  }

  func require(_ condition: Bool, _ name: String, _ details: @autoclosure () -> String) {
    if !condition { fail(Violation(name, details())) }
  }

  /// Reports the violations that the model found.
  func collectViolations() { for violation in model.violations { fail(violation) } }

  func note(_ text: @autoclosure () -> String) {
    guard isVerbose else { return }
    log.append("\(String(repeating: "  ", count: depth))\(steps)  \(text())")
  }

  private static func isReduced(_ change: MonitorChange) -> Bool {
    guard case .event(let event) = change else { return false }
    return event.diagnostics.contains(.accuracyLimited)
  }

  private static func summary(_ change: MonitorChange) -> String {
    switch change {
    case .add(let condition): "add \(condition.identifier) as \(condition.state)"
    case .remove(let identifier): "remove \(identifier)"
    case .event(let event):
      "\(event.number) \(event.identifier) \(event.previousState) → \(event.state)"
    case .candidate(let identifier, let candidate):
      "candidate of \(identifier): "
        + (candidate.map { "\($0.isInside ? "in" : "out"), \($0.isCertain)" } ?? "none")
    case .offer(let number): "offer \(number)"
    case .finish(let number): "finish \(number)"
    case .discard(let number): "discard through \(number)"
    }
  }

  private func requireNoLock(_ what: String) {
    if LockWatch.isLockHeld {
      fail(Violation("O10 quiet locks", "\(what) with a lock held"))
    }
  }

  // MARK: Steps

  /// Runs the world to its end; sets ``violation`` on a failure.
  func run() {
    if scenario.preemptions > 0 {
      LockWatch.runAtLocks { [unowned self] in preempt() }
    }
    defer { LockWatch.runAtLocks(nil) }
    for _ in 0..<scenario.prelude {
      isDraining = true
      performNext()
      drain()
    }
    while violation == nil, !operations.isEmpty || !executor.ready.isEmpty { step() }
    settle()
    if violation == nil { end() }
  }

  private func step() {
    let ready = executor.ready.count
    if ready == 0 { checkAtRest() }
    guard violation == nil else { return }
    // Unless `waitsUntilIdle` is set, the probability of an operation is at least 1 in 6, however
    // many jobs are ready.
    if !operations.isEmpty,
      ready == 0 || (!waitsUntilIdle && choose(min(ready, 5) + 1) == min(ready, 5))
    {
      performNext()
      waitsUntilIdle = !scenario.isExplored && choices.choose(2) == 1
    } else if ready > 0 {
      runJob(choose(min(ready, 255)))
    }
  }

  /// Chooses the next job or operation; always 0 after the maximum number of deviations.
  private func choose(_ count: Int) -> Int {
    guard deviationsLeft > 0 else { return 0 }
    let choice = choices.choose(count)
    if choice > 0 { deviationsLeft -= 1 }
    return choice
  }

  private func runJob(_ index: Int) {
    beginStep("job \(index) of \(executor.ready.count)")
    let outer = permitted
    defer { permitted = outer }
    permitted = processes.filter(permitsPrecise)
    executor.run(index)
    if steps > budget { fail(Violation("no end", "\(steps) steps and work is left")) }
  }

  private func performNext() {
    guard let operation = operations.popFirst() else { return }
    beginStep("\(operation)")
    perform(operation)
  }

  private func beginStep(_ text: @autoclosure () -> String) {
    steps += 1
    note(text())
  }

  /// Simulates another thread that interrupts the current one: runs a job or the next operation.
  private func preempt() {
    guard preemptionsLeft > 0, !isDraining, !isEnding, depth < 2, violation == nil,
      !operations.isEmpty || !executor.ready.isEmpty,
      choices.happens(onceIn: scenario.preemptions)
    else { return }
    preemptionsLeft -= 1
    depth += 1
    defer { depth -= 1 }
    let ready = executor.ready.count
    if ready == 0 || (!operations.isEmpty && choices.choose(2) == 1) {
      performNext()
    } else {
      runJob(choices.choose(min(ready, 255)))
    }
  }

  /// Runs ready jobs until none is left; in one order if all orders are explored.
  func drain() {
    isDraining = scenario.isExplored
    defer { isDraining = false }
    while violation == nil, !executor.ready.isEmpty {
      runJob(scenario.isExplored ? 0 : choices.choose(min(executor.ready.count, 255)))
    }
  }

  /// Runs ready jobs until none is left, in order and without preemptions.
  func drainInOrder() {
    let outer = isDraining
    isDraining = true
    defer { isDraining = outer }
    while violation == nil, !executor.ready.isEmpty { runJob(0) }
  }

  /// Runs ready jobs and advances the clock, at most four times, until no work is left. Deadlines
  /// from one day on are not reached.
  private func settle() {
    for _ in 0..<4 where violation == nil {
      drain()
      checkAtRest()
      guard let deadline = clock.nextDeadline, deadline < .seconds(86_400) else { return }
      beginStep("the clock moves to \(deadline)")
      clock.advance(to: deadline)
    }
    drain()
  }

  /// Cancels without a preemption, because the runtime calls handlers under its own lock.
  func cancel(_ task: Task<Void, Never>?) { LockWatch.withoutPreemption { task?.cancel() } }

  func inspect(_ process: SimulatedProcess) -> Inspection? {
    LockWatch.withoutPreemption { process.inspector.inspect() }
  }

  private func permitsPrecise(_ process: SimulatedProcess) -> Bool {
    guard !process.isDead, let state = inspect(process) else { return false }
    return state.machine.permitsDelivery && !state.isReduced
  }

  // MARK: End

  /// Requires that every event reaches a consumer by the end, and that no resource is leaked.
  private func end() {
    isEnding = true
    beginStep("the end")
    operations = []
    if !scenario.isExplored, choices.choose(2) == 1 { kill() }
    leaveProcess()
    drain()
    disk.works = true
    // Longer than the interval after which a monitor tries to write again.
    clock.advance(to: clock.now.offset + .seconds(31))
    open()
    drain()
    consume()
    drain()
    checkAtRest()
    guard violation == nil else { return }
    require(instance?.phase == .open, "hang", "the monitor cannot be opened at the end")
    model.checkAllDelivered(disk.content)
    collectViolations()
    leaveProcess()
    drain()
    for consumer in consumers { require(consumer.isOver, "hang", "a consumer waits at the end") }
    (consumers, tasks) = ([], [])
    drain()
    guard violation == nil else { return }
    require(!disk.isOpen, "leak", "a session of the storage is open")
    require(clock.sleeperCount == 0, "leak", "\(clock.sleeperCount) sleepers are left")
    require(census.alive == 0, "leak", "\(census.alive) tasks of users are left")
    for process in processes {
      require(!process.backend.isRunning, "leak", "a backend still runs")
      require(process.storage.openSessions == 0, "leak", "a session is left")
      require(process.inspector.isGone, "leak", "a hub is still there")
    }
  }
}
