import AsyncLocation

/// The tasks of a command. A task that returns nil does not end the race.
typealias RaceTasks<Value: Sendable> = ThrowingTaskGroup<Value?, any Error>

/// Runs tasks concurrently until one returns a value or throws; the others are cancelled. The
/// result is a `CancellationError` if no task returns a value.
func race<Value: Sendable>(
  of type: Value.Type = Value.self, _ begin: (inout RaceTasks<Value>) -> Void
) async -> Result<Value, any Error> {
  do {
    return .success(
      try await withThrowingTaskGroup(of: Value?.self) { group in
        begin(&group)
        defer { group.cancelAll() }
        for try await value in group {
          if let value { return value }
        }
        throw CancellationError()
      })
  } catch {
    return .failure(error)
  }
}

extension ThrowingTaskGroup {
  /// Adds a task that passes each element of a sequence to a closure.
  mutating func addTask<Value: Sendable, Elements: AsyncSequence & Sendable>(
    for elements: Elements, _ body: @escaping @Sendable (Elements.Element) async throws -> Void
  ) where ChildTaskResult == Value?, Failure == any Error {
    addTask {
      for try await element in elements { try await body(element) }
      return nil
    }
  }

  /// Adds a task that throws an error if a watchdog is not fed for the timeout. A stopped watchdog
  /// causes no error. Adds no task without a timeout.
  mutating func addTask<Value: Sendable>(
    expiring watchdog: Watchdog, after timeout: Duration?,
    _ error: @escaping @Sendable (Duration) async -> LocationError
  ) where ChildTaskResult == Value?, Failure == any Error {
    guard let timeout else { return }
    addTask {
      guard try await watchdog.expire(after: timeout) else { return nil }
      throw await error(timeout)
    }
  }
}
