/// Callers that wait for a change in the manager's state.
struct Waiters: Sendable {
  private var callers: [UInt64: CheckedContinuation<Void, Never>] = [:]

  mutating func add(_ id: UInt64, _ caller: CheckedContinuation<Void, Never>) {
    callers[id] = caller
  }

  /// Resumes a caller whose task was cancelled.
  mutating func cancel(_ id: UInt64, _ effects: inout Effects) {
    if let caller = callers.removeValue(forKey: id) { effects.waiters.append(caller) }
  }

  mutating func resumeAll(_ effects: inout Effects) {
    effects.waiters += callers.values
    callers = [:]
  }
}
