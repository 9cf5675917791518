import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import MockBackend

/// A location manager over the mock, as in a user's tests.
@Suite(.inTurn)
struct ManagerOverMockTests {
  /// The example of the documentation of ``MockBackend``.
  @Test func aScriptReachesASubscriber() async throws {
    let clock = ManualClock()
    let backend = try MockBackend(
      script: [
        .location(latitude: 60.17, longitude: 24.94),
        .wait(.seconds(5)),
        .location(latitude: 60.18, longitude: 24.95),
        .end,
      ],
      clock: clock)
    let manager = LocationManager(backend: backend, clock: clock)
    var latitudes: [Double] = []
    for try await location in manager.updates {
      latitudes.append(location.latitude)
      if latitudes.count == 1 {
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
      }
    }
    #expect(latitudes == [60.17, 60.18])
    await manager.shutdown()
    #expect(
      backend.backendCalls == [
        .authorizationRequested(.whenInUse), .runStarted(BackendDemand(kinds: .locations)),
        .runEnded,
      ])
  }

  @Test func aRevocationEndsTheStream() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let updates = manager.updates
    await backend.waitUntilRunning()
    try backend.emit(try event(1))
    var iterator = updates.makeAsyncIterator()
    #expect(try await iterator.next()?.latitude == location(1).latitude)
    backend.setAuthorization(.denied)
    let error = await #expect(throws: LocationError.self) { try await iterator.next() }
    #expect(error?.code == .denied)
    await backend.waitUntilIdle()
    await manager.shutdown()
  }

  @Test func aRequestReturnsTheTestsAnswer() async throws {
    let backend = MockBackend(authorization: .asking)
    let manager = LocationManager(backend: backend)
    let request = Task { try await manager.requestWhenInUseAuthorization() }
    await backend.waitForCall(.authorizationRequested(.whenInUse))
    #expect(await manager.authorization().status == .notDetermined)
    backend.answerAuthorization(.authorizedWhenInUse)
    #expect(try await request.value.isAuthorized)
    await manager.shutdown()
  }

  @Test func aFailureReachesTheSubscriber() async throws {
    let failure = LocationError(.notGPSD, "A web server answers.")
    let backend = try MockBackend(script: [.emit(try event(1)), .fail(failure)])
    let manager = LocationManager(backend: backend)
    var count = 0
    let error = await #expect(throws: LocationError.self) {
      for try await _ in manager.updates { count += 1 }
    }
    #expect(error == failure)
    #expect(count == 1)
    await manager.shutdown()
  }

  @Test func aNoisyReplayReachesASubscriber() async throws {
    let clock = ManualClock()
    let noise = try PositionNoise(seed: 7, standardDeviation: 3)
    let track = noise.applied(to: TimedEvent.track(try (0..<5).map(location)))
    let backend = try MockBackend.replay(track, rate: 10, clock: clock)
    let manager = LocationManager(backend: backend, clock: clock)
    let updates = manager.updates
    await clock.waitForSleepers()
    clock.advance(by: .milliseconds(400))
    var events: [BackendEvent] = []
    for try await location in updates { events.append(.location(location)) }
    #expect(events == track.map(\.event))
    await manager.shutdown()
  }
}
