import AsyncLocation

/// A run without a manager, and what it emitted.
final class BareRun: Sendable {
  private let batches = Locked<[[BackendEvent]]>([])
  private let task: Task<Void, any Error>

  init(
    _ backend: some LocationBackend, _ demand: BackendDemand = BackendDemand(kinds: .all)
  ) {
    task = Task { [batches] in
      try await backend.run(demand) { events in batches.withLock { $0.append(events) } }
    }
  }

  var events: [BackendEvent] { batches.withLock { $0.flatMap(\.self) } }

  /// Waits until the events satisfy a condition.
  func wait(until condition: ([BackendEvent]) -> Bool) async {
    while !condition(events) { await Task.yield() }
  }

  /// Waits for the end of the run and returns its error; nil if it returned.
  @discardableResult
  func end() async -> (any Error)? {
    if case .failure(let error) = await task.result { error } else { nil }
  }

  /// Cancels the run and waits for its end.
  func cancel() async {
    task.cancel()
    await end()
  }
}
