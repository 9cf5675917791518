import AsyncLocation
import NominatimGeocoder
import OfflineGeocoder

/// The code of the articles, which is compiled and not run.
@MainActor
enum NominatimGeocoderSnippets {
  /// The code of the overview.
  static func overview(_ settings: Settings) async throws {
    let geocoder = try NominatimGeocoder(
      server: settings.geocoder,
      configuration: .init(application: "HarbourMap/2.1 (maps@example.org)"))
    let here = try Coordinate(latitude: 47.1412, longitude: 9.5215)
    let places = try await geocoder.reverseGeocode(here, locale: "de")
    print(places[0].thoroughfare ?? "", places[0].locality ?? "")
    let harbours = try await geocoder.geocode("Romanshorn Hafen", near: here)
    show(places + harbours)
  }

  static func resilient(_ server: NominatimGeocoder) -> any Geocoder {
    let geocoder = FallbackGeocoder(CachingGeocoder(server), OfflineGeocoder())
    return geocoder
  }

  static func publicServer(_ text: String) async throws {
    let geocoder = try NominatimGeocoder.openStreetMap(
      application: "HarbourMap/2.1 (maps@example.org)")
    show(try await geocoder.geocode(text))
  }

  static func photon() throws {
    let geocoder = try NominatimGeocoder(
      server: "http://localhost:2322", configuration: .init(service: .photon))
    _ = geocoder
  }
}

struct Settings { let geocoder: String }

private func show(_ placemarks: [Placemark]) {}
