import AsyncLocation
import GPSDBackend
import MockBackend

/// A manager and its simulated environment, run step by step on one thread. Each step is one job of
/// the executor, one operation of the world, or an advance of the clock.
///
// SAFETY: a simulation, including this object, runs on a single thread.
final class World: @unchecked Sendable {
  let scenario: Scenario
  var choices: Choices
  let executor = SimulatedExecutor()
  let clock = SimulatedClock()
  let backend: SimulatedBackend
  /// The network, if the source is `GPSDBackend`.
  let network: SimulatedNetwork?
  let policy: SimulatedPolicy
  var manager: LocationManager?
  let inspector: Inspector
  let census = Census()

  private(set) var operations: ArraySlice<Operation>
  var subscribers: [Subscriber] = []
  var callers: [Caller] = []
  var sessions: [(session: ServiceSession, isOpen: Bool)] = []
  /// The tasks that call `shutdown()` or `setInUse(_:)` of the manager.
  var managerTasks: [Task<Void, Never>] = []
  var emissions: [Emission] = []
  /// The receiver time of the next epoch.
  var nextTime = 1.0
  /// The newest receiver time that the manager certainly received, and the newest that it possibly
  /// received.
  var (minimumNewestTime, maximumNewestTime) = (0.0, 0.0)
  /// The epochs reported on gpsd's connection.
  var reportedEpochs = ReportedEpochs()
  /// The connection on which gpsd has sent its greeting.
  var greetedConnection: SimulatedNetwork.SimulatedConnection?
  /// The last phase of gpsd's connection, and whether no newer time was received since it was
  /// connected.
  var (lastPhase, sessionIsNew) = (ConnectionState.Phase.idle, false)
  var isEmitting = false
  /// The number of unrequested ends of runs at the last check.
  var observedEnds = 0
  /// Whether a run ended by itself and the manager may not have been notified yet.
  var endIsPending = false
  /// The first emission of the batch that is being emitted.
  var firstOfBatch: Int?
  /// Whether `whenInUseOnce` was used.
  var onceWasUsed = false
  /// The state at the last check.
  var lastObservation: Observation?
  /// Emissions before this one may no longer be delivered with full accuracy.
  var withdrawnBefore = 0
  /// Filters do not compare emissions before this one with later emissions, because permission
  /// changed in between.
  var comparedFrom = 0
  /// Whether locations were permitted, and whether accuracy was reduced, at the last check.
  var (permitted, wasReduced) = (false, false)
  /// The number of times that going out of use was requested, and completed.
  var (useEndsBegun, useEndsCompleted) = (0, 0)
  var isEnding = false
  var wasClosed = false
  /// The number of the run whose last report is that there is no fix; nil if there is none or if it
  /// is uncertain.
  var runWithoutFix: Int?
  /// Whether a shutdown of the manager has begun.
  var wasShutDown = false
  /// Whether the hub was observed to be closed.
  var isKnownToBeClosed = false
  /// The time when temporary full accuracy expires.
  var fullAccuracyEnds: Duration?
  /// The duration of the last grant of temporary full accuracy.
  var fullAccuracyGranted: Duration = .zero

  /// The number of steps so far.
  private(set) var steps = 0
  /// The step in which the current job began.
  private(set) var jobBeganAt = 0
  /// The nesting depth of preemptions.
  private(set) var depth = 0
  /// The step in which the outermost current job began.
  private(set) var outermostJobBeganAt = 0
  private let isVerbose: Bool
  /// The number of preemptions that may still run.
  private var preemptionsLeft: Int
  private var isDraining = false
  private var deviationsLeft: Int
  /// The number of boundaries (ends of jobs, places for preemptions) after which all tasks are
  /// cancelled.
  private let cancelsAfter: Int?
  /// The number of boundaries so far.
  private(set) var boundaries = 0
  private(set) var log: [String] = []
  private(set) var violation: Violation?
  /// The maximum number of steps.
  let budget = 4_000

