import AsyncLocation
import MockBackend
import TestSupport
import Testing
import XCTest

/// The examples of doc comments, with the public interface only.
@Suite(.inTurn) @MainActor
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

  @Test func settle() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let tracker = Tracker()
    let loop = Task { try await tracker.follow(manager) }
    await backend.waitForReaders(of: .updates)
    let harbour = try Location(latitude: 60.16, longitude: 24.96)
    let pier = try Location(latitude: 60.17, longitude: 24.96)
    try backend.emit(.location(harbour), .location(pier))
    try await backend.settle()
    #expect(await tracker.latitudes == [60.16, 60.17])
    loop.cancel()
    try await loop.value
    try await backend.settle()
    #expect(backend.unfinishedWork.isEmpty)
  }

  @Test func geocoder() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let harbour = try Location(latitude: 60.16, longitude: 24.96)
    let town = Placemark(coordinate: try Coordinate(latitude: 60.17, longitude: 24.94))
    let geocoder = MockGeocoder()
    let updates = manager.placemarks(using: geocoder)
    try backend.emit(.location(harbour))
    await geocoder.waitForRequests()
    geocoder.answer(town)
    try backend.end()
    for try await update in updates { #expect(update.location == harbour) }
  }

  @Test func failingGeocoder() {
    let geocoder = MockGeocoder.failing { Issue.record("\($0)") }
    #expect(geocoder.requests.isEmpty)
  }

  @Test func failing() async {
    let manager = LocationManager(backend: MockBackend.failing { Issue.record("\($0)") })
    await manager.shutdown()
  }

  @Test func supplied() async throws {
    let harbour = try Location(latitude: 60.16, longitude: 24.96)
    var backend = MockBackend.failing { Issue.record("\($0)") }
    backend[.location] = .allowed
    backend[.currentLocation] = .locations(harbour)
    let manager = LocationManager(backend: backend, clock: ManualClock())
    #expect(await manager.location == nil)
    #expect(try await manager.currentLocation().latitude == 60.16)
    await manager.shutdown()
  }
}

/// A program under test.
actor Tracker {
  private(set) var latitudes: [Double] = []

  func follow(_ manager: LocationManager) async throws {
    for try await location in manager.updates { latitudes.append(location.latitude) }
  }
}

/// The variants for XCTest.
final class XCTestExamples: XCTestCase {
  func testNeedsNoLocation() async {
    let manager = LocationManager(backend: MockBackend.failing { XCTFail($0) })
    await manager.shutdown()
  }

  func testFollowsUpdates() async throws {
    var backend = MockBackend.failing { XCTFail($0) }
    backend[.updates] = .locations(try Location(latitude: 60.16, longitude: 24.96), ends: true)
    let manager = LocationManager(backend: backend)
    let tracker = Tracker()
    try await tracker.follow(manager)
    let latitudes = await tracker.latitudes
    XCTAssertEqual(latitudes, [60.16])
    XCTAssertEqual(backend.endpoints, [.updates])
    try await backend.settle()
    XCTAssertTrue(backend.unfinishedWork.isEmpty, "\(backend.unfinishedWork)")
  }
}
