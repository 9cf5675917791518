import AsyncLocation

/// One subscriber's reports: follows the policy, reads from gpsd while that permits it, and fills the
/// channel. Dropping the last reference ends everything.
///
/// The lock covers the decision and the channel's side of it, so that nothing enters the channel after
/// permission has ended. Consumers take from the channel alone.
final class ReportSubscription: Sendable {
  /// Reads from gpsd until cancelled or failed.
  typealias Work =
    @Sendable (_ deliver: @escaping @Sendable (consuming ReportBatch) -> Void) async throws -> Void

  private struct State {
    var gate = ReportGate()
    var hasEnded = false
    /// How many reports have entered the channel, which numbers them.
    var arrived = 0
    /// How many of them made room for newer ones, and how many the reader left behind.
    var dropped: UInt64 = 0
    var abandoned = 0
    var lastID: UInt64 = 0
    var run: UInt64?
    var question: UInt64?
    var tasks: [UInt64: Task<Void, Never>] = [:]

    mutating func newID() -> UInt64 {
      lastID += 1
      return lastID
    }
  }

  /// What is done once the lock is open.
  private struct Effects {
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

  /// - Parameter ended: Called once, when nothing more is read.
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

  /// How many reports made room for newer ones.
  var dropped: Int { Int(clamping: state.withLock { $0.dropped }) }

  /// How many reports were given up when permission or the reading ended.
  var withheld: Int {
    // What the channel dropped otherwise was below the permission's floor.
    state.withLock { Int(clamping: channel.dropped - $0.dropped) + $0.abandoned }
  }

  /// Begins. What the policy says at once holds before it is asked.
  func start() {
    let id = state.withLock { $0.newID() }
    keep(
      Task.immediateDetached { [policy, weak self] in
        await policy.observe { [weak self] change in self?.decide { $0.changed(change) } }
      }, as: id)
    decide { $0.begin() }
  }

  /// Ends with an error, after what was delivered.
  func fail(_ error: LocationError) {
    act { state, effects in finish(error, &state, &effects) }
  }

  /// Ends without an error, at once. What waits is not delivered.
  func close() {
    act { state, effects in
      guard !state.hasEnded else { return }
      finish(nil, &state, &effects)
      state.abandoned = channel.abandon()
    }
  }

  /// Takes the next report if one waits.
  func take() -> ReceivedReport? { channel.take() }

  /// Waits until there may be a report. False at the end, and when the task is cancelled, which
  /// ends the subscription.
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
      guard !state.hasEnded else { return }
      for action in event(&state.gate) { perform(action, &state, &effects) }
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

  /// Discards what waits: no consumer gets it from here on.
  private func withdraw() {
    permission.withdraw()
    _ = channel.discardWithdrawn()
  }

  private func cancel(_ id: UInt64?, _ state: inout State, _ effects: inout Effects) {
    if let id, let task = state.tasks.removeValue(forKey: id) { effects.cancelled.append(task) }
  }

  private func finish(
    _ error: LocationError?, _ state: inout State, _ effects: inout Effects
  ) {
    guard !state.hasEnded else { return }
    state.hasEnded = true
    effects.hasEnded = true
    (state.run, state.question, effects.run, effects.question) = (nil, nil, nil, nil)
    effects.cancelled += state.tasks.values
    state.tasks = [:]
    channel.finish(error, waking: &effects.wakes)
  }

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

  /// Remembers a task that ends with the subscription; cancels it when it is no longer wanted.
  private func keep(
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
    keep(task, as: id, if: { $0.question == id })
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
    keep(task, as: id, if: { $0.run == id })
  }

  private func arrived(_ batch: consuming ReportBatch, from id: UInt64) {
    var arrived = Optional(batch)
    act { state, effects in
      guard state.run == id, state.gate.isOpen, let batch = arrived.take() else { return }
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
      // What was delivered comes first.
      finish(error.flatMap(Self.failure), &state, &effects)
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
