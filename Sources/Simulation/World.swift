import AsyncLocation
import GPSDBackend
import MockBackend

/// A manager and all that surrounds it, run step by step on one thread: each step is one job of the
/// executor, one operation of the world, or a move of the clock.
///
// SAFETY: everything in a simulation, this included, is touched by one thread alone.
final class World: @unchecked Sendable {
  let scenario: Scenario
  var choices: Choices
  let executor = SimulatedExecutor()
  let clock = SimulatedClock()
  let backend: SimulatedBackend
  /// Where the source is gpsd's backend.
  let network: SimulatedNetwork?
  let policy: SimulatedPolicy
  var manager: LocationManager?
  let inspector: Inspector
  let census = Census()

  private(set) var operations: ArraySlice<Operation>
  var subscribers: [Subscriber] = []
  var callers: [Caller] = []
  var sessions: [(session: ServiceSession, isOpen: Bool)] = []
  var shutdowns: [Task<Void, Never>] = []
  var emissions: [Emission] = []
  var nextTime = 1.0
  /// The newest time of the receiver that was certainly, and that was possibly, heard.
  var (leastHeard, mostHeard) = (0.0, 0.0)
  /// Of gpsd's connection.
  var saidEpochs = SaidEpochs()
  /// The connection on which gpsd has greeted.
  var greeted: SimulatedNetwork.Connection?
  var (lastPhase, sessionIsNew) = (ConnectionState.Phase.idle, false)
  var isEmitting = false
  var seenEnds = 0
  /// A run ended by itself, and the manager may not know yet.
  var endIsNear = false
  /// The first emission of the batch that is being handed over.
  var handedFrom: Int?
  /// Somebody made use of permission for once.
  var onceWasUsed = false
  /// What held when it was looked at last.
  var lastLook: Look?
  /// Emissions before this one may not be given any more, as far as they are precise.
  var withdrawnBefore = 0
  /// At the last look: whether locations were permitted, and whether accuracy was reduced.
  var (permitted, wasReduced) = (false, false)
  /// How often the application was told to go out of use, and how often that was done.
  var (useEndsBegun, useEndsDone) = (0, 0)
  var isEnding = false
  var wasClosed = false
  /// The run in which the receiver said that it has no fix, while that is certain.
  var darkRun: Int?
  /// Somebody began to shut the manager down.
  var wasShutDown = false
  /// The hub was seen closed.
  var isKnownToBeClosed = false
  /// When full accuracy that was granted is over.
  var fullAccuracyEnds: Duration?
  var fullAccuracyGranted: Duration = .zero

  /// Everything that happened, one number each.
  private(set) var steps = 0
  /// When the job that runs now began.
  private(set) var jobBegan = 0
  /// How many jobs and operations came in between.
  private(set) var depth = 0
  /// When the outermost job began that runs now.
  private(set) var rootBegan = 0
  private let isVerbose: Bool
  /// How many more times another thread may come in between.
  private var interludesLeft: Int
  private var isDraining = false
  private var deviationsLeft: Int
  /// After how many jobs and chances to come in between everybody's task is cancelled.
  private let cancelsAfter: Int?
  /// How many of them there were.
  private(set) var boundaries = 0
  private(set) var log: [String] = []
  private(set) var violation: Violation?
  let budget = 4_000

