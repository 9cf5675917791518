import AsyncLocation
import Testing

/// A run of a backend with demand for all kinds of events, and its events. Deallocation cancels it.
final class NMEARun: Sendable {
  let events: AsyncStream<BackendEvent>
  private let task: Task<Void, any Error>

  init(_ backend: any LocationBackend) {
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

  /// Waits for the end of the run and returns its error.
  func error() async -> (any Error)? {
    if case .failure(let error) = await task.result { error } else { nil }
  }

  /// Passes events to `pick` until it returns a value, and returns this value; nil if the run ends
  /// first.
  func first<Value>(_ pick: (BackendEvent) -> Value?) async -> Value? {
    for await event in events {
      if let value = pick(event) { return value }
    }
    return nil
  }

  func nextLocation() async -> Location? {
    await first { if case .location(let location) = $0 { location } else { nil } }
  }

  /// Waits for a connection state.
  func nextState(where isWanted: (ConnectionState) -> Bool) async -> ConnectionState? {
    await first { event in
      if case .connection(let state) = event, isWanted(state) { state } else { nil }
    }
  }

  func nextState(_ phase: ConnectionState.Phase) async -> ConnectionState? {
    await nextState { $0.phase == phase }
  }

  /// Cancels, and checks that the run ends by cancellation.
  func finish() async {
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
