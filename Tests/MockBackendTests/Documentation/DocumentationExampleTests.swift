import AsyncLocation
import MockBackend
import TestSupport
import Testing
import XCTest

/// The examples of doc comments, with the public interface only.
@Suite(.hangLimit)
struct DocumentationExampleTests {
  @Test func mockScript() async throws {
    let script: MockScript = try [
      .connection(ConnectionState(.connected)),
      .location(latitude: 60.17, longitude: 24.94),
      .wait(.seconds(1)),
      .location(latitude: 60.18, longitude: 24.95),
      .fail(LocationError(.connectionLost, "The mast fell over.")),
    ]
    let clock = ManualClock()
    let backend = MockBackend(script: script, clock: clock)
    let run = Task { try await backend.run(BackendDemand(kinds: .locations)) { _ in } }
    await clock.step()
    let error = await #expect(throws: LocationError.self) { try await run.value }
    #expect(error?.code == .connectionLost)
  }

  @Test func mockGate() async throws {
    let gate = MockGate()
    let backend = try MockBackend(script: [.wait(for: gate), .checkpoint("through")])
    let run = Task { try await backend.run(BackendDemand(kinds: .locations)) { _ in } }
    gate.open()
    try await backend.waitForCheckpoint("through")
    run.cancel()
    await #expect(throws: CancellationError.self) { try await run.value }
  }

  @Test func answerAuthorization() async {
    let backend = MockBackend(authorization: .asking)
    let manager = LocationManager(backend: backend)
    let request = Task { try await manager.requestWhenInUseAuthorization() }
    await backend.waitForCall(.authorizationRequested(.whenInUse))
    backend.answerAuthorization(.authorizedWhenInUse)
    #expect((try? await request.value)?.status == .authorizedWhenInUse)
    await manager.shutdown()
  }

  @Test func endpoints() async {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    _ = manager.updates
    _ = await manager.location
    #expect(backend.endpoints == [.updates, .location])
  }

  @Test func replay() throws {
    let recordedLocations = try [Location(latitude: 60.17, longitude: 24.94)]
    let track = TimedEvent.track(recordedLocations)
    let backend = try MockBackend.replay(track, rate: 10, clock: ContinuousClock())
    #expect(backend.capabilities == .locations)
  }

  @Test func noise() throws {
    let track = TimedEvent.track(try [Location(latitude: 60.17, longitude: 24.94)])
    let clock = ManualClock()
    let noise = try PositionNoise(seed: 7, standardDeviation: 3)
    let backend = try MockBackend.replay(noise.applied(to: track), clock: clock)
    #expect(backend.capabilities == .locations)
  }

  @Test func alarm() async throws {
    let clock = ManualClock()
    let alarm = Task { try await clock.sleep(for: .seconds(60)) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(60))
    try await alarm.value
  }

  /// The variant for XCTest, which this suite cannot let fail.
  @Test func failing() async {
    let manager = LocationManager(backend: MockBackend.failing { XCTFail($0) })
    #expect(await manager.location == nil)
    await manager.shutdown()
  }
}
