import AsyncLocation

/// Performs the decisions of one run: runs the sources, keeps the time and emits.
final class CombinedRun: Sendable {
  private enum Command: Sendable {
    case start(SourceRun)
    case finish
  }

  /// An action, with the run that it concerns.
  private enum Effect: Sendable {
    case start(SourceRun)
    case cancel(SourceRun)
    case changeDemand(SourceRun)
    case withdraw(Int, LocationError)
    case finish
  }

  private struct State {
    var machine: CombinedStateMachine
    /// The latest run of each source that has one.
    var runs: [Int: SourceRun] = [:]
    var outcome: LocationError?
    /// The instant that the timer waits for, and what ends its wait.
    var alarm: (deadline: Duration?, wake: AsyncStream<Never>.Continuation)?
  }

  private let backends: [any LocationBackend]
  private let timeline: Timeline
  private let policy: CombinedPolicy
  private let emissions: EmissionQueue
  private let state: Locked<State>
  private let commands = AsyncStream.makeStream(of: Command.self)

  init(
    _ sources: [CombinedSource], _ configuration: CombinedConfiguration,
    _ demand: BackendDemand, memory: SwitchMemory, timeline: Timeline, policy: CombinedPolicy,
    emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) {
    backends = sources.map(\.backend)
    self.timeline = timeline
    self.policy = policy
    emissions = EmissionQueue(policy, emit)
    let now = timeline.now()
    let machine = CombinedStateMachine(
      sources.map { ($0.name, $0.backend.capabilities) }, configuration, demand,
      permitted: policy.admitted, refusals: policy.refusals(at: now), memory: memory, at: now)
    state = Locked(State(machine: machine))
  }

  /// What the next run needs to know.
  var memory: SwitchMemory { state.withLock { $0.machine.memory } }

  /// Runs until cancelled, or until no source is left.
  func run() async throws {
    policy.runBegins(with: state.withLock { $0.machine.remainingSources })
    let observation = policy.observe { [weak self] permitted in
      self?.handle { $0.permissionChanged(to: permitted, at: $1) }
    }
    await withDiscardingTaskGroup { group in
      group.addTask { await self.keepTime() }
      handle { $0.permissionChanged(to: policy.admitted, at: $1) }
      loop: for await command in commands.stream {
        switch command {
        case .start(let run): group.addImmediateTask { await self.perform(run) }
        case .finish: break loop
        }
      }
      group.cancelAll()
    }
    policy.removeObserver(observation)
    await emissions.close()
    try Task.checkCancellation()
    if let error = state.withLock({ $0.outcome }) { throw error }
  }

  func demandDidChange(_ demand: BackendDemand) {
    handle { $0.demandChanged(to: demand, at: $1) }
  }

  private func perform(_ run: SourceRun) async {
    let error = await run.perform(
      backends[run.source],
      latestDemand: { [weak self] in
        self?.state.withLock { $0.machine.sources[run.source].demand } ?? run.demand
      },
      emit: { [weak self] events in
        self?.handle { $0.received(events, from: run.source, run.id, at: $1) }
      })
    let failure = error.map { error in
      error as? LocationError
        ?? LocationError(.backendUnavailable, "The backend failed: \(error).", cause: error)
    }
    handle { $0.ended(run.source, run.id, failure, at: $1) }
  }

  // MARK: Decisions

  private func handle(
    _ body: (inout CombinedStateMachine, Duration) -> [CombinedStateMachine.Action]
  ) {
    let (effects, wake) = state.withLock { state in
      let now = timeline.now()
      let actions = body(&state.machine, now)
      // Added under the lock, so that the order is that of the decisions.
      let emitted = actions.compactMap {
        if case .emit(let emission) = $0 { emission } else { nil }
      }
      if !emitted.isEmpty { emissions.add(emitted) }
      let effects = actions.compactMap { Self.effect(of: $0, &state) }
      return (effects, Self.takeEarlierAlarm(&state, now))
    }
    for effect in effects { perform(effect) }
    wake?.finish()
    emissions.deliver()
  }

  /// Stores the runs that begin, and finds those that an action concerns.
  private static func effect(
    of action: CombinedStateMachine.Action, _ state: inout State
  ) -> Effect? {
    switch action {
    case .emit: return nil
    case .start(let source, let id, let demand):
      let run = SourceRun(source, id, demand)
      state.runs[source] = run
      return .start(run)
    case .cancel(let source): return state.runs[source].map(Effect.cancel)
    case .changeDemand(let source): return state.runs[source].map(Effect.changeDemand)
    case .withdraw(let source, let error): return .withdraw(source, error)
    case .finish(let error):
      state.outcome = error
      return .finish
    }
  }

  private func perform(_ effect: Effect) {
    switch effect {
    case .start(let run): commands.continuation.yield(.start(run))
    case .cancel(let run): run.cancel()
    case .changeDemand(let run): run.demandDidChange()
    case .withdraw(let source, let error):
      policy.sourceRefused(source, error, at: timeline.now())
    case .finish: commands.continuation.yield(.finish)
    }
  }

  // MARK: Time

  /// The wait of the timer, if it must end because there is an earlier deadline now.
  private static func takeEarlierAlarm(
    _ state: inout State, _ now: Duration
  ) -> AsyncStream<Never>.Continuation? {
    guard let alarm = state.alarm, let deadline = state.machine.deadline(after: now),
      deadline < alarm.deadline ?? .greatest
    else { return nil }
    state.alarm = nil
    return alarm.wake
  }

  private func keepTime() async {
    while !Task.isCancelled {
      let wake = AsyncStream.makeStream(of: Never.self)
      let deadline = state.withLock { state in
        let deadline = state.machine.deadline(after: timeline.now())
        state.alarm = (deadline, wake.continuation)
        return deadline
      }
      await wait(until: deadline, or: wake.stream)
      handle { $0.timePassed(at: $1) }
    }
  }

  /// Waits for an instant or the end of a stream; without an instant, for the stream only.
  private func wait(until deadline: Duration?, or wake: AsyncStream<Never>) async {
    await withDiscardingTaskGroup { group in
      let (ended, end) = AsyncStream.makeStream(of: Never.self)
      if let deadline {
        group.addTask { [timeline] in
          try? await timeline.sleep(until: deadline)
          end.finish()
        }
      }
      group.addTask {
        for await _ in wake {}
        end.finish()
      }
      for await _ in ended {}
      group.cancelAll()
    }
  }
}
