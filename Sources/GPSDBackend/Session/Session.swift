import AsyncLocation

/// One run of a backend, confined to its transport's thread.
protocol Session: AnyObject, SendableMetatype {
  associatedtype Success: Sendable

  /// Starts the run. Calls `completion` exactly once, and emits nothing after that. If the run was
  /// stopped before, calls `completion` immediately.
  func start(_ completion: @escaping (Result<Success, any Error>) -> Void)
  /// Ends the run soon with `CancellationError`. Does nothing if the run has ended.
  func stop()
}

extension LoopBound where State: Session {
  /// Runs a session until it ends or the task is cancelled.
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
