import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// Permission for one use lapses, with which nothing is withdrawn, and is then denied.
@Suite(.inTurn) struct RefusalAfterLapseTests {
  private actor Caller {
    nonisolated let executor = SteppedExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func currentLocation(of manager: LocationManager) async throws -> Location {
      try await manager.currentLocation()
    }
  }

  private static func reach(
    _ status: AuthorizationStatus, _ manager: LocationManager
  ) async {
    for await authorization in manager.authorizationUpdates where authorization.status == status {
      return
    }
  }

  @Test("A call's location after once has lapsed and permission was denied")
  func call() async throws {
    let backend = MockBackend(authorization: .answering(.authorizedOnce))
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let caller = Caller()
    let call = Task { try await caller.currentLocation(of: manager) }
    await caller.executor.waitForJobs(1)
    await caller.executor.step()
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1, accuracy: 5)))
    await caller.executor.waitForJobs(1)
    await Self.reach(.notDetermined, manager)
    backend.setAuthorization(.denied)
    await Self.reach(.denied, manager)
    caller.executor.finish()
    let result = await call.result
    #expect(await manager.authorization().status == .denied)
    #expect(throws: LocationError.self) { try result.get() }
  }

  @Test("Queued events after once has lapsed and permission was denied")
  func events() async throws {
    let backend = MockBackend(authorization: .answering(.authorizedOnce))
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let events = manager.events(EventOptions(services: []))
    manager.startUpdatingLocation()
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)), .location(fix(2)))
    manager.stopUpdatingLocation()
    await Self.reach(.notDetermined, manager)
    backend.setAuthorization(.denied)
    await Self.reach(.denied, manager)
    #expect(await manager.authorization().status == .denied)
    await manager.shutdown()
    for await event in events {
      if case .didUpdateLocations(let locations) = event {
        Issue.record("told while denied: \(locations)")
      }
    }
  }

  @Test("Region events after once has lapsed and permission was denied")
  func regions() async throws {
    let backend = MockBackend(authorization: .answering(.authorizedOnce))
    let clock = ManualClock()
    let manager = LocationManager(backend: backend, clock: clock)
    let events = manager.events(EventOptions(services: []))
    let regionEvents = manager.regionEvents
    let region = Region.circular(
      CircularRegion(center: fix(10).coordinate, radius: 200, identifier: "home"))
    try await manager.startMonitoring(for: region)
    await backend.waitUntilRunning()
    for location in stops(at: 1, 10, 30) {
      clock.advance(by: .seconds(20))
      try backend.emit(.location(location))
    }
    try await backend.settle()
    await manager.stopMonitoring(for: region)
    await Self.reach(.notDetermined, manager)
    backend.setAuthorization(.denied)
    await Self.reach(.denied, manager)
    #expect(await manager.authorization().status == .denied)
    let reading = Task {
      for await event in regionEvents {
        switch event {
        case .didEnter, .didExit: Issue.record("told while denied: \(event)")
        default: break
        }
      }
    }
    try await backend.settle()
    await manager.shutdown()
    await reading.value
    for await event in events {
      switch event {
      case .didEnterRegion, .didExitRegion: Issue.record("events: told while denied: \(event)")
      default: break
      }
    }
  }

  @Test("A monitor's event: once lapsed, denied, granted again")
  func monitor() async throws {
    let fixture = MonitorFixture(authorization: .answering(.authorizedOnce))
    let monitor = try await fixture.monitor()
    try await fixture.enter(monitor)
    await monitor.remove("first")
    await Self.reach(.notDetermined, fixture.manager)
    fixture.backend.setAuthorization(.denied)
    await Self.reach(.denied, fixture.manager)
    fixture.backend.setAuthorization(AuthorizationDecision(.always))
    await Self.reach(.authorizedAlways, fixture.manager)
    var events = monitor.events.makeAsyncIterator()
    let event = await events.next()
    #expect(event?.location == nil, "\(String(describing: event))")
  }
}
