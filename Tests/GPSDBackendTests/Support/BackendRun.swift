import AsyncLocation
import GPSDBackend
import Testing

/// A run of a backend with demand for all kinds of events, and its events. Deallocation cancels it.
final class BackendRun: Sendable {
  let events: AsyncStream<BackendEvent>
  private let task: Task<Void, any Error>

  init(_ backend: GPSDBackend) {
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

  func cancel() { task.cancel() }

  /// Waits for the end of the run and returns its result.
  func result() async -> Result<Void, any Error> { await task.result }

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

  func nextState(_ phase: ConnectionState.Phase) async -> ConnectionState? {
    await first { event in
      if case .connection(let state) = event, state.phase == phase { state } else { nil }
    }
  }

  /// Waits for a `waiting` state with this problem. On a busy machine, `waiting` states with other
  /// problems may precede it. Returns false if the run ends first.
  func reachesWaiting(after code: LocationError.Code) async -> Bool {
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
  func finish() async {
    cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

extension GPSDConfiguration {
  /// For servers on this machine: short retry delays and long timeouts. Tests of a deadline set
  /// their own.
  static func local(_ port: Int) -> Self {
    Self(
      host: "127.0.0.1", port: port,
      reconnection: .exponential(initial: .milliseconds(10), maximum: .milliseconds(40)),
      connectTimeout: .seconds(600), handshakeTimeout: .seconds(600),
      silenceTimeout: .seconds(600))
  }
}
