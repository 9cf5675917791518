package import AsyncLocation
import Testing

/// A run of a backend with demand for all kinds of events, and its events. Deallocation cancels it.
package final class BackendRun: Sendable {
  package let events: AsyncStream<BackendEvent>
  private let task: Task<Void, any Error>

  package init(_ backend: any LocationBackend) {
    let (events, sink) = AsyncStream.makeStream(of: BackendEvent.self)
    self.events = events
    task = Task {
      defer { sink.finish() }
      try await backend.run(BackendDemand(kinds: .all)) { batch in
        for event in batch { sink.yield(event) }
      }
    }
  }

  deinit { task.cancel() }

  package func cancel() { task.cancel() }

  /// Waits for the end of the run and returns its result.
  package func result() async -> Result<Void, any Error> { await task.result }

  /// Passes events to `pick` until it returns a value, and returns this value; nil if the run ends
  /// first.
  package func first<Value>(_ pick: (BackendEvent) -> Value?) async -> Value? {
    for await event in events {
      if let value = pick(event) { return value }
    }
    return nil
  }

  package func nextLocation() async -> Location? {
    await first { if case .location(let location) = $0 { location } else { nil } }
  }

  package func nextState(_ phase: ConnectionState.Phase) async -> ConnectionState? {
    await first { event in
      if case .connection(let state) = event, state.phase == phase { state } else { nil }
    }
  }

  /// Waits for a `waiting` state with this problem. On a busy machine, `waiting` states with other
  /// problems may precede it. Returns false if the run ends first.
  package func reachesWaiting(after code: LocationError.Code) async -> Bool {
    await first { event in
      if case .connection(let state) = event, state.phase == .waiting,
        state.problem?.code == code
      {
        true
      } else {
        nil
      }
    } ?? false
  }

  /// Cancels, and checks that the run ends by cancellation.
  package func finish() async {
    cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
