import AsyncLocation

/// Steps that any number of tasks wait for.
final class Steps: Sendable {
  private struct State: Sendable {
    var isFinished = false
    var waiters: [AsyncStream<Never>.Continuation] = []
  }

  private let state = Locked(State())

  /// Takes a step: those that wait check their condition again.
  func take() {
    let waiters = state.withLock { exchange(&$0.waiters, with: []) }
    for waiter in waiters { waiter.finish() }
  }

  /// Takes the last step.
  func finish() {
    state.withLock { $0.isFinished = true }
    take()
  }

  /// Returns when a condition holds, after the last step, or when the calling task is cancelled. The
  /// condition is checked at once, and after each step.
  func wait(until isMet: () -> Bool) async {
    while !isMet() {
      let (step, waiter) = AsyncStream.makeStream(of: Never.self)
      let isFinished = state.withLock { state in
        if !state.isFinished { state.waiters.append(waiter) }
        return state.isFinished
      }
      // A step may have been taken before the task waits for the next.
      if isFinished || Task.isCancelled || isMet() { return }
      for await _ in step {}
    }
  }
}
