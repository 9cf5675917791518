import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// The services that start and stop as in Core Location, and the manager's properties.
@Suite(.inTurn)
struct ServiceTests {
  struct Service: Sendable, CustomTestStringConvertible {
    let start: LocationManager.Endpoint
    let stop: LocationManager.Endpoint
    let kinds: BackendCapabilities
    let starting: @Sendable (LocationManager) -> Void
    let stopping: @Sendable (LocationManager) -> Void

    var testDescription: String { "\(start)" }
  }

  static let services = [
    Service(
      start: .startUpdatingLocation, stop: .stopUpdatingLocation, kinds: .locations,
      starting: { $0.startUpdatingLocation() }, stopping: { $0.stopUpdatingLocation() }),
    Service(
      start: .startUpdatingHeading, stop: .stopUpdatingHeading, kinds: .headings,
      starting: { $0.startUpdatingHeading() }, stopping: { $0.stopUpdatingHeading() }),
    Service(
      start: .startMonitoringVisits, stop: .stopMonitoringVisits, kinds: .locations,
      starting: { $0.startMonitoringVisits() }, stopping: { $0.stopMonitoringVisits() }),
    Service(
      start: .startMonitoringSignificantLocationChanges,
      stop: .stopMonitoringSignificantLocationChanges, kinds: .locations,
      starting: { $0.startMonitoringSignificantLocationChanges() },
      stopping: { $0.stopMonitoringSignificantLocationChanges() }),
  ]

  @Test(arguments: services)
  func runsBetweenStartAndStop(_ service: Service) async {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    service.starting(manager)
    await backend.waitUntilRunning()
    #expect(backend.demand?.kinds == service.kinds)
    service.stopping(manager)
    await backend.waitUntilIdle()
    #expect(backend.runCount == 1)
    #expect(backend.endpoints == [service.start, service.stop])
  }

  @Test func theLastLocationAndHeadingAreKept() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    manager.startUpdatingLocation()
    manager.startUpdatingHeading()
    await backend.waitUntilRunning()
    try await backend.settle()
    try backend.emit(.location(fix(1)), .heading(heading(20)), .location(fix(2)))
    #expect(await manager.location == fix(2))
    #expect(await manager.heading == heading(20))
  }

  @Test func locationServicesAreSwitchedOff() async {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    #expect(await manager.locationServicesEnabled)
    backend.setLocationServices(enabled: false)
    #expect(await manager.locationServicesEnabled == false)
    #expect(await manager.authorizationStatus == .denied)
  }

  /// A stream that starts services late gets the last location that they allow.
  @Test func lateSubscriberReceivesLastLocation() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let delegate = manager.events(EventOptions(services: []))
    let first = manager.events(EventOptions(services: [.locations]))
    await backend.waitUntilRunning()
    try backend.emit([.location(fix(0))])
    // The vehicle is parked: no location follows. The delegate starts the service.
    manager.startUpdatingLocation()
    let late = manager.events(EventOptions(services: [.locations]))
    await manager.shutdown()
    func locations(_ events: AsyncStream<LocationEvent>) async -> Int {
      var count = 0
      for await event in events {
        if case .didUpdateLocations(let locations) = event { count += locations.count }
      }
      return count
    }
    #expect(await locations(first) == 1)
    #expect(await locations(late) == 1)
    #expect(await locations(delegate) == 1, "it started the service, and sees nothing")
  }

  /// On a ship that lies still, no later heading passes the filter.
  @Test(arguments: [false, true])
  func lateSubscriberReceivesLastHeading(_ isWithdrawn: Bool) async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let delegate = manager.events(EventOptions(services: []))
    let first = manager.events(EventOptions(services: [.headings]))
    await backend.waitUntilRunning()
    try backend.emit([.heading(heading(20))])
    if isWithdrawn {
      backend.setAuthorization(.denied)
      backend.setAuthorization(.authorizedWhenInUse)
    }
    manager.startUpdatingHeading()
    let late = manager.events(EventOptions(services: [.headings]))
    await manager.shutdown()
    for events in [first, delegate, late] {
      var count = 0
      for await event in events { if case .didUpdateHeading = event { count += 1 } }
      #expect(count == (isWithdrawn ? 0 : 1))
    }
  }
}
