import AsyncLocation
import MockBackend
import TestSupport
import Testing

/// The code of "Testing without a receiver".
@Suite(.inTurn) @MainActor
struct TestingSnippets {
  @Test func followsAScript() async throws {
    let clock = ManualClock()
    let backend = MockBackend(
      script: try [
        .location(latitude: 60.17, longitude: 24.94),
        .wait(.seconds(5)),
        .location(latitude: 60.18, longitude: 24.95),
        .end,
      ],
      clock: clock)
    let manager = LocationManager(backend: backend, clock: clock)
    let latitudes = Task {
      var latitudes: [Double] = []
      for try await location in manager.updates { latitudes.append(location.latitude) }
      return latitudes
    }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(5))
    #expect(try await latitudes.value == [60.17, 60.18])
  }

  @Test func timesOut() async {
    let clock = ManualClock()
    let manager = LocationManager(backend: MockBackend(), clock: clock)
    let caller = Task { try await manager.currentLocation(timeout: .seconds(30)) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(30))
    let error = await #expect(throws: LocationError.self) { try await caller.value }
    #expect(error?.code == .timedOut)
  }

  @Test func emitsByHand() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let updates = manager.updates
    await backend.waitUntilRunning()
    try backend.emit(.location(Location(latitude: 1, longitude: 2)))
    try backend.end()
    for try await location in updates { #expect(location.latitude == 1) }
  }

  @Test func settles() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let tracker = Tracker()
    let loop = Task { await tracker.follow(manager) }
    await backend.waitForReaders(of: .events)
    try backend.emit(.location(Location(latitude: 60.17, longitude: 24.94)))
    try await backend.settle()
    #expect(await tracker.latitudes == [60.17])
    loop.cancel()
    await loop.value
    try await backend.settle()
    #expect(backend.unfinishedWork.isEmpty)
  }

  @Test func monitors() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let monitor = try await Monitor("fences", manager: manager)
    let harbour = try Coordinate(latitude: 60.16, longitude: 24.96)
    try await monitor.add(.circle(center: harbour, radius: 200), identifier: "harbour")
    try backend.emit(
      .location(Location(latitude: 60.16, longitude: 24.96, horizontalAccuracy: 5)))
    for await event in monitor.events {
      #expect(event.identifier == "harbour")
      #expect(event.state == .satisfied)
      break
    }
    await monitor.close()
  }

  @Test func withdrawsPermission() async {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let updates = manager.updates
    await backend.waitUntilRunning()
    backend.setAuthorization(.denied)
    let error = await #expect(throws: LocationError.self) {
      for try await _ in updates {}
    }
    #expect(error?.code == .denied)
  }

  @Test func needsNoLocation() async {
    var backend = MockBackend.failing { Issue.record("\($0)") }
    backend[.location] = .allowed
    let manager = LocationManager(backend: backend)
    #expect(await manager.location == nil)
  }
}

/// A program under test.
private actor Tracker {
  private(set) var latitudes: [Double] = []

  func follow(_ manager: LocationManager) async {
    for await event in manager.events {
      guard case .didUpdateLocations(let locations) = event else { continue }
      latitudes += locations.map(\.latitude)
    }
  }
}