  init(
    _ scenario: Scenario, _ operations: [Operation], _ choices: Choices, isVerbose: Bool = false,
    cancelsAfter: Int? = nil
  ) {
    interludesLeft = scenario.mostInterludes
    deviationsLeft = scenario.mostDeviations
    self.cancelsAfter = cancelsAfter
    self.scenario = scenario
    self.operations = operations[...]
    self.choices = choices
    self.isVerbose = isVerbose
    let reporter = Reporter()
    policy = SimulatedPolicy(key: World.key) { reporter.world?.fail($0) }
    policy.prompt = scenario.prompt.map(World.decision)
    policy.initial = scenario.initial.map(World.decision)
    backend = SimulatedBackend(capabilities: .all, policy: policy) { reporter.world?.fail($0) }
    let network = scenario.hasNetwork ? SimulatedNetwork(clock) : nil
    self.network = network
    if let network {
      backend.inner = GPSDBackend(
        GPSDConfiguration(host: "boat"), generator: { SplitMix64(seed: 7) },
        makeTransport: { network })
      backend.handOn = { reporter.world?.handOn($0, to: $1) }
    }
    backend.ignoresCancel = scenario.flaw == .runsOn
    let manager = LocationManager(
      backend: backend,
      configuration: .init(
        requestsAuthorizationImplicitly: scenario.asksByItself,
        buffering: .newest(scenario.limit)),
      clock: clock, executor: executor)
    self.manager = manager
    inspector = Inspector(manager)
    reporter.world = self
    executor.onEnqueue = { [weak self] in self?.requireQuiet("a task was resumed") }
    network?.onUse = { [weak self] in self?.requireQuiet("the network was used") }
    clock.onUse = { [weak self] in self?.requireQuiet("the clock was used") }
    policy.isAlone = { [unowned self] in depth == 0 }
    policy.keyDelay = { [unowned self] in self.choices.choose(3) }
    backend.step = { [unowned self] in steps }
    backend.jobBegan = { [unowned self] in rootBegan }
    if scenario.isSlow {
      backend.startDelay = self.choices.choose(3)
      backend.stopDelay = self.choices.choose(3)
    }
  }

  private final class Reporter { weak var world: World? }

  static let key = try? ReducedAccuracyKey(bytes: Array(0..<32))

  // MARK: What went wrong, and what happened

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

  private func requireQuiet(_ what: String) {
    #if SIMULATION
      if unsafe LockWatch.depth > 0 {
        fail(Violation("O10 quiet locks", "\(what) with a lock held"))
      }
    #endif
  }

  // MARK: Steps

