import AsyncLocation
import TestSupport
import Testing

@testable import MockBackend

/// Where a test would wait forever, an error is thrown at once.
@Suite(.inTurn)
struct HangTests {
  @Test(arguments: [
    MockScript([.wait(.seconds(5))]), [.end, .checkpoint("a"), .wait(.nanoseconds(1))],
  ])
  func aWaitNeedsAClock(_ script: MockScript) throws {
    let error = #expect(throws: LocationError.self) { try MockBackend(script: script) }
    #expect(error?.code == .invalidValue)
    #expect(error?.message.contains("'clock:'") == true)
    #expect(error?.message.contains("Step \(script.steps.count - 1) ") == true)
  }

  @Test func scriptsWithoutWaitsNeedNoClock() throws {
    _ = try MockBackend(script: [.wait(.zero), .wait(.seconds(-5)), .wait(for: MockGate()), .end])
    _ = MockBackend(script: [.wait(.seconds(5))], clock: ManualClock())
  }

  @Test func waitingForAMissingCheckpointThrows() async throws {
    let backend = try MockBackend(script: [.checkpoint("a"), .checkpoint("b"), .checkpoint("a")])
    for (name, count, hint) in [
      ("c", 1, "no checkpoint \"c\""), ("b", 2, "once, never 2 times"),
      ("a", 3, "2 times, never 3 times"),
    ] {
      let error = await #expect(throws: LocationError.self) {
        try await backend.waitForCheckpoint(name, count: count)
      }
      #expect(error?.code == .invalidValue)
      #expect(error?.message.contains(hint) == true, "\(String(describing: error))")
    }
  }

  @Test func restartedScriptReachesItsCheckpoint() async throws {
    let backend = try MockBackend(
      script: MockScript([.checkpoint("a"), .end], restartsWithEachRun: true))
    for count in 1...3 {
      #expect(await RecordedRun(backend).end() == nil)
      try await backend.waitForCheckpoint("a", count: count)
    }
  }
}
