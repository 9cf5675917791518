public import AsyncLocation

/// A location backend for tests. It plays a script, emits events from the test, and logs the calls
/// it receives.
///
/// ```swift
/// let clock = ManualClock()
/// let backend = try MockBackend(
///   script: [
///     .location(latitude: 60.17, longitude: 24.94),
///     .wait(.seconds(5)),
///     .location(latitude: 60.18, longitude: 24.95),
///     .end,
///   ],
///   clock: clock)
/// let manager = LocationManager(backend: backend, clock: clock)
/// ```
///
/// The script and the test share one queue: events from both are delivered in the order they were
/// enqueued, one call at a time. A backend serves one manager; a second concurrent run fails with
/// code `unsupported`. <doc:AdvancingTime> and <doc:EmittingByHand> describe common mistakes.
public final class MockBackend: LocationBackend, Sendable {
  /// The maximum number of calls of ``emit(_:)-(BackendEvent...)``, `fail` and `end` that wait for
  /// a run.
  public static var queueLimit: Int { 1_024 }

  /// A run is starting until it has received the events that waited for it, and stopping from its
  /// cancellation until it returns.
  private enum Phase { case idle, starting, running, stopping }

  private struct State {
    var script: ScriptStateMachine
    var phase = Phase.idle
    var runCount = 0
    var demand: BackendDemand?
    /// The number of runs whose end was delivered but not yet handled by the manager.
    var endingRuns = 0
    /// Supplied deliveries that the manager discarded while the run stopped; the next run repeats
    /// them.
    var supplied: [MockDelivery] = []
    /// Whether the manager has discarded the current delivery.
    var isDiscarded = false
  }

  public let capabilities: BackendCapabilities
  public let authorizationPolicy: any AuthorizationPolicy

  let journal = Journal<Call>()
  package let activity = ActivityLedger()
  private let checkpoints = Journal<String>()
  /// Answers requests as the test configures, and reports the changes that the test makes.
  let policy: MockAuthorizationPolicy
  private let stopwatch: Timeline
  private let state: Locked<State>
  private let queue: SerialDeliveryQueue<MockDelivery>
  private let checkpointLimits: [String: Int]

  /// Creates a backend without a script; the test emits all events.
  ///
  /// - Parameters:
  ///   - capabilities: The declared features. Emitted events are not checked against them.
  ///   - authorization: The answers to requests for permission.
  public convenience init(
    capabilities: BackendCapabilities = .all, authorization: MockAuthorization = .granting
  ) {
    self.init(
      capabilities: capabilities, authorization: authorization, script: [], clock: ManualClock())
  }

  /// Creates a backend that plays a script without waits.
  ///
  /// - Parameters:
  ///   - capabilities: The declared features. Emitted events are not checked against them.
  ///   - authorization: The answers to requests for permission.
  ///   - script: The steps that its runs play.
  /// - Throws: `LocationError` with code `invalidValue` when the script has a ``MockStep/wait(_:)``
  ///   above zero. Without a clock the wait would never end; pass a clock to
  ///   ``init(capabilities:authorization:script:clock:)``.
  public convenience init(
    capabilities: BackendCapabilities = .all, authorization: MockAuthorization = .granting,
    script: MockScript
  ) throws(LocationError) {
    if let wait = script.firstWait {
      throw LocationError(
        .invalidValue,
        "Step \(wait.index) of the script waits for \(wait.duration), which needs a clock; pass "
          + "'clock:' to MockBackend, such as a ManualClock that the test advances.")
    }
    self.init(
      capabilities: capabilities, authorization: authorization, script: script,
      clock: ManualClock())
  }

