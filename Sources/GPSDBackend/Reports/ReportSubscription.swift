import AsyncLocation

/// One subscriber's reports: asks the policy, reads from gpsd while that permits it, and keeps what
/// waits. Dropping the last reference ends everything.
///
/// One lock lies over permission and the buffer, so that nothing is taken once a refusal is in.
final class ReportSubscription: Sendable {
  typealias Batch = [(report: GPSDReport?, line: [UInt8])]
  /// Reads from gpsd until cancelled or failed.
  typealias Work = @Sendable (_ deliver: @escaping @Sendable (Batch) -> Void) async throws -> Void

  private struct State {
    var gate = ReportGate()
    var buffer: ReportBuffer
    var end = End.open
    var waiting: [(id: UInt64, caller: CheckedContinuation<Void, Never>)] = []
    var lastID: UInt64 = 0
    var run: UInt64?
    var question: UInt64?
    var tasks: [UInt64: Task<Void, Never>] = [:]

    mutating func newID() -> UInt64 {
      lastID += 1
      return lastID
    }
  }

  private enum End {
    case open, finished
    case failed(LocationError)
  }

  /// What is done once the lock is open.
  private struct Effects {
    var run: UInt64?
    var question: UInt64?
    var cancelled: [Task<Void, Never>] = []
    var woken: [CheckedContinuation<Void, Never>] = []
    var hasEnded = false
  }

  private enum Look {
    case found(ReceivedReport)
    case nothing
    case ended(LocationError?)
  }

  private let policy: any AuthorizationPolicy
  private let work: Work
  private let ended: @Sendable () -> Void
  private let state: Locked<State>

  /// - Parameter ended: Called once, when nothing more is read.
  init(
    _ buffering: Buffering, policy: any AuthorizationPolicy, work: @escaping Work,
    ended: @escaping @Sendable () -> Void
  ) {
    self.policy = policy
    self.work = work
    self.ended = ended
    state = Locked(State(buffer: ReportBuffer(limit: buffering.limit)))
  }

  deinit { close() }

  var dropped: Int { state.withLock { $0.buffer.dropped } }

  /// Begins. What the policy says at once holds before it is asked.
  func start() {
    let id = state.withLock { $0.newID() }
    keep(
      Task.immediateDetached { [policy, weak self] in
        await policy.observe { [weak self] change in self?.decide { $0.changed(change) } }
      }, as: id)
    decide { $0.begin() }
  }

  /// Ends without an error, at once. What waits is not delivered.
  func close() {
    act { state, effects in
      guard case .open = state.end else { return }
      state.buffer.removeAll()
      Self.finish(nil, &state, &effects)
    }
  }

  // MARK: Deciding

  private func decide(_ event: (inout ReportGate) -> [ReportGate.Action]) {
    act { state, effects in
      guard case .open = state.end else { return }
      for action in event(&state.gate) { Self.take(action, &state, &effects) }
    }
  }

  private static func take(
    _ action: ReportGate.Action, _ state: inout State, _ effects: inout Effects
  ) {
    switch action {
    case .ask:
      state.question = state.newID()
      effects.question = state.question
    case .cancelQuestion:
      effects.question = nil
      cancel(state.question, &state, &effects)
      state.question = nil
    case .open:
      state.run = state.newID()
      effects.run = state.run
    case .close:
      effects.run = nil
      cancel(state.run, &state, &effects)
      state.run = nil
      state.buffer.removeAll()
    case .end(let error):
      state.buffer.removeAll()
      finish(error, &state, &effects)
    }
  }

  private static func cancel(_ id: UInt64?, _ state: inout State, _ effects: inout Effects) {
    if let id, let task = state.tasks.removeValue(forKey: id) { effects.cancelled.append(task) }
  }

  private static func finish(
    _ error: LocationError?, _ state: inout State, _ effects: inout Effects
  ) {
    state.end = error.map(End.failed) ?? .finished
    effects.hasEnded = true
    (state.run, state.question, effects.run, effects.question) = (nil, nil, nil, nil)
    effects.cancelled += state.tasks.values
    state.tasks = [:]
    effects.woken += state.waiting.map(\.caller)
    state.waiting = []
  }

  private func act(_ body: (inout State, inout Effects) -> Void) {
    let effects = state.withLock { state -> Effects in
      var effects = Effects()
      body(&state, &effects)
      return effects
    }
    for task in effects.cancelled { task.cancel() }
    for caller in effects.woken { caller.resume() }
    if effects.hasEnded { ended() }
    if let id = effects.question { ask(id) }
    if let id = effects.run { run(id) }
  }

