public import AsyncLocation

/// A source of positions for tests: it plays a script, does what the test says meanwhile, and keeps
/// a log of what was asked of it.
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
/// Script and test share one line: what either hands in is handed on in that order, one call at a
/// time. A backend serves one manager; a second run beside the first fails with
/// code `unsupported`. <doc:AdvancingTime> and <doc:EmittingByHand> name the pitfalls.
public final class MockBackend: LocationBackend, Sendable {
  /// How many calls of ``emit(_:)-(BackendEvent...)`` and its like wait at most for a run.
  public static var queueLimit: Int { 1_024 }

  private struct State {
    var script: ScriptStateMachine
    var isRunning = false
    /// Whether the run was cancelled and has not returned yet.
    var isStopping = false
    var runCount = 0
    var demand: BackendDemand?
  }

  public let capabilities: BackendCapabilities
  public var authorizationPolicy: any AuthorizationPolicy { policy }

  let journal = Journal<Call>()
  private let checkpoints = Journal<String>()
  private let policy: MockAuthorizationPolicy
  private let stopwatch: Timeline
  private let state: Locked<State>
  private let courier = SerialDeliveryQueue<MockDelivery>()
  private let checkpointLimits: [String: Int]

  /// Creates a backend that emits what the test hands it.
  ///
  /// - Parameters:
  ///   - capabilities: What it claims to report; what it emits is not checked against it.
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
  ///   - capabilities: What it claims to report; what it emits is not checked against it.
  ///   - authorization: The answers to requests for permission.
  ///   - script: What its runs do.
  /// - Throws: `LocationError` with code `invalidValue` when the script has a ``MockStep/wait(_:)``
  ///   above zero. Without a clock it would never end; pass one by
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
  ///   - capabilities: What it claims to report; what it emits is not checked against it.
  ///   - authorization: The answers to requests for permission.
  ///   - script: What its runs do.
  ///   - clock: What the script's waits are measured on: a ``ManualClock`` that the test advances,
  ///     or a `ContinuousClock`.
  public init(
    capabilities: BackendCapabilities = .all, authorization: MockAuthorization = .granting,
    script: MockScript = [], clock: any Clock<Duration>
  ) {
    self.capabilities = capabilities
    policy = MockAuthorizationPolicy(authorization, journal: journal)
    stopwatch = Timeline(clock)
    state = Locked(State(script: ScriptStateMachine(script)))
    checkpointLimits = script.checkpointLimits
  }

  /// Plays the script and hands on what the test emits, until cancelled, failed or ended.
  ///
  /// - Throws: The error of ``MockStep/fail(_:)`` or ``fail(_:)``; `LocationError` with
  ///   code `unsupported` when a run is under way already; `CancellationError`.
  public func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws {
    try begin(demand)
    let outcome = Promise<LocationError?>()
    courier.attach { [checkpoints, policy] delivery in
      switch delivery {
      case .events(let events): emit(events)
      case .authorization(let change): policy.set(change)
      case .checkpoint(let name): checkpoints.append(name)
      case .finish(let error):
        outcome.fulfill(error)
        return false
      }
      return true
    }
    let result = await withTaskCancellationHandler {
      await withTaskGroup { group in
        group.addTask { await self.play() }
        let result = await outcome.value()
        group.cancelAll()
        return result
      }
    } onCancel: {
      state.withLock { $0.isStopping = true }
    }
    await courier.detach()
    finish()
    guard let result else { throw CancellationError() }
    if let error = result { throw error }
  }

  public func demandDidChange(_ demand: BackendDemand) async {
    state.withLock { $0.demand = demand }
    journal.append(.demandApplied(demand))
  }

  private func begin(_ demand: BackendDemand) throws(LocationError) {
    let now = stopwatch.now()
    let isRefused = state.withLock { state in
      guard !state.isRunning else { return true }
      (state.isRunning, state.isStopping) = (true, false)
      state.runCount += 1
      state.demand = demand
      state.script.started(at: now)
      return false
    }
    journal.append(isRefused ? .runRefused(demand) : .runStarted(demand))
    guard isRefused else { return }
    throw LocationError(
      .unsupported, "This MockBackend is being run already; give each manager one of its own.")
  }

  private func finish() {
    let now = stopwatch.now()
    state.withLock { state in
      state.isRunning = false
      state.script.stopped(at: now)
    }
    journal.append(.runEnded)
  }

