import AsyncLocation

/// A value that is set once and that any number of tasks can await.
final class Promise<Value: Sendable>: Sendable {
  /// A waiting task. If it has a `rest`, the task counts as at rest until it is resumed.
  private struct Waiter: Sendable {
    let continuation: CheckedContinuation<Value?, Never>
    let rest: TaskRest?

    func resume(returning value: Value?) {
      rest?.end()
      continuation.resume(returning: value)
    }
  }

  private struct State {
    var value: Value?
    var waiters: [Int: Waiter] = [:]
    var nextID = 0
  }

  private let state = Locked(State())

  var current: Value? { state.withLock { $0.value } }
  var isFulfilled: Bool { current != nil }

  /// Sets the value and resumes all waiters; later values are ignored.
  func fulfill(_ value: Value) {
    let waiters = state.withLock { state -> [Waiter] in
      guard state.value == nil else { return [] }
      state.value = value
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.resume(returning: value) }
  }

  /// Waits for the value. Returns nil if the task is cancelled first.
  func value() async -> Value? {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let rest = TaskRest.ofCurrentTask
        let answer = state.withLock { state -> Value?? in
          if let value = state.value { return .some(value) }
          guard !Task.isCancelled else { return .some(nil) }  // Under the lock: no lost cancel.
          state.waiters[id] = Waiter(continuation: continuation, rest: rest)
          rest?.begin()
          return .none
        }
        if let answer { continuation.resume(returning: answer) } else { rest?.resumeWaiters() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: nil)
    }
  }

  /// Waits for the value; cancellation does not end the wait.
  func valueDespiteCancellation() async -> Value {
    let value = await withCheckedContinuation { continuation in
      let answer = state.withLock { state -> Value? in
        if let value = state.value { return value }
        state.nextID += 1
        state.waiters[state.nextID] = Waiter(continuation: continuation, rest: nil)
        return nil
      }
      if let answer { continuation.resume(returning: answer) }
    }
    guard let value else { preconditionFailure("only a cancelled waiter gets no value") }
    return value
  }
}
