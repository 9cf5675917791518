import AsyncLocation
import TestSupport
import Testing

@testable import MockBackend

/// Scripts as a run plays them.
@Suite(.inTurn)
struct MockScriptTests {
  @Test func playsOnTheClock() async throws {
    let clock = ManualClock()
    let backend = MockBackend(
      script: [
        .connection(ConnectionState(.connected)), .locations(try location(1), try location(2)),
        .wait(.seconds(5)), .unavailable(breakdown), .checkpoint("lost"), .end,
      ],
      clock: clock)
    let run = RecordedRun(backend)
    await clock.waitForSleepers()
    let first = [BackendEvent.connection(ConnectionState(.connected)), try event(1), try event(2)]
    #expect(run.events == first)
    #expect(run.batchSizes == [1, 2])
    clock.advance(by: .seconds(5))
    try await backend.waitForCheckpoint("lost")
    #expect(await run.end() == nil)
    #expect(run.events == first + [.unavailable(breakdown)])
  }

  @Test func oneAdvancePlaysEveryStepWithinIt() async throws {
    let clock = ManualClock()
    let steps = try (0..<10).flatMap { [.wait(.seconds(1)), .emit(try event($0))] as [MockStep] }
    let run = RecordedRun(MockBackend(script: MockScript(steps + [.end]), clock: clock))
    await clock.waitForSleepers()
    clock.advance(by: .seconds(10))
    #expect(await run.end() == nil)
    #expect(run.events == (try (0..<10).map(event)))
  }

  @Test func continuesWhereItStopped() async throws {
    let clock = ManualClock()
    let backend = MockBackend(
      script: [
        .emit(try event(1)), .wait(.seconds(10)), .emit(try event(2)), .fail(breakdown),
        .emit(try event(3)),
      ],
      clock: clock)
    let first = RecordedRun(backend)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(4))
    #expect(await first.cancel() is CancellationError)
    clock.advance(by: .seconds(100))

    let second = RecordedRun(backend)
    await clock.waitForSleepers()
    #expect(clock.nextDeadline?.offset == .seconds(110))
    clock.advance(by: .seconds(6))
    #expect(await second.end() as? LocationError == breakdown)
    #expect(second.events == [try event(2)])

    let third = RecordedRun(backend)
    #expect(await third.events(atLeast: 1) == [try event(3)])
    await third.cancel()
    #expect(first.events == [try event(1)])
  }

  @Test func restartsOnRequest() async throws {
    let script = MockScript([.emit(try event(1)), .fail(breakdown)], restartsWithEachRun: true)
    let backend = try MockBackend(script: script)
    for _ in 1...3 {
      let run = RecordedRun(backend)
      #expect(await run.end() as? LocationError == breakdown)
      #expect(run.events == [try event(1)])
    }
  }

  @Test func waitsAtAGate() async throws {
    let gate = MockGate()
    let backend = try MockBackend(
      script: [.checkpoint("before"), .wait(for: gate), .emit(try event(1)), .end])
    let run = RecordedRun(backend)
    try await backend.waitForCheckpoint("before")
    #expect(run.events.isEmpty)
    #expect(!gate.isOpen)
    gate.open()
    #expect(await run.end() == nil)
    #expect(run.events == [try event(1)])
    #expect(gate.isOpen)
    await gate.wait()
  }

  @Test func aGateHoldsAcrossRuns() async throws {
    let gate = MockGate()
    let backend = try MockBackend(script: [.checkpoint("before"), .wait(for: gate), .end])
    let first = RecordedRun(backend)
    try await backend.waitForCheckpoint("before")
    #expect(await first.cancel() is CancellationError)
    let second = RecordedRun(backend)
    await backend.waitForCall(.runStarted(demand), count: 2)
    gate.open()
    #expect(await second.end() == nil)
  }

  @Test func changesPermission() async throws {
    let backend = try MockBackend(
      script: [
        .authorize(.authorizedAlways), .locationServices(enabled: false), .authorize(.denied),
        .checkpoint("done"),
      ])
    let changes = Journal<AuthorizationChange>()
    let observer = Task.immediate {
      await backend.authorizationPolicy.observe { changes.append($0) }
    }
    let run = RecordedRun(backend)
    try await backend.waitForCheckpoint("done")
    #expect(
      changes.entries == [
        .decision(.authorizedAlways), .locationServices(enabled: false), .decision(.denied),
      ])
    await run.cancel()
    observer.cancel()
    await observer.value
  }

  @Test func invalidLocationsOfStepsThrow() throws {
    #expect(throws: LocationError.self) {
      try MockStep.location(latitude: 91, longitude: 0)
    }
    let script: MockScript = try [.location(latitude: 1, longitude: 2, horizontalAccuracy: 3)]
    guard case .emit(let events)? = script.steps.first?.kind,
      case .location(let location)? = events.first
    else {
      Issue.record("the step emits \(script.steps)")
      return
    }
    #expect((location.latitude, location.longitude) == (1, 2))
    #expect(location.horizontalAccuracy == 3)
    #expect(location.sourceInformation?.isSimulated == true)
  }

  @Test func checkpointsAreCounted() async throws {
    let script: MockScript = [.checkpoint("a"), .checkpoint("b"), .checkpoint("a")]
    let backend = try MockBackend(script: script)
    let waiter = Task.immediate { try await backend.waitForCheckpoint("a", count: 2) }
    let run = RecordedRun(backend)
    try await waiter.value
    try await backend.waitForCheckpoint("b")
    await run.cancel()
  }
}