  init(
    _ scenario: Scenario, _ operations: [Operation], _ choices: Choices, isVerbose: Bool = false,
    cancelsAfter: Int? = nil
  ) {
    preemptionsLeft = scenario.maximumPreemptions
    deviationsLeft = scenario.maximumDeviations
    self.cancelsAfter = cancelsAfter
    self.scenario = scenario
    self.operations = operations[...]
    self.choices = choices
    self.isVerbose = isVerbose
    let reporter = Reporter()
    policy = SimulatedPolicy(key: World.key?.withOwnTracks()) { reporter.world?.fail($0) }
    policy.prompt = scenario.prompt.map(World.decision)
    policy.initial = scenario.initial.map(World.decision)
    backend = SimulatedBackend(capabilities: .all, policy: policy) { reporter.world?.fail($0) }
    let network = scenario.hasNetwork ? SimulatedNetwork(clock) : nil
    self.network = network
    if let network {
      backend.inner = GPSDBackend(
        GPSDConfiguration(host: "boat"), generator: { SplitMix64(seed: 7) },
        makeTransport: { network })
      backend.forwardEvents = { reporter.world?.forwardEvents($0, to: $1) }
    }
    backend.ignoresCancel = scenario.flaw == .ignoresCancellation
    let manager = LocationManager(
      backend: backend,
      configuration: .init(
        requestsAuthorizationImplicitly: scenario.requestsImplicitly,
        buffering: .newest(scenario.limit)),
      clock: clock, executor: executor)
    self.manager = manager
    inspector = Inspector(manager)
    reporter.world = self
    executor.onEnqueue = { [weak self] in self?.requireNoLock("a task was resumed") }
    network?.onUse = { [weak self] in self?.requireNoLock("the network was used") }
    clock.onUse = { [weak self] in self?.requireNoLock("the clock was used") }
    policy.isAlone = { [unowned self] in depth == 0 }
    policy.keyDelay = { [unowned self] in self.choices.choose(3) }
    backend.step = { [unowned self] in steps }
    backend.jobBeganAt = { [unowned self] in outermostJobBeganAt }
    if scenario.isSlow {
      backend.startDelay = self.choices.choose(3)
      backend.stopDelay = self.choices.choose(3)
    }
  }

  private final class Reporter { weak var world: World? }

  static let key = try? ReducedAccuracyKey(bytes: Array(0..<32))

  // MARK: Violations and log

  func fail(_ violation: Violation) {
    guard self.violation == nil else { return }
    self.violation = violation
    note("!!! \(violation.name): \(violation.details)")
  }

  func require(_ condition: Bool, _ name: String, _ details: @autoclosure () -> String) {
    if !condition { fail(Violation(name, details())) }
  }

  func note(_ text: @autoclosure () -> String) {
    guard isVerbose else { return }
    log.append("\(String(repeating: "  ", count: depth))\(steps)  \(text())")
  }

  private func requireNoLock(_ what: String) {
    if LockWatch.isLockHeld {
      fail(Violation("O10 quiet locks", "\(what) with a lock held"))
    }
  }

  // MARK: Steps

  /// Runs the world to its end; sets ``violation`` on a failure.
  func run() {
    if scenario.preemptions > 0 || cancelsAfter != nil {
      LockWatch.runAtLocks { [unowned self] in preempt() }
    }
    defer { LockWatch.runAtLocks(nil) }
    check()
    // The orders of the jobs that start the manager are not explored.
    if scenario.isExplored { drain() }
    for _ in 0..<scenario.prelude {
      isDraining = true
      performNext()
      drain()
    }
    while violation == nil, !operations.isEmpty || readyCount > 0 { step() }
    settle()
    if violation == nil { end() }
  }

  /// Runs ready jobs and advances the clock, at most three times, until no work is left. Deadlines
  /// from one day on are not reached.
  private func settle() {
    var moves = 0
    while violation == nil {
      if readyCount > 0 {
        step()
      } else {
        checkAtRest()
        guard moves < 3, let deadline = nextDeadline, deadline < .seconds(86_400) else { return }
        moves += 1
        beginStep("the clock moves to \(deadline)")
        advanceTime(to: deadline)
        check()
      }
    }
  }

  /// The number of ready jobs, plus one if the network has work.
  private var readyCount: Int { executor.ready.count + (network?.isReady == true ? 1 : 0) }

  private var nextDeadline: Duration? {
    [clock.nextDeadline, network?.nextDeadline].compactMap { $0 }.min()
  }

  /// Advances the clock and the network's timers.
  func advanceTime(to instant: Duration) {
    clock.advance(to: instant)
    network?.timePassed()
  }

  private func step() {
    let ready = readyCount
    if ready == 0 { checkAtRest() }
    guard violation == nil else { return }
    // The probability of an operation is at least 1 in 4, however many jobs are ready.
    if !operations.isEmpty, ready == 0 || choose(min(ready, 3) + 1) == min(ready, 3) {
      performNext()
    } else {
      runJob(choose(min(ready, 255)))
    }
    check()
    if steps > budget { fail(Violation("no end", "\(steps) steps and work is left")) }
  }

  /// Chooses the next job or operation; always 0 after the maximum number of deviations.
  private func choose(_ count: Int) -> Int {
    guard deviationsLeft > 0 else { return 0 }
    let choice = choices.choose(count)
    if choice > 0 { deviationsLeft -= 1 }
    return choice
  }

  private func runJob(_ index: Int) {
    let isNetwork = index >= executor.ready.count
    beginStep(isNetwork ? "the network" : "job \(index) of \(executor.ready.count)")
    let outer = jobBeganAt
    jobBeganAt = steps
    if depth == 0 { outermostJobBeganAt = steps }
    if isNetwork { network?.run() } else { executor.run(index) }
    jobBeganAt = outer
    passBoundary()
  }