  private func play() async {
    while !Task.isCancelled {
      let action = state.withLock { state in
        let action = state.script.next()
        // In line under the lock: a step that was taken is not lost. The script's own length
        // bounds it.
        if case .deliver(let delivery) = action { _ = courier.enqueue(delivery) }
        return action
      }
      switch action {
      case .deliver(let delivery):
        courier.deliver()
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
  /// True from the start of a run to its end.
  public var isRunning: Bool { state.withLock { $0.isRunning } }

  /// How many runs were started.
  public var runCount: Int { state.withLock { $0.runCount } }

  /// What is asked for, or was last.
  public var demand: BackendDemand? { state.withLock { $0.demand } }

  /// Waits for a run. Returns at once while one is under way that was not told to stop, and when the
  /// calling task is cancelled.
  public func waitUntilRunning() async {
    _ = await journal.wait { state.withLock { $0.isRunning && !$0.isStopping } }
  }

  /// Returns while no run is under way, or when the calling task is cancelled.
  public func waitUntilIdle() async { _ = await journal.wait { !isRunning } }

  /// Waits until the script has passed a checkpoint as often as asked, in the past included, or
  /// until the calling task is cancelled.
  ///
  /// - Throws: `LocationError` with code `invalidValue` when the script does not have the checkpoint
  ///   that often: it would never come.
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

  /// Emits events, each call's in one batch.
  ///
  /// When it returns the manager has them, unless another thread was emitting at the time, which
  /// then hands them on. Without a run they wait for the next one. While a run stops, the manager
  /// discards what it emits: wait for the next one by ``waitUntilRunning()``.
  ///
  /// - Throws: `LocationError` with code `unsupported` when ``queueLimit`` calls wait for a run
  ///   already. Then nothing of this call is emitted.
  public func emit(_ events: BackendEvent...) throws(LocationError) { try emit(events) }

  /// Emits events in one batch, as ``emit(_:)-(BackendEvent...)`` does.
  ///
  /// - Throws: As ``emit(_:)-(BackendEvent...)`` does.
  public func emit(_ events: [BackendEvent]) throws(LocationError) { try hand(.events(events)) }

  /// Ends the run, after what was emitted before, with an error. Without a run it ends the next
  /// one.
  ///
  /// - Throws: As ``emit(_:)-(BackendEvent...)`` does.
  public func fail(_ error: LocationError) throws(LocationError) { try hand(.finish(error)) }

  /// Ends the run normally, after what was emitted before, and with it every stream of the manager.
  /// Without a run it ends the next one.
  ///
  /// - Throws: As ``emit(_:)-(BackendEvent...)`` does.
  public func end() throws(LocationError) { try hand(.finish(nil)) }

  /// Grants, denies or takes back permission by the policy's own doing: all who observe it are
  /// told, as are those who begin to. Answers to requests stay as they are. Works without a run.
  public func setAuthorization(_ decision: AuthorizationDecision) {
    policy.set(.decision(decision))
  }

  /// Switches location services for everybody, as ``setAuthorization(_:)`` changes permission.
  public func setLocationServices(enabled: Bool) {
    policy.set(.locationServices(enabled: enabled))
  }

  /// The requests for permission that wait for ``answerAuthorization(_:to:)``, oldest first.
  public var pendingAuthorizationRequests: [AuthorizationRequest] { policy.pending }

  /// Answers the oldest request that waits, of one kind or of any.
  ///
  /// - Returns: False when none waits.
  @discardableResult
  public func answerAuthorization(
    _ decision: AuthorizationDecision, to request: AuthorizationRequest? = nil
  ) -> Bool {
    policy.answer(decision, to: request)
  }

  /// The purposes whose requests for full accuracy wait for ``answerFullAccuracy(_:)``, oldest
  /// first.
  public var pendingFullAccuracyRequests: [String] { policy.pendingFullAccuracy }

  /// Answers the oldest request for full accuracy that waits: for how long, or nil to decline.
  ///
  /// - Returns: False when none waits.
  @discardableResult
  public func answerFullAccuracy(_ duration: Duration?) -> Bool {
    policy.answerFullAccuracy(duration)
  }

  private func hand(_ delivery: MockDelivery) throws(LocationError) {
    guard courier.enqueue(delivery, limit: Self.queueLimit) else {
      throw LocationError(
        .unsupported,
        "\(Self.queueLimit) calls of emit, fail and end wait to be handed to a run; call "
          + "waitUntilRunning() before emitting more, or emit several events in one call.")
    }
    courier.deliver()
  }
}
