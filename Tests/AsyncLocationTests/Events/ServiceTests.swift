import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// The services that start and stop as in Core Location, and the manager's last values.
@Suite(.inTurn)
struct ServiceTests {
  struct Service: Sendable, CustomTestStringConvertible {
    let startEndpoint: LocationManager.Endpoint
    let stopEndpoint: LocationManager.Endpoint
    let kinds: BackendCapabilities
    let start: @Sendable (LocationManager) -> Void
    let stop: @Sendable (LocationManager) -> Void

    var testDescription: String { "\(startEndpoint)" }
  }

  static let services = [
    Service(
      startEndpoint: .startUpdatingLocation, stopEndpoint: .stopUpdatingLocation, kinds: .locations,
      start: { $0.startUpdatingLocation() }, stop: { $0.stopUpdatingLocation() }),
    Service(
      startEndpoint: .startUpdatingHeading, stopEndpoint: .stopUpdatingHeading, kinds: .headings,
      start: { $0.startUpdatingHeading() }, stop: { $0.stopUpdatingHeading() }),
    Service(
      startEndpoint: .startMonitoringVisits, stopEndpoint: .stopMonitoringVisits, kinds: .locations,
      start: { $0.startMonitoringVisits() }, stop: { $0.stopMonitoringVisits() }),
    Service(
      startEndpoint: .startMonitoringSignificantLocationChanges,
      stopEndpoint: .stopMonitoringSignificantLocationChanges, kinds: .locations,
      start: { $0.startMonitoringSignificantLocationChanges() },
      stop: { $0.stopMonitoringSignificantLocationChanges() }),
  ]

  @Test(arguments: services)
  func runsBetweenStartAndStop(_ service: Service) async {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    service.start(manager)
    await backend.waitUntilRunning()
    #expect(backend.demand?.kinds == service.kinds)
    service.stop(manager)
    await backend.waitUntilIdle()
    #expect(backend.runCount == 1)
    #expect(backend.endpoints == [service.startEndpoint, service.stopEndpoint])
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

  /// A service that starts late delivers the last location: to the stream that starts it, or to the
  /// streams without services if the manager starts it.
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
    func locationCount(_ events: AsyncStream<LocationEvent>) async -> Int {
      var count = 0
      for await event in events {
        if case .didUpdateLocations(let locations) = event { count += locations.count }
      }
      return count
    }
    #expect(await locationCount(first) == 1)
    #expect(await locationCount(late) == 1)
    #expect(await locationCount(delegate) == 1, "it started the service, and sees nothing")
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
