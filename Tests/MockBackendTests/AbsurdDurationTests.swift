import AsyncLocation
import TestSupport
import Testing

@testable import MockBackend

/// Waits of extreme durations end at once or never, and no duration traps.
@Suite(.inTurn)
struct AbsurdDurationTests {
  static let past: [Duration] = [
    .zero, .nanoseconds(-1), .seconds(-1), .seconds(Int64.min), Duration(attoseconds: .min),
  ]
  static let distant: [Duration] = [
    .seconds(1 << 40), .seconds(1 << 62), .seconds(Int64.max), Duration(attoseconds: .max - 1),
    Duration(attoseconds: .max),
  ]

  @Test(arguments: past + distant, past + distant)
  func instantsSaturate(_ first: Duration, _ second: Duration) {
    let instant = ManualClock.Instant(offset: first)
    let later = instant.advanced(by: second)
    #expect(second < .zero ? later <= instant : later >= instant)
    #expect((instant.duration(to: later) < .zero) == (later < instant))
    let clock = ManualClock(now: instant)
    let start = clock.now
    clock.advance(by: second)
    clock.advance(by: second)
    clock.advance(to: ManualClock.Instant(offset: second))
    #expect(clock.now >= start)
    #expect(clock.now.offset < Duration(attoseconds: .max))
  }

  @Test(arguments: past)
  func aManualClockDoesNotSleepUntilThePast(_ duration: Duration) async throws {
    let clock = ManualClock(now: .init(offset: Duration(attoseconds: .max)))
    try await clock.sleep(for: duration)
    #expect(clock.sleeperCount == 0)
  }

  @Test(arguments: distant)
  func sleepersWakeAtEveryInstantButTheLast(_ duration: Duration) async throws {
    let clock = ManualClock()
    let sleeper = Task { try await clock.sleep(for: duration) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1 << 39))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: Duration(attoseconds: .max))
    clock.advance(by: Duration(attoseconds: .max))
    let isLast = duration == Duration(attoseconds: .max)
    #expect(clock.sleeperCount == (isLast ? 1 : 0))
    sleeper.cancel()
    if !isLast { try await sleeper.value }
  }

  @Test(arguments: past)
  func aWaitUntilThePastReturnsAtOnce(_ duration: Duration) async throws {
    let steps: MockScript = [.wait(duration), .emit(try event(1)), .wait(duration), .end]
    for backend in [
      try MockBackend(script: steps),
      MockBackend(script: steps, clock: ManualClock()),
      // System clock: the waits are in the past.
      MockBackend(script: steps, clock: ContinuousClock()),
    ] {
      let run = RecordedRun(backend)
      #expect(await run.end() == nil)
      #expect(run.events == [try event(1)])
    }
  }

  @Test(arguments: distant)
  func aDistantWaitDoesNotEnd(_ duration: Duration) async throws {
    // System clock: the waits are centuries long.
    for clock in [ContinuousClock(), SuspendingClock()] as [any Clock<Duration>] {
      let backend = MockBackend(
        script: [.checkpoint("before"), .wait(duration), .wait(duration), .end], clock: clock)
      let run = RecordedRun(backend)
      try await backend.waitForCheckpoint("before")
      #expect(await run.cancel() is CancellationError)
      // The second run continues the script, and computes the rest of the wait.
      let secondRun = RecordedRun(backend)
      await backend.waitForCall(.runStarted(demand), count: 2)
      #expect(await secondRun.cancel() is CancellationError)
    }
  }

  @Test(arguments: distant)
  func aDistantWaitOnAManualClockDoesNotEnd(_ duration: Duration) async throws {
    let clock = ManualClock(now: .init(offset: .seconds(500)))
    let backend = MockBackend(script: [.wait(duration), .emit(try event(1))], clock: clock)
    let run = RecordedRun(backend)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1 << 39))
    #expect(run.events.isEmpty)
    #expect(await run.cancel() is CancellationError)
    clock.advance(by: Duration(attoseconds: .max))
    let secondRun = RecordedRun(backend)
    await clock.waitForSleepers()
    #expect(secondRun.events.isEmpty)
    await secondRun.cancel()
  }

  @Test func aWaitBeyondACenturyEndsAtItsDeadline() async throws {
    let clock = ManualClock()
    let century = Duration.seconds(100 * 366 * 86_400)
    let backend = MockBackend(
      script: [.wait(century * 3), .emit(try event(1)), .end], clock: clock)
    let run = RecordedRun(backend)
    await clock.waitForSleepers()
    clock.advance(by: century * 2)
    await clock.waitForSleepers()
    #expect(run.events.isEmpty)
    clock.advance(by: century)
    #expect(await run.end() == nil)
    #expect(run.events == [try event(1)])
  }

  @Test(arguments: [Double.leastNonzeroMagnitude, 1e-300, 1e-9, 1, 1e300, .greatestFiniteMagnitude])
  func aReplayAtAnyRateDoesNotTrap(_ rate: Double) async throws {
    let track = [
      TimedEvent(offset: .seconds(1), event: try event(1)),
      TimedEvent(offset: ReplayTimeline.longest, event: try event(2)),
    ]
    for origin in [Duration.zero, Duration(attoseconds: .min), Duration(attoseconds: .max)] {
      let clock = ManualClock(now: .init(offset: origin))
      let backend = try MockBackend.replay(
        track, rate: rate, repetition: .times(.max), clock: clock)
      for _ in 0..<2 {
        let run = Task { try await backend.run(demand) { _ in } }
        run.cancel()
        _ = await run.result
        clock.advance(by: .seconds(Int64.max))
      }
    }
  }

  @Test(arguments: past + distant)
  func fullAccuracyOfAnyDurationDoesNotTrap(_ duration: Duration) async throws {
    let clock = ManualClock()
    let backend = MockBackend(
      authorization: MockAuthorization(
        whenInUse: [.now(.authorizedWhenInUse.limited(to: .reduced))],
        fullAccuracy: [.now(duration)]),
      clock: clock)
    let manager = LocationManager(backend: backend, clock: clock)
    _ = try await manager.requestWhenInUseAuthorization()
    let answer = try? await manager.requestTemporaryFullAccuracyAuthorization(purposeKey: "any")
    #expect((answer != nil) == (duration > .zero))
    clock.advance(by: .seconds(3_600))
    #expect(await manager.authorization().accuracy == (duration > .zero ? .full : .reduced))
    await manager.shutdown()
  }

  @Test(arguments: distant)
  func aConformanceCheckAcceptsADistantTimeout(_ limit: Duration) async throws {
    let conformance = BackendConformance(limit: limit) {
      let backend = MockBackend()
      return BackendConformance.Subject(backend) { listeners in
        if listeners > 0 { await backend.waitUntilRunning() }
        try backend.emit(event(1))
      }
    }
    #expect(try await conformance.violations() == [])
  }
}