  /// Creates a backend that plays a script on a clock.
  ///
  /// - Parameters:
  ///   - capabilities: The declared features. Emitted events are not checked against them.
  ///   - authorization: The answers to requests for permission.
  ///   - script: The steps that its runs play.
  ///   - clock: The clock of the script's waits: a ``ManualClock`` that the test advances, or a
  ///     `ContinuousClock`.
  public convenience init(
    capabilities: BackendCapabilities = .all, authorization: MockAuthorization = .granting,
    script: MockScript = [], clock: any Clock<Duration>
  ) {
    self.init(
      capabilities: capabilities, authorization: authorization, basePolicy: nil, script: script,
      clock: clock)
  }

  /// Creates a backend whose permission is decided by a policy, such as the application's own. The
  /// test emits all events.
  ///
  /// Requests are logged and answered by the policy. ``setAuthorization(_:)`` and
  /// ``setLocationServices(enabled:)`` report changes in addition to the policy's.
  ///
  /// - Parameters:
  ///   - policy: Answers requests, and reports changes.
  ///   - capabilities: The declared features. Emitted events are not checked against them.
  public convenience init(
    policy: any AuthorizationPolicy, capabilities: BackendCapabilities = .all
  ) {
    self.init(policy: policy, capabilities: capabilities, script: [], clock: ManualClock())
  }

  /// Creates a backend whose permission is decided by a policy, and that plays a script on a clock.
  ///
  /// - Parameters:
  ///   - policy: Answers requests, and reports changes; see ``init(policy:capabilities:)``.
  ///   - capabilities: The declared features. Emitted events are not checked against them.
  ///   - script: The steps that its runs play.
  ///   - clock: The clock of the script's waits.
  public convenience init(
    policy: any AuthorizationPolicy, capabilities: BackendCapabilities = .all, script: MockScript,
    clock: any Clock<Duration>
  ) {
    self.init(
      capabilities: capabilities, authorization: .granting, basePolicy: policy, script: script,
      clock: clock)
  }

  /// - Parameter basePolicy: The policy that answers requests; nil if `authorization` does.
  private init(
    capabilities: BackendCapabilities, authorization: MockAuthorization,
    basePolicy: (any AuthorizationPolicy)?, script: MockScript, clock: any Clock<Duration>
  ) {
    self.capabilities = capabilities
    let policy = MockAuthorizationPolicy(authorization, journal: journal, activity: activity)
    self.policy = policy
    authorizationPolicy =
      if let basePolicy {
        LoggedPolicy(base: basePolicy, changes: policy, journal: journal)
      } else {
        policy
      }
    queue = SerialDeliveryQueue(activity: activity)
    stopwatch = Timeline(clock)
    state = Locked(State(script: ScriptStateMachine(script)))
    checkpointLimits = script.checkpointLimits
  }

  /// Plays the script and emits events from the test, until cancelled, failed or ended.
  ///
  /// - Throws: The error of ``MockStep/fail(_:)`` or ``fail(_:)``; `LocationError` with code
  ///   `unsupported` when a run is already in progress; `CancellationError`.
  public func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws {
    try claimRun(demand)
    let outcome = Promise<LocationError?>()
    let endRun: @Sendable (LocationError?) -> Void = { [activity, state] error in
      activity.begin()
      state.withLock { $0.endingRuns += 1 }
      outcome.fulfill(error)
    }
    let receive: @Sendable (MockDelivery) -> Bool = { [checkpoints, policy, state] delivery in
      switch delivery {
      case .events(let events): emit(events)
      case .supplied(let events, let ends):
        state.withLock { $0.isDiscarded = false }
        emit(events)
        let isDiscarded = state.withLock { state in
          if state.isDiscarded { state.supplied.append(delivery) }
          return state.isDiscarded
        }
        guard ends, !isDiscarded else { return true }
        endRun(nil)
        return false
      case .authorization(let change): policy.set(change)
      case .checkpoint(let name): checkpoints.append(name)
      case .finish(let error):
        endRun(error)
        return false
      }
      return true
    }
    started(demand)
    queue.attach(receive)
    // Set only after the waiting events are delivered. Otherwise an event from a caller that waits
    // for the run could be delivered later, on this thread.
    state.withLock { $0.phase = .running }
    journal.append(.runStarted(demand))
    let result = await withTaskCancellationHandler {
      await withTaskGroup { group in
        activity.begin()
        group.addTask { await self.activity.performing { await self.play() } }
        let result = await outcome.value()
        group.cancelAll()
        return result
      }
    } onCancel: {
      state.withLock { $0.phase = .stopping }
    }
    await queue.detach()
    finish()
    guard let result else { throw CancellationError() }
    if let error = result { throw error }
  }

