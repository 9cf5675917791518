import AsyncLocation

/// A task that begins with the first call of ``start()`` and runs at most once.
final class DeferredTask: Sendable {
  private enum State {
    case waiting(@Sendable () async -> Void)
    case begun(Task<Void, Never>)
    case cancelled
  }

  private let state: Locked<State>

  init(_ body: @escaping @Sendable () async -> Void) { state = Locked(.waiting(body)) }

  /// Begins the task, unless it has begun or was cancelled.
  func start() {
    state.withLock { state in
      guard case .waiting(let body) = state else { return }
      state = .begun(Task { await body() })
    }
  }

  /// Cancels the task. A task that has not begun never begins.
  func cancel() {
    let previous = state.withLock { state in
      let previous = state
      if case .waiting = state { state = .cancelled }
      return previous
    }
    // Released after the lock: a deinitializer of the body's captures may call this object.
    withExtendedLifetime(previous) {
      if case .begun(let task) = previous { task.cancel() }
    }
  }

  /// Waits for the end of the task if it has begun.
  func wait() async {
    if case .begun(let task) = state.withLock(\.self) { await task.value }
  }
}
