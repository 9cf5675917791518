import AsyncLocation

/// A signal on which any number of tasks check their conditions again.
final class Steps: Sendable {
  private struct State: Sendable {
    var isFinished = false
    var waiters: [AsyncStream<Never>.Continuation] = []
  }

  private let state = Locked(State())

  /// Takes a step: all waiting tasks check their conditions again.
  func take() {
    let waiters = state.withLock { exchange(&$0.waiters, with: []) }
    for waiter in waiters { waiter.finish() }
  }

  /// Takes the last step. Later waits return immediately.
  func finish() {
    state.withLock { $0.isFinished = true }
    take()
  }

  /// Returns when a condition holds, after the last step, or when the calling task is cancelled.
  /// The condition is checked immediately, and after each step.
  func wait(until isMet: () -> Bool) async {
    while !isMet() {
      let (step, waiter) = AsyncStream.makeStream(of: Never.self)
      let isFinished = state.withLock { state in
        if !state.isFinished { state.waiters.append(waiter) }
        return state.isFinished
      }
      // A step may have been taken before the waiter was added.
      if isFinished || Task.isCancelled || isMet() { return }
      for await _ in step {}
    }
  }
}
