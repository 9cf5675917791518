import FoundationEssentials

/// Runs the manager's decisions: the state decides under the lock, and the hub acts after releasing
/// it.
///
/// The manager, its streams and its sessions hold the hub through ``HubLifetime``, which closes it
/// when the last of them is released.
final class Hub: Sendable {
  let timeline: Timeline
  private let backend: any LocationBackend
  /// The executor of the hub's own tasks. Nil means the global executor; only a simulation sets
  /// another.
  let executor: (any TaskExecutor)?
  let policy: any AuthorizationPolicy
  let capabilities: BackendCapabilities
  private let ids = IDSource()
  let gate = DeliveryGate()
  private let state: Locked<HubState>
  /// The backend, if it belongs to a test kit.
  let observer: (any ManagerObserver)?
  let activity: ActivityLedger?

  init(
    backend: any LocationBackend, requestsImplicitly: Bool, timeline: Timeline,
    executor: (any TaskExecutor)?
  ) {
    self.backend = backend
    self.executor = executor
    self.timeline = timeline
    policy = backend.authorizationPolicy
    let capabilities = backend.capabilities
    self.capabilities = capabilities
    state = Locked(
      HubState(
        capabilities: capabilities, requestsImplicitly: requestsImplicitly,
        reportsEveryDecision: policy.reportsEveryDecision, gate: gate,
        hostOffset: Date().timeIntervalSinceReferenceDate - timeline.now().approximateSeconds))
    observer = backend as? any ManagerObserver
    activity = observer?.activity
    activity?.managerWasCreated()
  }

  /// Runs a decision under the lock, then performs its effects.
  @discardableResult
  func decide<Value: Sendable>(
    _ body: (inout HubState, inout Effects) -> Value
  ) -> Value {
    activity?.begin()
    defer { activity?.end() }
    var (value, effects) = state.withLock { state in
      var effects = Effects()
      let value = body(&state, &effects)
      return (value, effects)
    }
    effects.deliver(gate)
    if let expiry = effects.expiry { startTimer(for: expiry) }
    if let (expiry, deadline) = effects.expiryAfterClose {
      startTimerAfterClose(for: expiry, until: deadline)
    }
    for timeout in effects.timeouts { startTimer(for: timeout) }
    if let run = effects.run { start(run) }
    if let attempt = effects.keyAttempt { readKey(attempt) }
    for choice in effects.choices { choose(choice) }
    effects.perform()
    return value
  }

  /// The last location and heading; nil without permission.
  var known: (location: Location?, heading: Heading?) {
    state.withLock { ($0.known.location, $0.known.heading) }
  }

  /// Whether permission covers data that reveals the device's precise position.
  var permitsPrecise: Bool { state.withLock(\.permitsPrecise) }

  /// Whether an event that reveals the device's precise position may be delivered.
  func allowsPrecise(_ stamp: DeliveryStamp) -> Bool {
    state.withLock { $0.allowsPrecise(stamp) }
  }

  /// The number of events that each stream of events has missed, keyed by the stream's identifier.
  var eventLosses: [UInt64: UInt64] { state.withLock { $0.feed.losses } }

  /// The reasons why permission covers no location, or only a coarse one; empty if permission
  /// covers precise locations.
  var permissionDiagnostics: LocationUpdate.Diagnostics {
    state.withLock { LocationUpdate.Diagnostics($0.authorization.machine) }
  }

  /// A new identifier for a subscriber or a call.
  func newID() -> UInt64 { ids.next() }

  // MARK: Running the backend

  private func start(_ run: RunStateMachine.RunID) {
    activity?.begin()
    let task = Task.detached(executorPreference: executor) { [self] in
      let outcome = await perform(run)
      await waitForChoices()
      decide { $0.runEnded(run, outcome, &$1) }
      activity?.end()
    }
    decide { $0.setRunTask(task, of: run, &$1) }
  }

  /// Performs one run from start to end, forwards changes of demand to the backend meanwhile, and
  /// returns the backend's result.
  private func perform(_ run: RunStateMachine.RunID) async -> Result<Void, any Error> {
    guard let (demand, changes) = decide({ $0.beginRun(run, &$1) }) else {
      return .success(())
    }
    if let activity { changes.observe(activity.probeOfTask()) }
    return await withTaskGroup(of: Result<Void, any Error>.self) { group in
      // Immediate: `run` is entered before `demandDidChange` is called for the first time.
      group.addImmediateTask { [backend, observer, self] in
        let result: Result<Void, any Error>
        do {
          result = .success(
            try await backend.run(demand) { [weak self] in self?.receive($0, from: run) })
        } catch {
          result = .failure(error)
        }
        changes.abandon()
        observer?.runDidReturn()
        return result
      }
      var lastReported = demand
      while let change = try? await changes.next() {
        guard change != lastReported else { continue }  // The demand changed back.
        lastReported = change
        await backend.demandDidChange(change)
      }
      return await group.next() ?? .success(())
    }
  }

  private func receive(_ events: [BackendEvent], from run: RunStateMachine.RunID) {
    let arrival = Arrival(timeline: timeline, instant: timeline.now())
    let isCurrent = decide { $0.receive(events, from: run, at: arrival, &$1) }
    if !isCurrent { observer?.didDiscardEvents() }
  }
}

/// Keeps a hub open and closes it when the last reference is released.
///
/// The manager, its open streams and its sessions hold one, so the source stays open while any of
/// them exists. The hub's own tasks hold the hub, never its lifetime.
final class HubLifetime: Sendable {
  let hub: Hub

  init(_ hub: Hub) { self.hub = hub }

  deinit { hub.decide { $0.tearDown(&$1) } }
}
