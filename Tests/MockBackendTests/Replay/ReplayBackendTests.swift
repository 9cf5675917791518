import AsyncLocation
import TestSupport
import Testing

@testable import MockBackend

@Suite(.inTurn)
struct ReplayBackendTests {
  static let connected = BackendEvent.connection(
    ConnectionState(
      .connected, endpoint: "replay", receivers: [Receiver(name: "/dev/ttyMock0")]))

  private func track(_ count: Int) throws -> [TimedEvent] {
    TimedEvent.track(try (0..<count).map(location))
  }

  @Test func playsAtTheRecordedPaceAndEnds() async throws {
    let clock = ManualClock()
    let run = RecordedRun(try MockBackend.replay(track(3), clock: clock))
    #expect(await run.events(atLeast: 2) == [Self.connected, try event(0)])
    for number in 1...2 {
      await clock.waitForSleepers()
      #expect(clock.nextDeadline?.offset == .seconds(number))
      clock.advance(by: .seconds(1))
      #expect(await run.events(atLeast: number + 2).last == (try event(number)))
    }
    #expect(await run.end() == nil)
  }

  @Test func aHigherRatePlaysFaster() async throws {
    let clock = ManualClock()
    let run = RecordedRun(try MockBackend.replay(track(3), rate: 4, clock: clock))
    await clock.waitForSleepers()
    #expect(clock.nextDeadline?.offset == .milliseconds(250))
    clock.advance(by: .milliseconds(500))
    #expect(await run.end() == nil)
    #expect(run.events == [Self.connected] + (try (0..<3).map(event)))
  }

  @Test func aLateRunDeliversEveryEvent() async throws {
    let clock = ManualClock()
    let backend = try MockBackend.replay(track(1000), clock: clock)
    let batches = Journal<[BackendEvent]>()
    try await backend.run(demand) { batch in
      batches.append(batch)
      // Advances before the run sleeps: a sleeping run would wake at each deadline that passes.
      clock.advance(by: .seconds(5000))
    }
    #expect(batches.entries.flatMap(\.self) == [Self.connected] + (try (0..<1000).map(event)))
    #expect(batches.entries.map(\.count) == [1, 256, 256, 256, 232])
  }

  @Test func timePassesBetweenRuns() async throws {
    let clock = ManualClock()
    let backend = try MockBackend.replay(track(10), clock: clock)
    let first = RecordedRun(backend)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    #expect(await first.events(atLeast: 3).last == (try event(1)))
    #expect(await first.cancel() is CancellationError)
    clock.advance(by: .seconds(4.5))

    let second = RecordedRun(backend)
    await clock.waitForSleepers()
    #expect(second.events == [Self.connected])
    clock.advance(by: .seconds(0.5))
    #expect(await second.events(atLeast: 2) == [Self.connected, try event(6)])
    await second.cancel()
    // The event that is due at this instant was played by the second run.
    let third = RecordedRun(backend)
    await clock.waitForSleepers()
    #expect(third.events == [Self.connected])
    clock.advance(by: .seconds(100))
    _ = await third.end()
    let last = RecordedRun(backend)
    #expect(await last.end() == nil)
    #expect(last.events == [Self.connected])
  }

  @Test func refusesASecondRun() async throws {
    let clock = ManualClock()
    let backend = try MockBackend.replay(track(2), clock: clock)
    let first = RecordedRun(backend)
    await clock.waitForSleepers()
    #expect((await RecordedRun(backend).end() as? LocationError)?.code == .unsupported)
    clock.advance(by: .seconds(1))
    #expect(await first.end() == nil)
  }

  @Test func hasTheCapabilitiesOfItsTrack() throws {
    let clock = ManualClock()
    #expect(try MockBackend.replay(track(2), clock: clock).capabilities == .locations)
    #expect(try MockBackend.replay([], clock: clock).capabilities == [])
    let named = try ReplayBackend(
      [], name: "drive.gpx", capabilities: .all, authorizationPolicy: .denied, clock: clock)
    #expect(named.capabilities == .all)
  }

  @Test func repeatsUntilCancelled() async throws {
    let clock = ManualClock()
    let backend = try MockBackend.replay(track(3), repetition: .forever, clock: clock)
    let run = RecordedRun(backend)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(7))
    let expected = try (0..<8).map { number in
      BackendEvent.location(
        try location(number % 3).moved(timestamp: location(number).timestamp))
    }
    #expect(await run.events(atLeast: 9) == [Self.connected] + expected)
    #expect(await run.cancel() is CancellationError)
  }
}

extension ReplayBackendTests {
  @Test func pausesResumesAndSeeks() async throws {
    let clock = ManualClock()
    let backend = try MockBackend.replay(track(10), clock: clock)
    let run = RecordedRun(backend)
    #expect(await run.events(atLeast: 2).last == (try event(0)))
    backend.pause()
    #expect(backend.isPaused)
    clock.advance(by: .seconds(100))
    #expect(backend.position == .zero)
    backend.seek(to: .seconds(4))
    backend.resume()
    #expect(await run.events(atLeast: 3).last == (try event(4)))
    try backend.setRate(0.5)
    #expect(backend.rate == 0.5)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(2))
    #expect(await run.events(atLeast: 4).last == (try event(5)))
    backend.seek(to: .seconds(100))
    #expect(await run.end() == nil)
    #expect(run.events.last == (try event(9)))
  }

  /// A manager rejects locations that are older than the previous one, so a replay that seeks back
  /// must move their times forward.
  @Test func managerAcceptsReplayedLocations() async throws {
    let clock = ManualClock()
    let backend = try MockBackend.replay(track(10), clock: clock)
    let manager = LocationManager(backend: backend, clock: clock)
    var updates = manager.updates.makeAsyncIterator()
    let first = try await updates.next()
    backend.seek(to: .seconds(3))
    let last = try await updates.next()
    backend.pause()
    backend.seek(to: .zero)
    backend.resume()
    let repeated = try await updates.next()
    #expect(first?.coordinate == repeated?.coordinate)
    #expect(try #require(repeated?.timestamp) > #require(last?.timestamp))
  }
}