  /// Counts a boundary, and cancels all tasks if it is the one under test.
  private func passBoundary() {
    guard let cancelsAfter, depth == 0, !isEnding else { return }
    boundaries += 1
    if boundaries == cancelsAfter + 1 { cancelAll() }
  }

  private func cancelAll() {
    note("everything is cancelled")
    if let now = inspect() { recordState(now) }
    for subscriber in subscribers where subscriber.task != nil {
      subscriber.isCertain = false
      cancel(subscriber.task)
      subscriber.cancelledAt = subscriber.cancelledAt ?? steps
    }
    for caller in callers where !caller.isOver {
      cancel(caller.task)
      caller.cancelledAt = caller.cancelledAt ?? steps
    }
    for task in managerTasks { cancel(task) }
  }

  private func performNext() {
    guard let operation = operations.popFirst() else { return }
    beginStep("\(operation)")
    perform(operation)
  }

  func beginStep(_ text: @autoclosure () -> String) {
    steps += 1
    note(text())
  }

  /// Simulates another thread that interrupts the current one: runs a job or the next operation.
  private func preempt() {
    passBoundary()
    guard scenario.preemptions > 0, preemptionsLeft > 0, !isDraining, depth < 2, violation == nil,
      !isEnding,
      !operations.isEmpty || readyCount > 0,
      choices.happens(onceIn: scenario.preemptions)
    else { return }
    preemptionsLeft -= 1
    depth += 1
    defer { depth -= 1 }
    if isEmitting { becomeUncertain() }
    // Records the state before and after the preemption, because it may change again before the end
    // of the step.
    if let now = inspect() { recordState(now) }
    let ready = readyCount
    if ready == 0 || (!operations.isEmpty && choices.choose(2) == 1) {
      performNext()
    } else {
      runJob(choices.choose(min(ready, 255)))
    }
    if let now = inspect() { recordState(now) }
  }

  /// Replaces a value and releases the old one afterwards; preemptions may run during its
  /// deinitialization.
  func replace<Value>(_ path: ReferenceWritableKeyPath<World, Value>, _ value: Value) {
    let old = self[keyPath: path]
    self[keyPath: path] = value
    withExtendedLifetime(old) {}
  }

  /// Reads the state of the hub without a preemption.
  func inspect() -> Inspection? {
    LockWatch.withoutPreemption { inspector.inspect() }
  }

  /// Cancels without a preemption, because the runtime calls handlers under its own lock.
  func cancel(_ task: Task<Void, Never>?) {
    LockWatch.withoutPreemption { task?.cancel() }
  }

  // MARK: End

  /// Ends the manager, its streams and its calls in one of three ways, and checks for leaks: by
  /// `shutdown()`, by releasing all references, or after cancelling all tasks.
  private func end() {
    let way = scenario.isExplored ? 1 : choices.choose(3)
    beginStep("the end, way \(way)")
    operations = []
    policy.withdrawalReasonsInProgress += 1
    if way == 0, let manager {
      wasShutDown = true
      managerTasks.append(
        Task(executorPreference: executor) { await manager.shutdown() })
    }
    if way == 2 { cancelAll() }
    replace(\.manager, nil)
    replace(\.sessions, [])
    for subscriber in subscribers { subscriber.drop() }
    drain()
    // Calls retain the manager, so its end may wait for them.
    for caller in callers where !caller.isOver {
      caller.cancelledAt = caller.cancelledAt ?? steps
      cancel(caller.task)
    }
    drain()
    // Loops continue without the manager; the end of the last one closes the hub.
    if inspect()?.isClosed == false { cancelAll() }
    drain()
    for subscriber in subscribers where subscriber.task != nil && subscriber.phase != .over {
      fail(Violation("hang", "\(subscriber.stream) does not end"))
    }
    for caller in callers where !caller.isOver { fail(Violation("hang", "\(caller.call) waits")) }
    isEnding = true
    for subscriber in subscribers { subscriber.task = nil }
    for caller in callers { caller.task = nil }
    (subscribers, callers, managerTasks) = ([], [], [])
    drain()
    guard violation == nil else { return }
    require(!backend.isRunning, "leak", "the backend still runs")
    require(!policy.isObserved, "leak", "the policy is still observed")
    require(!policy.hasPendingQuestion, "leak", "a question is still pending")
    require(network?.isQuiet ?? true, "leak", "a connection, a timer or a lookup is left")
    require(clock.sleeperCount == 0, "leak", "\(clock.sleeperCount) sleepers are left")
    require(census.alive == 0, "leak", "\(census.alive) tasks of users are left")
    require(inspector.isGone, "leak", "the hub is still there")
  }

  /// Runs ready jobs until none is left; in one order if all orders are explored.
  private func drain() {
    isDraining = scenario.isExplored
    defer { isDraining = false }
    while violation == nil, readyCount > 0 {
      runJob(scenario.isExplored ? 0 : choices.choose(min(readyCount, 255)))
      check()
      if steps > budget { fail(Violation("no end", "\(steps) steps and work is left")) }
    }
  }
}
