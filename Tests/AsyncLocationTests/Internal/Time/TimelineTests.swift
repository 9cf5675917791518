import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct TimelineTests {
  @Test func countsFromItsCreation() {
    let clock = ManualClock(now: ManualClock.Instant(offset: .seconds(500)))
    let timeline = Timeline(clock)
    #expect(timeline.now() == .zero)
    clock.advance(by: .milliseconds(1_500))
    #expect(timeline.now() == .milliseconds(1_500))
    #expect(Timeline(clock).now() == .zero)
  }

  @Test func sleepsUntilItsOwnInstants() async throws {
    let clock = ManualClock(now: ManualClock.Instant(offset: .seconds(500)))
    let timeline = Timeline(clock)
    clock.advance(by: .seconds(3))
    let sleeper = Task { try await timeline.sleep(until: .seconds(10)) }
    await clock.waitForSleepers()
    #expect(clock.nextDeadline?.offset == .seconds(510))
    clock.advance(by: .seconds(7))
    try await sleeper.value
  }

  @Test(arguments: [Duration.seconds(3), .seconds(2), .zero, .seconds(-1)])
  func pastInstantReturnsAtOnce(_ instant: Duration) async throws {
    let clock = ManualClock()
    let timeline = Timeline(clock)
    clock.advance(by: .seconds(3))
    try await timeline.sleep(until: instant)
    #expect(clock.sleeperCount == 0)
  }

  @Test func cancellationEndsASleep() async {
    let clock = ManualClock()
    let timeline = Timeline(clock)
    let sleeper = Task { try await timeline.sleep(until: .seconds(10)) }
    await clock.waitForSleepers()
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }

  @Test func ageIsTheTimeSinceArrival() {
    let clock = ManualClock()
    let timeline = Timeline(clock)
    clock.advance(by: .seconds(3))
    let arrival = Arrival(timeline: timeline, instant: timeline.now())
    #expect(arrival.age == .zero)
    clock.advance(by: .seconds(4))
    #expect(arrival.age == .seconds(4))
  }
}