  // MARK: Acting

  /// Remembers a task that ends with the subscription; cancels it when it is no longer wanted.
  private func keep(
    _ task: Task<Void, Never>, as id: UInt64, if isWanted: (borrowing State) -> Bool = { _ in true }
  ) {
    let isKept = state.withLock { state -> Bool in
      guard isWanted(state), case .open = state.end else { return false }
      state.tasks[id] = task
      return true
    }
    if !isKept { task.cancel() }
  }

  private func ask(_ id: UInt64) {
    let task = Task.detached { [policy, weak self] in
      let decision = await policy.authorize(.whenInUse)
      self?.act { state, effects in
        guard state.question == id else { return }
        state.question = nil
        state.tasks[id] = nil
        for action in state.gate.answered(decision) { Self.take(action, &state, &effects) }
      }
    }
    keep(task, as: id, if: { $0.question == id })
  }

  private func run(_ id: UInt64) {
    let task = Task.detached { [work, weak self] in
      let error: (any Error)?
      do {
        try await work { [weak self] batch in self?.take(batch, from: id) }
        error = nil
      } catch let caught {
        error = caught
      }
      self?.runEnded(id, error)
    }
    keep(task, as: id, if: { $0.run == id })
  }

  private func take(_ batch: Batch, from id: UInt64) {
    act { state, effects in
      guard state.run == id, state.gate.isOpen else { return }
      for (report, line) in batch { state.buffer.append(report, line: line) }
      if !state.waiting.isEmpty, !state.buffer.isEmpty {
        effects.woken.append(state.waiting.removeFirst().caller)
      }
    }
  }

  private func runEnded(_ id: UInt64, _ error: (any Error)?) {
    act { state, effects in
      guard state.run == id else { return }
      // What was delivered comes first.
      Self.finish(error.flatMap(Self.failure), &state, &effects)
    }
  }

  private static func failure(_ error: any Error) -> LocationError? {
    if error is CancellationError { return nil }
    return error as? LocationError
      ?? LocationError(.backendUnavailable, "gpsd's reports ended unexpectedly.", cause: error)
  }
}

// MARK: - The subscriber's side

extension ReportSubscription {
  /// Takes the next report, waiting for one. Nil at the end, and when the task is cancelled.
  func next(
    isolation: isolated (any Actor)? = #isolation
  ) async throws(LocationError) -> ReceivedReport? {
    while !Task.isCancelled {
      let (look, other) = state.withLock { state in (Self.look(&state), Self.other(&state)) }
      other?.resume()
      switch look {
      case .found(let report): return report
      case .ended(let error?): throw error
      case .ended(nil): return nil
      case .nothing: await wait(isolation: isolation)
      }
    }
    close()
    return nil
  }

  private static func look(_ state: inout State) -> Look {
    if let report = state.buffer.popFirst() { return .found(report) }
    switch state.end {
    case .open: return .nothing
    case .finished: return .ended(nil)
    case .failed(let error):
      state.end = .finished  // An error is told once.
      return .ended(error)
    }
  }

  /// Another consumer that is to look, when one of several took less than there is.
  private static func other(_ state: inout State) -> CheckedContinuation<Void, Never>? {
    guard !state.buffer.isEmpty, !state.waiting.isEmpty else { return nil }
    return state.waiting.removeFirst().caller
  }

  /// Returns when there may be something to take, or the task is cancelled.
  private func wait(isolation: isolated (any Actor)?) async {
    let id = state.withLock { $0.newID() }
    await withTaskCancellationHandler {
      await withCheckedContinuation(isolation: isolation) { caller in
        let waits = state.withLock { state -> Bool in
          // Under the lock: a cancel that comes later finds the waiter.
          guard case .open = state.end, state.buffer.isEmpty, !Task.isCancelled else {
            return false
          }
          state.waiting.append((id, caller))
          return true
        }
        if !waits { caller.resume() }
      }
    } onCancel: {
      let caller = state.withLock { state -> CheckedContinuation<Void, Never>? in
        guard let index = state.waiting.firstIndex(where: { $0.id == id }) else { return nil }
        return state.waiting.remove(at: index).caller
      }
      caller?.resume()
    }
  }
}
