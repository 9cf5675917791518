import MockBackend
import TestSupport
import Testing

@testable import async_location_example

@Suite(.inTurn) struct WatchdogTests {
  @Test func aWatchdogExpiresUnlessItIsFed() async throws {
    let clock = ManualClock()
    let watchdog = Watchdog(clock)
    let expiry = Task { try await watchdog.expire(after: .seconds(3)) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(2))
    await watchdog.feed()
    // The first deadline passes, and the watchdog sleeps until the postponed one.
    clock.advance(by: .seconds(1))
    await clock.waitForSleepers()
    clock.advance(by: .seconds(2))
    #expect(try await expiry.value)
  }

  @Test func aStoppedWatchdogDoesNotExpire() async throws {
    let clock = ManualClock()
    let watchdog = Watchdog(clock)
    let expiry = Task { try await watchdog.expire(after: .seconds(3)) }
    await clock.waitForSleepers()
    await watchdog.stop()
    clock.advance(by: .seconds(3))
    #expect(try await !expiry.value)
    #expect(try await !watchdog.expire(after: .seconds(3)))
  }
}