  public func demandDidChange(_ demand: BackendDemand) async {
    state.withLock { $0.demand = demand }
    journal.append(.demandApplied(demand))
  }

  private func claimRun(_ demand: BackendDemand) throws(LocationError) {
    let isRefused = state.withLock { state in
      guard state.phase == .idle else { return true }
      state.phase = .starting
      return false
    }
    guard isRefused else { return }
    journal.append(.runRefused(demand))
    throw LocationError(
      .unsupported, "This MockBackend already runs; create one for each manager.")
  }

  private func started(_ demand: BackendDemand) {
    let now = stopwatch.now()
    state.withLock { state in
      // These deliveries precede those that were supplied later.
      queue.prepend(state.supplied)
      state.supplied = []
      state.runCount += 1
      state.demand = demand
      state.script.started(at: now)
    }
  }

  /// The number of deliveries that wait for a run.
  var undeliveredCalls: Int { queue.waitingCount + state.withLock { $0.supplied.count } }

  /// Returns the number of runs that have ended since the last call.
  func takeEndingRuns() -> Int {
    state.withLock { state in
      defer { state.endingRuns = 0 }
      return state.endingRuns
    }
  }

  private func finish() {
    let now = stopwatch.now()
    state.withLock { state in
      state.phase = .idle
      state.script.stopped(at: now)
    }
    journal.append(.runEnded)
  }

  private func play() async {
    while !Task.isCancelled {
      let action = state.withLock { state in
        let action = state.script.next()
        // Enqueued under the lock, so that a step that was taken is not lost. The script's length
        // bounds the queue.
        if case .deliver(let delivery) = action { _ = queue.enqueue(delivery) }
        return action
      }
      switch action {
      case .deliver(let delivery):
        queue.deliver()
        if case .finish = delivery { return }
        continue
      case .sleep(let instant):
        do { try await stopwatch.sleep(until: instant) } catch { return }
      case .wait(let gate):
        await gate.wait()
        guard gate.isOpen else { return }
      case .rest: return
      }
      let now = stopwatch.now()
      state.withLock { $0.script.finishedWaiting(at: now) }
    }
  }
}

extension MockBackend {
  /// Whether a run is in progress.
  public var isRunning: Bool { state.withLock { $0.phase != .idle } }

  /// The number of runs that were started.
  public var runCount: Int { state.withLock { $0.runCount } }

  /// The latest demand; nil before the first run.
  public var demand: BackendDemand? { state.withLock { $0.demand } }

  /// Waits until an uncancelled run is in progress, or until the calling task is cancelled.
  public func waitUntilRunning() async {
    _ = await journal.wait { state.withLock { $0.phase == .running } }
  }

  /// Waits until no run is in progress, or until the calling task is cancelled.
  public func waitUntilIdle() async { _ = await journal.wait { !isRunning } }

  /// Waits until the script has passed a checkpoint at least `count` times, including earlier
  /// passes, or until the calling task is cancelled.
  ///
  /// - Throws: `LocationError` with code `invalidValue` when the script cannot pass the checkpoint
  ///   that often.
  public func waitForCheckpoint(_ name: String, count: Int = 1) async throws(LocationError) {
    let limit = checkpointLimits[name] ?? 0
    guard count <= limit else {
      let times = limit == 1 ? "once" : "\(limit) times"
      throw LocationError(
        .invalidValue,
        limit == 0
          ? "The script has no checkpoint \"\(name)\"; check its spelling."
          : "The script passes checkpoint \"\(name)\" \(times), never \(count) times.")
    }
    _ = await checkpoints.wait { checkpoints.entries.count { $0 == name } >= count }
  }

