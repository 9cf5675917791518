import AsyncLocation
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

/// The code of the landing page and of "Getting started".
@Suite(.inTurn) @MainActor
struct FirstStepsSnippets {
  /// Replaces the real backend, which this target does not link; drives north until cancelled.
  private struct GPSDBackend: LocationBackend {
    let capabilities = BackendCapabilities.locations

    func run(
      _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
    ) async throws {
      var count = 0
      while !Task.isCancelled {
        count += 1
        emit([.location(fix(count, accuracy: 5))])
        await Task.yield()
      }
    }
  }

  func positions() -> LocationUpdates {
    LocationManager(backend: GPSDBackend()).updates(UpdateOptions(distanceFilter: 10))
  }

  @Test func aStreamReturnedByAFunction() async throws {
    #expect(try await positions().first(1).count == 1)
  }

  @Test func tenLines() async throws {
    let manager = LocationManager(backend: GPSDBackend())

    let location = try await manager.currentLocation()
    print("I am at", location.latitude, location.longitude)

    for try await location in manager.updates {
      print(location.timestamp, location.coordinate, location.speed ?? 0)
      break  // Without it the loop continues until it is cancelled.
    }
  }

  @Test func oneLocation() async throws {
    let manager = LocationManager(backend: GPSDBackend())
    let location = try await manager.currentLocation(
      desiredAccuracy: .nearestTenMeters, maximumAge: .seconds(5), timeout: .seconds(120))
    print(location)
  }

  @Test func options() async throws {
    let manager = LocationManager(backend: GPSDBackend())
    var options = UpdateOptions()
    options.distanceFilter = 50
    options.desiredAccuracy = .hundredMeters
    options.minimumInterval = .seconds(1)
    for try await location in manager.updates(options) {
      print(location)
      break
    }
  }

  @Test func distances() throws {
    let berlin = try Coordinate(latitude: 52.52, longitude: 13.405)
    let paris = try Coordinate(latitude: 48.8566, longitude: 2.3522)
    let distance = berlin.distance(to: paris)
    let bearing = berlin.bearing(to: paris)
    let halfway = try berlin.coordinate(atDistance: distance / 2, bearing: bearing)
    #expect(abs(halfway.distance(to: paris) - distance / 2) < 1e-6)
  }

  @Test func errors() async throws {
    let manager = LocationManager(backend: MockBackend(authorization: .denying))
    do {
      print(try await manager.currentLocation(timeout: .seconds(30)))
    } catch let error as LocationError where error.isTransient {
      print("Not now:", error.message)
    } catch let error as LocationError where error.code == .denied {
      print("Permission was refused:", error.message)
    }
  }

  @Test func scope() async throws {
    try await withLocationManager(backend: GPSDBackend()) { manager in
      print(try await manager.currentLocation())
    }
  }

  @Test func age() async throws {
    let manager = LocationManager(backend: try MockBackend(script: [.locations(fix(1))]))
    let location = try await manager.currentLocation()
    if let age = location.age, age < .seconds(10) { print("here:", location.coordinate) }
    #expect(location.age != nil)
    #expect(fix(1).age == nil)
    let copy = try JSONDecoder().decode(Location.self, from: try JSONEncoder().encode(location))
    #expect(copy == location)
    #expect(copy.age == nil)
    await manager.shutdown()
  }

  @Test func json() throws {
    let location = try Location(
      latitude: 60.17, longitude: 24.94, timestamp: Date(timeIntervalSince1970: 1_777_863_721.25),
      speed: 3.5)
    let data = try JSONEncoder().encode(location)
    let copy = try JSONDecoder().decode(Location.self, from: data)
    #expect(copy == location)
  }
}
