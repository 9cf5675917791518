import AsyncLocation

/// A run of a backend, confined to its transport's thread.
protocol Session: AnyObject, SendableMetatype {
  associatedtype Success: Sendable

  /// Begins, and calls `completion` once: after that nothing is emitted. When stopped before, at
  /// once.
  func start(_ completion: @escaping (Result<Success, any Error>) -> Void)
  /// Ends soon, by `CancellationError`. Does nothing when it has ended.
  func stop()
}

extension LoopBound where State: Session {
  /// Runs a session to its end, or until the task is cancelled.
  func run() async throws -> State.Success {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { caller in
        submit { session in session.start { caller.resume(with: $0) } }
      }
    } onCancel: {
      submit { $0.stop() }
    }
  }
}
