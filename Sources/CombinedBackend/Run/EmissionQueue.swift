import AsyncLocation

/// Emits what several threads add, in order and one call at a time, on the thread of one of them.
///
/// Bounded: while one call of the receiver lasts, others can add a limited number; then the oldest
/// reports are dropped, and states are kept.
final class EmissionQueue: Sendable {
  typealias Emission = CombinedStateMachine.Emission
  /// The maximum number of emissions that wait while another thread emits.
  static let limit = 4_096

  private struct State {
    var waiting: [Emission] = []
    var isEmitting = false
    var isClosed = false
    var closing: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked(State())
  private let policy: CombinedPolicy
  private let emit: @Sendable ([BackendEvent]) -> Void

  init(_ policy: CombinedPolicy, _ emit: @escaping @Sendable ([BackendEvent]) -> Void) {
    (self.policy, self.emit) = (policy, emit)
  }

  /// Adds emissions without emitting them. May be called under a lock.
  func add(_ emissions: [Emission]) {
    state.withLock { state in
      guard !state.isClosed else { return }
      state.waiting += emissions
      guard state.waiting.count > Self.limit else { return }
      var excess = state.waiting.count - Self.limit
      state.waiting.removeAll { emission in
        guard excess > 0, emission.source != nil else { return false }
        excess -= 1
        return true
      }
    }
  }

  /// Emits what waits, unless another thread does.
  func deliver() {
    var isEmitter = false
    while let batch = next(&isEmitter) {
      // Checked here, because a policy may have refused since the report was added.
      let (permitted, withdrawals) = policy.admit(Set(batch.compactMap(\.source)))
      let events = batch.filter { $0.source.map(permitted.contains) ?? true }.map(\.event)
      if events.isEmpty { continue }
      emit(events)
      // Between the check and the emission, a policy may have refused.
      if !permitted.isEmpty { policy.repeatWithdrawal(since: withdrawals) }
    }
  }

  private func next(_ isEmitter: inout Bool) -> [Emission]? {
    let wasEmitter = isEmitter
    let (batch, closing) = state.withLock {
      state -> ([Emission]?, [CheckedContinuation<Void, Never>]) in
      guard wasEmitter || !state.isEmitting else { return (nil, []) }
      guard !state.isClosed, !state.waiting.isEmpty else {
        state.isEmitting = false
        defer { state.closing = [] }
        return (nil, state.closing)
      }
      state.isEmitting = true
      defer { state.waiting = [] }
      return (state.waiting, [])
    }
    isEmitter = batch != nil
    for waiter in closing { waiter.resume() }
    return batch
  }

  /// Drops what waits, and returns when nothing is being emitted. Nothing is emitted afterwards.
  func close() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        state.isClosed = true
        state.waiting = []
        if state.isEmitting { state.closing.append(continuation) }
        return !state.isEmitting
      }
      if isIdle { continuation.resume() }
    }
  }
}