  /// Emits events in one batch.
  ///
  /// When it returns, the manager has received the events, unless another thread was emitting; that
  /// thread then delivers them. Without a run, the events wait for the next run. While a run stops,
  /// the manager discards its events; wait for the next run with ``waitUntilRunning()``.
  ///
  /// - Throws: `LocationError` with code `unsupported` when ``queueLimit`` calls already wait for a
  ///   run. No event of this call is then emitted.
  public func emit(_ events: BackendEvent...) throws(LocationError) { try emit(events) }

  /// Emits events in one batch, as ``emit(_:)-(BackendEvent...)`` does.
  ///
  /// - Throws: As ``emit(_:)-(BackendEvent...)`` does.
  public func emit(_ events: [BackendEvent]) throws(LocationError) { try enqueue(.events(events)) }

  /// Ends the run with an error, after the events emitted before. Without a run, it ends the next
  /// run.
  ///
  /// - Throws: As ``emit(_:)-(BackendEvent...)`` does.
  public func fail(_ error: LocationError) throws(LocationError) { try enqueue(.finish(error)) }

  /// Ends the run normally, after the events emitted before. This ends every stream of the manager.
  /// Without a run, it ends the next run.
  ///
  /// - Throws: As ``emit(_:)-(BackendEvent...)`` does.
  public func end() throws(LocationError) { try enqueue(.finish(nil)) }

  /// Grants, denies or revokes permission without a request. Current and future observers of the
  /// policy are notified. Answers to requests do not change. Works without a run.
  public func setAuthorization(_ decision: AuthorizationDecision) {
    policy.set(.decision(decision))
  }

  /// Enables or disables location services for all clients; observers are notified as in
  /// ``setAuthorization(_:)``.
  public func setLocationServices(enabled: Bool) {
    policy.set(.locationServices(enabled: enabled))
  }

  /// The pending requests for permission, oldest first; see ``answerAuthorization(_:to:)``.
  public var pendingAuthorizationRequests: [AuthorizationRequest] { policy.pending }

  /// Answers the oldest pending request of a kind, or of any kind.
  ///
  /// - Returns: False when no request is pending.
  @discardableResult
  public func answerAuthorization(
    _ decision: AuthorizationDecision, to request: AuthorizationRequest? = nil
  ) -> Bool {
    policy.answer(decision, to: request)
  }

  /// The purpose keys of pending requests for full accuracy, oldest first; see
  /// ``answerFullAccuracy(_:)``.
  public var pendingFullAccuracyRequests: [String] { policy.pendingFullAccuracy }

  /// Answers the oldest pending request for full accuracy with the duration of the grant, or nil to
  /// decline.
  ///
  /// - Returns: False when no request is pending.
  @discardableResult
  public func answerFullAccuracy(_ duration: Duration?) -> Bool {
    policy.answerFullAccuracy(duration)
  }

  /// Emits events for a use of the manager. If the manager discards them because the run has to
  /// stop, the next run emits them.
  ///
  /// - Throws: As ``emit(_:)-(BackendEvent...)`` does.
  func supply(_ events: [BackendEvent], ends: Bool) throws(LocationError) {
    guard !events.isEmpty || ends else { return }
    try enqueue(.supplied(events, ends: ends))
  }

  /// Called when the manager discards the current delivery.
  func noteDiscard() { state.withLock { $0.isDiscarded = true } }

  private func enqueue(_ delivery: MockDelivery) throws(LocationError) {
    guard queue.enqueue(delivery, limit: Self.queueLimit) else {
      throw LocationError(
        .unsupported,
        "\(Self.queueLimit) calls of emit, fail and end are queued without a run; call "
          + "waitUntilRunning() before emitting more, or emit several events in one call.")
    }
    queue.deliver()
  }
}
