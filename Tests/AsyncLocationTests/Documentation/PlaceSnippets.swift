import AsyncLocation
import MockBackend
import TestSupport
import Testing

func title(of location: Location, using geocoder: any Geocoder) async -> String {
  do {
    let places = try await geocoder.reverseGeocode(location.coordinate, locale: "en")
    return places[0].locality ?? places[0].name ?? "Somewhere"
  } catch {
    return "Somewhere"
  }
}

/// The code of "Places".
@Suite(.inTurn) @MainActor
struct PlaceSnippets {
  private let server = MockGeocoder { _ in .error(LocationError(.network, "Down.")) }
  private let offline: MockGeocoder
  private let backend: MockBackend
  private let manager: LocationManager

  init() throws {
    var helsinki = Placemark(coordinate: try Coordinate(latitude: 60.17, longitude: 24.94))
    helsinki.locality = "Helsinki"
    offline = MockGeocoder { [helsinki] _ in .placemarks(helsinki) }
    backend = try MockBackend(
      script: MockScript([.location(latitude: 60.17, longitude: 24.94), .end]))
    manager = LocationManager(backend: backend)
  }

  @Test func titles() async {
    #expect(await title(of: fix(1), using: offline) == "Helsinki")
    #expect(await title(of: fix(1), using: server) == "Somewhere")
  }

  @Test func combining() async throws {
    let geocoder = FallbackGeocoder(CachingGeocoder(server), offline)
    let places = try await geocoder.geocode("Paris, TX")
    print(places[0].source ?? "unknown source", geocoder.statistics.results)
    #expect(geocoder.statistics.results == [0, 1])
  }

  @Test func following() async throws {
    let geocoder = offline
    let options = PlacemarkOptions(minimumDistance: 250, locale: "de")
    for try await update in manager.placemarks(using: geocoder, options) {
      switch update.error {
      case nil: print(update.placemark?.name ?? "Unnamed", "at", update.location.timestamp)
      case let error?: print("Not now:", error.message)
      }
    }
    #expect(geocoder.requests.count == 1)
  }

  @Test @MainActor func state() async {
    let geocoder = offline
    let state = LocationState()
    await state.follow(manager, placemarks: geocoder)
    #expect(state.location?.latitude == 60.17)
  }
}