  /// Runs the world to its end; what was wrong is in ``violation``.
  func run() {
    #if SIMULATION
      if scenario.interludes > 0 || cancelsAfter != nil {
        unsafe LockWatch.others = { [unowned self] in interlude() }
      }
      defer { unsafe LockWatch.others = nil }
    #endif
    check()
    // What a manager does by itself at first is not what a small world is about.
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

  /// Runs what can run, and lets time pass, until nothing is left to come.
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
        pass(to: deadline)
        check()
      }
    }
  }

  /// What can run now: jobs, and the network's one thread.
  private var readyCount: Int { executor.ready.count + (network?.isReady == true ? 1 : 0) }

  private var nextDeadline: Duration? {
    [clock.nextDeadline, network?.nextDeadline].compactMap { $0 }.min()
  }

  /// Lets time pass, for everybody who measures it.
  func pass(to instant: Duration) {
    clock.advance(to: instant)
    network?.timePassed()
  }

  private func step() {
    let ready = readyCount
    if ready == 0 { checkAtRest() }
    guard violation == nil else { return }
    // Operations come as often as a job does, however many jobs are ready.
    if !operations.isEmpty, ready == 0 || choose(min(ready, 3) + 1) == min(ready, 3) {
      performNext()
    } else {
      runJob(choose(min(ready, 255)))
    }
    check()
    if steps > budget { fail(Violation("no end", "\(steps) steps and work is left")) }
  }

  /// What comes next, of so many; the first once it has been another often enough.
  private func choose(_ count: Int) -> Int {
    guard deviationsLeft > 0 else { return 0 }
    let choice = choices.choose(count)
    if choice > 0 { deviationsLeft -= 1 }
    return choice
  }

  private func runJob(_ index: Int) {
    let isNetwork = index >= executor.ready.count
    beginStep(isNetwork ? "the network" : "job \(index) of \(executor.ready.count)")
    let outer = jobBegan
    jobBegan = steps
    if depth == 0 { rootBegan = steps }
    if isNetwork { network?.run() } else { executor.run(index) }
    jobBegan = outer
    passBoundary()
  }

  /// Cancels everybody where that is what is tried.
  private func passBoundary() {
    guard let cancelsAfter, depth == 0, !isEnding else { return }
    boundaries += 1
    if boundaries == cancelsAfter + 1 { cancelEverybody() }
  }

  private func cancelEverybody() {
    note("everybody is cancelled")
    if let now = inspect() { noteWhatHolds(now) }
    for subscriber in subscribers where subscriber.task != nil {
      subscriber.isCertain = false
      cancel(subscriber.task)
      subscriber.cancelledAt = subscriber.cancelledAt ?? steps
    }
    for caller in callers where !caller.isOver {
      cancel(caller.task)
      caller.cancelledAt = caller.cancelledAt ?? steps
    }
    for task in shutdowns { cancel(task) }
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

  /// Another thread comes in between: it runs a job, or does what is next in the world.
  private func interlude() {
    passBoundary()
    guard scenario.interludes > 0, interludesLeft > 0, !isDraining, depth < 2, violation == nil,
      !isEnding,
      !operations.isEmpty || readyCount > 0,
      choices.happens(onceIn: scenario.interludes)
    else { return }
    interludesLeft -= 1
    depth += 1
    defer { depth -= 1 }
    if isEmitting { becomeUncertain() }
    // What holds now may not hold any more when this is done, nor what then holds when the step is.
    if let now = inspect() { noteWhatHolds(now) }
    let ready = readyCount
    if ready == 0 || (!operations.isEmpty && choices.choose(2) == 1) {
      performNext()
    } else {
      runJob(choices.choose(min(ready, 255)))
    }
    if let now = inspect() { noteWhatHolds(now) }
  }

  /// Replaces what is kept, and frees what was only then: others come in between while it goes.
  func give<Value>(_ path: ReferenceWritableKeyPath<World, Value>, _ value: Value) {
    let old = self[keyPath: path]
    self[keyPath: path] = value
    withExtendedLifetime(old) {}
  }

  /// Looks into the hub without being interrupted.
  func inspect() -> Inspection? {
    #if SIMULATION
      LockWatch.withoutInterludes { inspector.inspect() }
    #else
      inspector.inspect()
    #endif
  }

  /// Cancels without an interlude: the runtime calls handlers under a lock of its own.
  func cancel(_ task: Task<Void, Never>?) {
    #if SIMULATION
      LockWatch.withoutInterludes { task?.cancel() }
    #else
      task?.cancel()
    #endif
  }

  // MARK: The end

  /// Ends everything, in one of several ways, and looks whether anything is left.
  private func end() {
    let way = scenario.isExplored ? 1 : choices.choose(3)
    beginStep("the end, way \(way)")
    operations = []
    policy.reasonsUnderway += 1
    if way == 0, let manager {
      wasShutDown = true
      shutdowns.append(
        Task(executorPreference: executor) { await manager.shutdown() })
    }
    if way == 2 { cancelEverybody() }
    give(\.manager, nil)
    give(\.sessions, [])
    for subscriber in subscribers { subscriber.drop() }
    drain()
    // Calls hold the manager, so its end may wait for them.
    for caller in callers where !caller.isOver {
      caller.cancelledAt = caller.cancelledAt ?? steps
      cancel(caller.task)
    }
    drain()
    // Loops go on, whether or not the manager is there; the last of them closes everything.
    if inspect()?.isClosed == false { cancelEverybody() }
    drain()
    for subscriber in subscribers where subscriber.task != nil && subscriber.phase != .over {
      fail(Violation("hang", "\(subscriber.stream) does not end"))
    }
    for caller in callers where !caller.isOver { fail(Violation("hang", "\(caller.call) waits")) }
    isEnding = true
    for subscriber in subscribers { subscriber.task = nil }
    for caller in callers { caller.task = nil }
    (subscribers, callers, shutdowns) = ([], [], [])
    drain()
    guard violation == nil else { return }
    require(!backend.isRunning, "leak", "the backend still runs")
    require(!policy.isObserved, "leak", "the policy is still observed")
    require(!policy.isAsked, "leak", "a question is still out")
    require(network?.isQuiet ?? true, "leak", "a connection, a timer or a lookup is left")
    require(clock.sleeperCount == 0, "leak", "\(clock.sleeperCount) still sleep")
    require(census.alive == 0, "leak", "\(census.alive) tasks of users are left")
    require(inspector.isGone, "leak", "the hub is still there")
  }

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
