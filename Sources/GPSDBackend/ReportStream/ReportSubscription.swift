import AsyncLocation

/// Observes the policy for one subscriber, reads from gpsd while permitted, and fills the channel.
/// Releasing the last reference ends the subscription.
///
/// The lock covers each decision and the write to the channel, so that nothing enters the channel
/// after permission has ended. Consumers read from the channel without this lock.
final class ReportSubscription: Sendable {
  /// Reads from gpsd until it is cancelled or fails.
  typealias Work =
    @Sendable (_ deliver: @escaping @Sendable (consuming ReportBatch) -> Void) async throws -> Void

  private struct State {
    var gate = ReportGate()
    var hasEnded = false
    /// The number of reports that have entered the channel; also the next report's number.
    var arrived = 0
    /// The number of reports dropped to make room for newer ones.
    var dropped: UInt64 = 0
    /// The number of buffered reports discarded by `close()`.
    var abandoned = 0
    var lastID: UInt64 = 0
    /// The IDs of the tasks that read from gpsd, request permission and observe the policy; nil
    /// while there is none.
    var run: UInt64?
    var question: UInt64?
    var observation: UInt64?
    var tasks: [UInt64: Task<Void, Never>] = [:]

    mutating func newID() -> UInt64 {
      lastID += 1
      return lastID
    }
  }

  /// The effects to perform after the lock is released.
  private struct Effects {
    /// The IDs of the tasks to start.
    var run: UInt64?
    var question: UInt64?
    var cancelled: [Task<Void, Never>] = []
    var wakes = Wakes()
    var hasEnded = false
  }

  private let policy: any AuthorizationPolicy
  private let work: Work
  private let ended: @Sendable () -> Void
  private let permission = DeliveryGate()
  private let channel: BoundedChannel<ReceivedReport>
  private let state = Locked(State())

  /// - Parameter ended: Called once, when the subscription ends.
  init(
    _ buffering: ReportBufferingPolicy, policy: any AuthorizationPolicy, work: @escaping Work,
    ended: @escaping @Sendable () -> Void
  ) {
    self.policy = policy
    self.work = work
    self.ended = ended
    channel = buffering.channel(permission)
  }

  deinit { close() }

  /// The number of reports dropped to make room for newer ones.
  var dropped: Int { Int(clamping: state.withLock { $0.dropped }) }

  /// The number of reports discarded when permission or the iteration ended.
  var withheld: Int {
    // The other elements that the channel dropped were discarded when permission was withdrawn.
    state.withLock { Int(clamping: channel.dropped - $0.dropped) + $0.abandoned }
  }

  /// Starts the subscription. A decision that the policy reports immediately takes effect before
  /// permission is requested.
  func start() {
    let id = state.withLock { state in
      let id = state.newID()
      state.observation = id
      return id
    }
    retain(
      Task.immediateDetached { [policy, weak self] in
        await policy.observe { [weak self] change in self?.decide { $0.changed(change) } }
      }, as: id)
    decide { $0.began() }
  }

  /// Ends with an error, after the buffered reports.
  func fail(_ error: LocationError) {
    act { state, effects in finish(error, &state, &effects) }
  }

  /// Ends without an error, immediately. Buffered reports are discarded.
  func close() {
    act { state, effects in
      if state.hasEnded {
        effects.cancelled += exchange(&state.tasks, with: [:]).values
      } else {
        finish(nil, &state, &effects)
      }
      // Reports that are still buffered after the end are discarded too: the policy is no longer
      // observed.
      state.abandoned += channel.abandon()
    }
  }

  /// Takes the next report if one is buffered.
  func take() -> ReceivedReport? { channel.take() }

  /// Waits until a report may be available. Returns false at the end, and when the task is
  /// cancelled, which ends the subscription.
  func waitForMore(
    isolation: isolated (any Actor)? = #isolation
  ) async throws(LocationError) -> Bool {
    if try await channel.waitForMore(isolation: isolation) { return true }
    close()
    return false
  }

  // MARK: Deciding

  private func decide(_ event: (inout ReportGate) -> [ReportGate.Action]) {
    act { state, effects in
      for action in event(&state.gate) {
        if !state.hasEnded {
          perform(action, &state, &effects)
        } else if action.isWithdrawal {
          withdraw()
        }
      }
    }
  }

