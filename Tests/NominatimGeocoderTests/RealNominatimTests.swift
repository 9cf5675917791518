import AsyncLocation
import Foundation
import MockBackend
import OfflineGeocoder
import TestSupport
import Testing

@testable import NominatimGeocoder

/// Queries a real Nominatim that `scripts/nominatim-server` starts, and compares its answers with
/// those of `OfflineGeocoder`. The server has the data of Liechtenstein only.
@Suite(
  .serialized,
  .enabled(
    if: ProcessInfo.processInfo.environment["ASYNC_LOCATION_NOMINATIM"] != nil,
    "set ASYNC_LOCATION_NOMINATIM to the address of a Nominatim, as scripts/nominatim-server does"),
  .inTurn)
struct RealNominatimTests {
  private static let address = ProcessInfo.processInfo.environment["ASYNC_LOCATION_NOMINATIM"] ?? ""

  /// The clock stands still, so a busy machine ends no request.
  private static func geocoder() throws -> NominatimGeocoder {
    try NominatimGeocoder(server: address, clock: ManualClock())
  }

  /// The municipalities and a few villages, at their churches or town halls.
  static let places: [(name: String, latitude: Double, longitude: Double)] = [
    ("Vaduz", 47.1392, 9.5228), ("Schaan", 47.1650, 9.5087), ("Triesen", 47.1070, 9.5280),
    ("Balzers", 47.0670, 9.5025), ("Triesenberg", 47.1180, 9.5430), ("Planken", 47.1850, 9.5440),
    ("Eschen", 47.2110, 9.5220), ("Mauren", 47.2180, 9.5440), ("Gamprin", 47.2200, 9.5090),
    ("Ruggell", 47.2390, 9.5270), ("Schellenberg", 47.2310, 9.5460), ("Malbun", 47.1020, 9.6090),
    ("Nendeln", 47.1990, 9.5440),
  ]

  @Test func agreesWithTheOfflineGeocoder() async throws {
    let (server, offline) = (try Self.geocoder(), OfflineGeocoder())
    var agreeing = 0
    print("place, at its point: Nominatim's locality, part, street, country | ours, country")
    for (name, latitude, longitude) in Self.places {
      let point = try Coordinate(latitude: latitude, longitude: longitude)
      let theirs = try #require(try await server.reverseGeocode(point).first)
      let ours = try #require(try await offline.reverseGeocode(point).first)
      #expect(theirs.isoCountryCode == "LI")
      #expect(theirs.isoCountryCode == ours.isoCountryCode, "\(name)")
      #expect((theirs.distance ?? .infinity) < 1000, "\(name)")
      #expect(theirs.attribution?.contains("OpenStreetMap") == true)
      let isSame = [theirs.locality, theirs.subLocality].contains { $0 == ours.name }
      agreeing += isSame ? 1 : 0
      let shown = [theirs.locality, theirs.subLocality, theirs.thoroughfare, theirs.isoCountryCode]
        .map { $0 ?? "-" }.joined(separator: ", ")
      print(
        "\(name): \(shown) | \(ours.name ?? "-"), \(ours.isoCountryCode ?? "-")"
          + (isSame ? "" : "  (differ)"))
    }
    print("\(agreeing) of \(Self.places.count) agree")
    // The embedded places do not include every village below 2,000 inhabitants.
    #expect(agreeing * 3 >= Self.places.count)
  }

  @Test func namesFindTheirPlaces() async throws {
    let server = try Self.geocoder()
    print("name: places, the first, its distance from the expected point")
    for (name, latitude, longitude) in Self.places {
      let point = try Coordinate(latitude: latitude, longitude: longitude)
      let found = try await server.geocode(name, near: point)
      let first = try #require(found.first)
      #expect((first.distance ?? .infinity) < 4000, "\(name)")
      #expect(found.count <= 10)
      print("\(name): \(found.count), \(first.name ?? "-"), \(Int(first.distance ?? -1)) m")
    }
  }

  @Test func anAddressHasAHouseAndAStreet() async throws {
    let found = try await Self.geocoder().geocode("Pradafant 42, Vaduz")
    let first = try #require(found.first)
    #expect(first.thoroughfare == "Pradafant")
    #expect(first.subThoroughfare == "42")
    #expect(first.postalCode == "9490")
  }

  @Test func localesChooseNames() async throws {
    let point = Answers.point
    let server = try Self.geocoder()
    var names: [String?] = []
    for locale: GeocodingLocale? in [nil, "de", "ru", "ja"] {
      names.append(try await server.reverseGeocode(point, locale: locale).first?.country)
    }
    #expect(names == ["Liechtenstein", "Liechtenstein", "Лихтенштейн", "リヒテンシュタイン"])
  }

  @Test func emptyAreasHaveNoResult() async throws {
    let server = try Self.geocoder()
    for (latitude, longitude) in [(0.0, -30.0), (90, 0), (-45, 180)] {
      let point = try Coordinate(latitude: latitude, longitude: longitude)
      await #expect { try await server.reverseGeocode(point) } throws: {
        ($0 as? LocationError)?.code == .geocodeFoundNoResult
      }
    }
    await #expect { try await server.geocode("Xyzzyplugh") } throws: {
      ($0 as? LocationError)?.code == .geocodeFoundNoResult
    }
  }

  @Test func hostileNamesAreSearchedAsText() async throws {
    let server = try Self.geocoder()
    for name in ["Vaduz&q=Schaan", "Vaduz#", "a+b", "%00", "🏔️", "' OR 1=1 --", "\"", "[x=y]"] {
      do {
        _ = try await server.geocode(name)
      } catch let error as LocationError {
        #expect(error.code == .geocodeFoundNoResult, "\(name): \(error)")
      }
    }
  }

  @Test func wrongPathIsReported() async throws {
    let server = try NominatimGeocoder(server: Self.address + "/nowhere", clock: ManualClock())
    let error = await error(of: server) as? LocationError
    #expect(error?.code == .geocoderUnavailable)
  }
}
