import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// Permission for once lapses, which withdraws nothing, and is then denied.
@Suite(.inTurn) struct RefusalAfterLapseTests {
  @Test("Queued events after once has lapsed and permission was denied")
  func queuedEventsAreWithdrawn() async throws {
    let backend = MockBackend(authorization: .answering(.authorizedOnce))
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let events = manager.events(EventOptions(services: []))
    manager.startUpdatingLocation()
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)), .location(fix(2)))
    manager.stopUpdatingLocation()
    await manager.waitForAuthorization { $0.status == .notDetermined }
    backend.setAuthorization(.denied)
    await manager.waitForAuthorization { $0.status == .denied }
    #expect(await manager.authorization().status == .denied)
    await manager.shutdown()
    for await event in events {
      if case .didUpdateLocations(let locations) = event {
        Issue.record("told while denied: \(locations)")
      }
    }
  }

  @Test("Region events after once has lapsed and permission was denied")
  func regionEventsAreWithdrawn() async throws {
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
    await manager.waitForAuthorization { $0.status == .notDetermined }
    backend.setAuthorization(.denied)
    await manager.waitForAuthorization { $0.status == .denied }
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
  func monitorEventLosesItsLocation() async throws {
    let fixture = MonitorFixture(authorization: .answering(.authorizedOnce))
    let monitor = try await fixture.monitor()
    try await fixture.enter(monitor)
    await monitor.remove("first")
    await fixture.manager.waitForAuthorization { $0.status == .notDetermined }
    fixture.backend.setAuthorization(.denied)
    await fixture.manager.waitForAuthorization { $0.status == .denied }
    fixture.backend.setAuthorization(AuthorizationDecision(.always))
    await fixture.manager.waitForAuthorization { $0.status == .authorizedAlways }
    var events = monitor.events.makeAsyncIterator()
    let event = await events.next()
    #expect(event?.location == nil, "\(String(describing: event))")
  }
}
