import AsyncLocation
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

/// The code of "Everything in one order". The script ends, so that the loops end.
@Suite(.inTurn) @MainActor
struct EventSnippets {
  private let fixes: [MockStep]
  private let backend: MockBackend
  private let manager: LocationManager

  init() throws {
    fixes = try [
      .location(latitude: 60.17, longitude: 24.94), .location(latitude: 60.18, longitude: 24.95),
    ]
    backend = try MockBackend(script: MockScript(fixes + [.end]))
    manager = LocationManager(backend: backend)
  }

  @Test func everything() async {
    for await event in manager.events {
      switch event {
      case .didChangeAuthorization(let authorization): print("Permission:", authorization.status)
      case .didUpdateLocations(let locations): print(locations.count, "locations")
      case .didUpdateHeading(let heading): print("Heading:", heading.trueHeading ?? 0)
      case .didFailWithError(let error): print("Not now:", error.message)
      default: break
      }
    }
    #expect(backend.endpoints == [.events])
  }

  /// The code of Features.md.
  @Test func overview() async {
    for await event in manager.events {
      switch event {
      case .didChangeAuthorization(let authorization): print(authorization.status)
      case .didUpdateLocations(let locations): print(locations)
      case .didFailWithError(let error): print(error.message)
      default: break
      }
    }
    #expect(backend.endpoints == [.events])
  }

  @Test func services() async {
    let options = EventOptions(
      services: [.locations, .visits], reportsPreviousLocation: true, buffering: .newest(256))
    let events = manager.events(options)
    var count = 0
    for await event in events {
      if case .didUpdateTo = event { count += 1 }
    }
    #expect(count == 2)
  }

  @Test func startedServices() async {
    let events = manager.events(EventOptions(services: []))
    manager.startUpdatingLocation()
    manager.startUpdatingHeading()
    for await event in events {
      if case .didUpdateLocations(let locations) = event, let last = locations.last {
        print("There:", last.coordinate)
        break
      }
    }
    manager.stopUpdatingLocation()
    manager.stopUpdatingHeading()
    await backend.waitUntilIdle()
  }

  @Test func requestedLocation() async {
    func located(_ events: AsyncStream<LocationEvent>) async -> Location? {
      manager.requestLocation()
      for await event in events {
        switch event {
        case .didUpdateLocations(let locations): return locations.last
        case .didFailWithError(let error) where error.code == .timedOut: return nil
        default: break
        }
      }
      return nil
    }
    #expect(await located(manager.events(EventOptions(services: [])))?.latitude == 60.17)
    await backend.waitUntilIdle()
  }

  @Test func properties() async {
    await manager.set {
      $0.activityType = .automotiveNavigation
      $0.desiredAccuracy = .nearestTenMeters
      $0.distanceFilter = 25
    }
    print(await manager.properties)
    #expect(await manager.properties.distanceFilter == 25)
  }

  @Test func deferral() async throws {
    let clock = ManualClock()
    let backend = try MockBackend(script: MockScript(fixes))
    let manager = LocationManager(backend: backend, clock: clock)
    let events = manager.events(EventOptions(services: []))
    let recording = Task {
      var recorded: [Location] = []
      manager.startUpdatingLocation()
      manager.allowDeferredLocationUpdates(untilTraveled: 5_000, timeout: .seconds(600))
      for await event in events {
        switch event {
        case .didUpdateLocations(let locations): recorded += locations
        case .didFinishDeferredUpdates(nil):
          manager.allowDeferredLocationUpdates(untilTraveled: 5_000, timeout: .seconds(600))
        case .didFinishDeferredUpdates(let error?): print("Not deferred:", error.message)
        default: break
        }
      }
      return recorded
    }
    await backend.waitForReaders(of: .events)
    try await backend.settle()
    clock.advance(by: .seconds(600))
    try await backend.settle()
    await manager.shutdown()
    #expect(await recording.value.map(\.latitude) == [60.17, 60.18])
  }

  @Test func calibration() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let heading = try Heading(
      trueHeading: 90, headingAccuracy: 45, timestamp: Date(timeIntervalSince1970: 1_800_000_000),
      source: .compass)
    try backend.emit(.heading(heading))
    try backend.end()
    let events = manager.events(EventOptions(services: .headings))
    for await event in events {
      guard case .shouldDisplayHeadingCalibration(let isNeeded) = event else { continue }
      print(isNeeded ? "Turn the device in a figure of eight." : "The compass is accurate.")
    }
  }

  @MainActor final class Screen {
    let state = LocationState()

    var title: String {
      if let location = state.location { return "\(location.latitude) \(location.longitude)" }
      return state.error?.message ?? "Locating"
    }

    func appear(_ manager: LocationManager) async { await state.follow(manager) }
  }

  @Test @MainActor func screen() async {
    let screen = Screen()
    #expect(screen.title == "Locating")
    await screen.appear(manager)
    #expect(screen.title == "60.18 24.95")
  }
}