  private func perform(
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
      withdraw()
    case .end(let error):
      withdraw()
      finish(error, &state, &effects)
    }
  }

  /// Discards buffered reports; no consumer receives them after this call.
  private func withdraw() {
    permission.withdraw()
    _ = channel.discardWithdrawn()
  }

  /// Removes a task, which is cancelled after the lock is released.
  private func cancel(_ id: UInt64?, _ state: inout State, _ effects: inout Effects) {
    if let id, let task = state.tasks.removeValue(forKey: id) { effects.cancelled.append(task) }
  }

  /// Ends the subscription, unless it has ended before.
  ///
  /// - Parameter keepsObserving: Whether to observe the policy until the buffered reports are read.
  private func finish(
    _ error: LocationError?, keepsObserving: Bool = false, _ state: inout State,
    _ effects: inout Effects
  ) {
    guard !state.hasEnded else { return }
    state.hasEnded = true
    effects.hasEnded = true
    (state.run, state.question, effects.run, effects.question) = (nil, nil, nil, nil)
    let kept = keepsObserving ? state.observation : nil
    effects.cancelled += state.tasks.filter { $0.key != kept }.values
    state.tasks = state.tasks.filter { $0.key == kept }
    channel.finish(error, waking: &effects.wakes)
  }

  /// Changes the state under the lock, then performs the effects outside of it.
  private func act(_ body: (inout State, inout Effects) -> Void) {
    let effects = state.withLock { state -> Effects in
      var effects = Effects()
      body(&state, &effects)
      return effects
    }
    for task in effects.cancelled { task.cancel() }
    effects.wakes.perform()
    if effects.hasEnded { ended() }
    if let id = effects.question { ask(id) }
    if let id = effects.run { run(id) }
  }

  // MARK: Acting

  /// Stores a task, which is cancelled with the subscription. Cancels it immediately if the
  /// subscription has ended or `isWanted` returns false.
  private func retain(
    _ task: Task<Void, Never>, as id: UInt64, if isWanted: (borrowing State) -> Bool = { _ in true }
  ) {
    let isKept = state.withLock { state -> Bool in
      guard isWanted(state), !state.hasEnded else { return false }
      state.tasks[id] = task
      return true
    }
    if !isKept { task.cancel() }
  }

  private func ask(_ id: UInt64) {
    let task = Task.detached { [policy, weak self] in
      let decision = await policy.authorize(.whenInUse)
      self?.answered(id, decision)
    }
    retain(task, as: id, if: { $0.question == id })
  }

  private func answered(_ id: UInt64, _ decision: AuthorizationDecision) {
    act { state, effects in
      guard state.question == id else { return }
      state.question = nil
      state.tasks[id] = nil
      for action in state.gate.answered(decision) { perform(action, &state, &effects) }
    }
  }

  private func run(_ id: UInt64) {
    let task = Task.detached { [work, weak self] in
      let error: (any Error)?
      do {
        try await work { [weak self] batch in self?.arrived(batch, from: id) }
        error = nil
      } catch let caught {
        error = caught
      }
      self?.runEnded(id, error)
    }
    retain(task, as: id, if: { $0.run == id })
  }

  private func arrived(_ batch: consuming ReportBatch, from id: UInt64) {
    var pending = Optional(batch)  // A closure cannot consume the parameter itself.
    act { state, effects in
      guard state.run == id, state.gate.isOpen, let batch = pending.take() else { return }
      let reports = batch.numbered(from: state.arrived)
      state.arrived += reports.count
      let tally = channel.push(
        reports, permission.stamp(isPrecise: true), waking: &effects.wakes)
      state.dropped += tally.dropped
    }
  }

  private func runEnded(_ id: UInt64, _ error: (any Error)?) {
    act { state, effects in
      guard state.run == id else { return }
      // Buffered reports are delivered before the end.
      finish(error.flatMap(Self.failure), keepsObserving: true, &state, &effects)
    }
  }

  private static func failure(_ error: any Error) -> LocationError? {
    if error is CancellationError { return nil }
    return error as? LocationError
      ?? LocationError(.backendUnavailable, "gpsd's reports ended unexpectedly.", cause: error)
  }
}

extension ReportBufferingPolicy {
  fileprivate func channel(_ permission: DeliveryGate) -> BoundedChannel<ReceivedReport> {
    switch bound {
    case .count(let limit): BoundedChannel(limit: limit, gate: permission)
    case .bytes(let limit):
      BoundedChannel(bytes: limit, gate: permission) { report in report.memorySize }
    }
  }
}
