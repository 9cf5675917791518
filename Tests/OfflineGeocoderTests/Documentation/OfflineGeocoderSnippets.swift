import AsyncLocation
import OfflineGeocoder

/// The code of the articles, which is compiled and not run.
@MainActor
enum OfflineGeocoderSnippets {
  /// The code of the overview.
  static func overview() async throws {
    let geocoder = OfflineGeocoder()
    let here = try Coordinate(latitude: 47.1412, longitude: 9.5215)
    let places = try await geocoder.reverseGeocode(here)
    print(places[0].name ?? "", places[0].isoCountryCode ?? "", places[0].timeZone ?? "")

    let paris = try await geocoder.geocode("Paris, TX")
    let springfield = try await geocoder.geocode("Springfield, US", near: here)
    show(paris + springfield)
  }

  /// The code of Features.md.
  static func following(_ manager: LocationManager, from here: Location) async throws {
    let geocoder = OfflineGeocoder()
    let place = try await geocoder.reverseGeocode(here.coordinate)[0]
    print(place.locality ?? "", place.country ?? "", place.timeZone ?? "")

    for try await update in manager.placemarks(using: geocoder) {
      print(update.placemark?.name ?? "nowhere", update.location.timestamp)
    }
  }

  static func file() async throws {
    let geocoder = try OfflineGeocoder(contentsOf: "/var/lib/harbour-map/places.gazetteer")
    let munich = try await geocoder.geocode("Munich", locale: "de-AT")
    show(munich)
  }

  static func partialResult(_ geocoder: OfflineGeocoder, _ here: Coordinate) async throws {
    do {
      show(try await geocoder.reverseGeocode(here))
    } catch let error as LocationError where error.code == .geocodeFoundPartialResult {
      show(error.partialPlacemarks)
    }
  }
}

private func show(_ placemarks: [Placemark]) {}
