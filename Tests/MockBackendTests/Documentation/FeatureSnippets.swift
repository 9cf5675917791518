import AsyncLocation
import MockBackend
import TestSupport
import Testing

/// The code of "Testing a feature, step by step".
@Suite(.inTurn) @MainActor
struct FeatureSnippets {
  @Test func permissionIsDenied() async {
    let backend = MockBackend(authorization: .asking)
    let screen = NearbyScreen(LocationManager(backend: backend))
    let locating = Task { await screen.locate() }
    await backend.waitForCall(.authorizationRequested(.whenInUse))
    #expect(screen.alert == nil)
    backend.answerAuthorization(.denied)
    await locating.value
    #expect(screen.alert == "Allow this program to locate you, then try again.")
    #expect(screen.position == nil)
    #expect(backend.endpoints == [.requestWhenInUseAuthorization])
  }

  @Test func permissionIsGranted() async throws {
    let backend = MockBackend(authorization: .asking)
    let screen = NearbyScreen(LocationManager(backend: backend))
    let locating = Task { await screen.locate() }
    await backend.waitForCall(.authorizationRequested(.whenInUse))
    backend.answerAuthorization(.authorizedWhenInUse)
    await backend.waitUntilRunning()
    try backend.emit(.location(Location(latitude: 60.16, longitude: 24.96)))
    await locating.value
    #expect(screen.position == "60.16, 24.96")
    #expect(screen.alert == nil)
    #expect(backend.endpoints == [.requestWhenInUseAuthorization, .currentLocation])
    try await backend.settle()
    #expect(backend.unfinishedWork.isEmpty)
  }

  @Test func anEndpointIsUnexpected() async {
    let (reports, reporting) = AsyncStream<String>.makeStream()
    var backend = MockBackend.failing { reporting.yield($0) }
    backend[.requestWhenInUseAuthorization] = .answer(.authorizedWhenInUse)
    let screen = NearbyScreen(LocationManager(backend: backend))
    await screen.locate()
    reporting.finish()
    for await report in reports {
      #expect(report.hasPrefix("LocationManager's 'currentLocation' was used"))
      #expect(report.contains("set 'backend[.currentLocation] = .locations(…)'"))
      #expect(screen.alert == report)
    }
    #expect(backend.endpoints == [.requestWhenInUseAuthorization, .currentLocation])
    #expect(screen.alert != nil, "one report")
  }

  @Test func theEndpointIsSupplied() async throws {
    let harbour = try Location(latitude: 60.16, longitude: 24.96)
    var backend = MockBackend.failing { Issue.record("\($0)") }
    backend[.requestWhenInUseAuthorization] = .answer(.authorizedWhenInUse)
    backend[.currentLocation] = .locations(harbour)
    let screen = NearbyScreen(LocationManager(backend: backend))
    await screen.locate()
    #expect(screen.position == "60.16, 24.96")
  }

  @Test func aScreenShowsItsState() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let screen = MapScreen()
    let appearance = Task { await screen.appear(manager) }
    await backend.waitForReaders(of: .events)
    try await backend.settle()
    #expect(screen.title == "Locating")
    try backend.emit(.unavailable(LocationError(.locationUnknown, "No fix yet.")))
    try await backend.settle()
    #expect(screen.title == "No fix yet.")
    try backend.emit(.location(Location(latitude: 60.16, longitude: 24.96)))
    try await backend.settle()
    #expect(screen.title == "60.16, 24.96")
    backend.setAuthorization(.denied)
    try await backend.settle()
    #expect(screen.title == "No permission")
    appearance.cancel()
    await appearance.value
    try await backend.settle()
    #expect(backend.unfinishedWork.isEmpty)
  }

  @Test func aScreenShowsAPlace() async throws {
    let backend = MockBackend()
    let geocoder = MockGeocoder()
    let screen = PlaceScreen()
    let manager = LocationManager(backend: backend)
    let appearance = Task { await screen.appear(manager, geocoder) }
    await backend.waitForReaders(of: .events)
    try await backend.settle()
    try backend.emit(.location(Location(latitude: 60.16, longitude: 24.96)))
    try await backend.settle()
    #expect(screen.title == "Somewhere")
    var harbour = Placemark(coordinate: try Coordinate(latitude: 60.16, longitude: 24.96))
    harbour.name = "South Harbour"
    geocoder.answer(harbour)
    try await backend.settle()
    #expect(screen.title == "South Harbour")
    try backend.emit(.location(Location(latitude: 60.16005, longitude: 24.96)))
    try await backend.settle()
    #expect(geocoder.requests.count == 1)
    backend.setAuthorization(.denied)
    try await backend.settle()
    #expect(screen.title == "Locating")
    appearance.cancel()
    await appearance.value
    try await backend.settle()
    #expect(backend.unfinishedWork.isEmpty)
  }
}

@MainActor final class NearbyScreen {
  private let manager: LocationManager
  private(set) var position: String?
  private(set) var alert: String?

  init(_ manager: LocationManager) { self.manager = manager }

  func locate() async {
    do {
      guard try await manager.requestWhenInUseAuthorization().isAuthorized else {
        alert = "Allow this program to locate you, then try again."
        return
      }
      let location = try await manager.currentLocation()
      position = "\(location.latitude), \(location.longitude)"
    } catch let error as LocationError {
      alert = error.message
    } catch {}  // The screen was left.
  }
}

@MainActor final class MapScreen {
  private let state = LocationState()

  var title: String {
    if let location = state.location { return "\(location.latitude), \(location.longitude)" }
    if state.status == .denied { return "No permission" }
    return state.error?.message ?? "Locating"
  }

  func appear(_ manager: LocationManager) async { await state.follow(manager) }
}

@MainActor final class PlaceScreen {
  private let state = LocationState()

  var title: String {
    guard state.location != nil else { return "Locating" }
    return state.placemark?.name ?? "Somewhere"
  }

  func appear(_ manager: LocationManager, _ geocoder: any Geocoder) async {
    await state.follow(manager, placemarks: geocoder)
  }
}
