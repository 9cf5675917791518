import AsyncLocation
import MockBackend
import TestSupport
import Testing

/// Tests that the backend of "Writing a backend" works and conforms to the protocol.
@Suite(.inTurn) @MainActor
struct BackendSnippets {
  /// A modem with any number of listeners.
  private final class Modem: Sendable {
    private let listeners = Locked<[Int: AsyncThrowingStream<String, any Error>.Continuation]>([:])
    private let calls = Locked(0)
    private let count = Locked(0)

    func open() -> AsyncThrowingStream<String, any Error> {
      let (stream, continuation) = AsyncThrowingStream<String, any Error>.makeStream(
        bufferingPolicy: .bufferingNewest(16))
      let call = calls.withLock { calls in
        calls += 1
        return calls
      }
      listeners.withLock { $0[call] = continuation }
      // A terminated stream is not counted as a listener.
      continuation.onTermination = { [weak self] _ in
        _ = self?.listeners.withLock { $0.removeValue(forKey: call) }
      }
      return stream
    }

    func hangUp() {
      for listener in listeners.withLock({ Array($0.values) }) { listener.finish() }
    }

    func print(_ line: String) {
      for listener in listeners.withLock({ Array($0.values) }) { listener.yield(line) }
    }

    /// Prints another position once there are enough listeners, or when the task is cancelled.
    func printNext(_ listeners: Int) async {
      while self.listeners.withLock({ $0.count }) < listeners, !Task.isCancelled {
        await Task.yield()
      }
      let number = count.withLock { count in
        count += 1
        return count
      }
      print("60.5 24.\(number) 5")
    }
  }

  @Test func emitsLinesAndRecovers() async throws {
    let clock = ManualClock()
    let modem = Modem()
    let manager = LocationManager(
      backend: LineBackend(endpoint: "modem", clock: clock, open: { modem.open() }),
      clock: clock)
    let phases = Task {
      for await state in manager.connectionStates where state.phase == .connected {
        modem.print("60.5 24.25 5")
        modem.print("garbage")
        modem.print("91 0 5")
        modem.hangUp()
      }
    }
    let locations = Task { try await manager.updates.first(2) }
    await clock.step()
    let found = try await locations.value
    #expect(found.map(\.latitude) == [60.5, 60.5])
    await manager.shutdown()
    await phases.value
  }

  @Test func keepsTheProtocol() async throws {
    let conformance = BackendConformance {
      let modem = Modem()
      let backend = LineBackend(
        endpoint: "modem", clock: ContinuousClock(), open: { modem.open() })
      return BackendConformance.Subject(backend) { listeners in await modem.printNext(listeners) }
    }
    for violation in try await conformance.violations() { Issue.record("\(violation)") }
  }
}
