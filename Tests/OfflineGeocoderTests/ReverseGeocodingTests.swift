import AsyncLocation
import OfflineGeocoder
import TestSupport
import Testing

@Suite(.inTurn) struct ReverseGeocodingTests {
  private let geocoder = OfflineGeocoder()

  @Test func partOfACityNamesTheCity() async throws {
    // Kreuzberg, a part of Berlin.
    let placemarks = try await geocoder.reverseGeocode(
      Coordinate(latitude: 52.4983, longitude: 13.3912))
    #expect(placemarks.map(\.name) == ["Kreuzberg", "Berlin"])
    #expect(placemarks[0].locality == "Berlin")
    #expect(placemarks[0].subLocality == "Kreuzberg")
    #expect(placemarks[1].subLocality == nil)
  }

  @Test func townBesideACityIsItsOwnLocality() async throws {
    // Potsdam is near Berlin, in another division.
    let placemarks = try await geocoder.reverseGeocode(
      Coordinate(latitude: 52.3989, longitude: 13.0657))
    #expect(placemarks.first?.locality == "Potsdam")
    #expect(placemarks.count == 1)
  }

  @Test func everyMemberIsSet() async throws {
    let vaduz = try Coordinate(latitude: 47.1412, longitude: 9.5215)
    let placemark = try #require(try await geocoder.reverseGeocode(vaduz).first)
    #expect(placemark.name == "Vaduz")
    #expect(placemark.locality == "Vaduz")
    #expect(placemark.administrativeArea == "Vaduz")
    #expect(placemark.country == "Liechtenstein")
    #expect(placemark.isoCountryCode == "LI")
    #expect(placemark.timeZone == "Europe/Vaduz")
    #expect(placemark.population == 5197)
    #expect(placemark.source == "GeoNames")
    #expect(try placemark.coordinate == Coordinate(latitude: 47.14151, longitude: 9.52154))
  }

  struct Remote: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let latitude: Double
    let longitude: Double
  }

  static let remotes = [
    Remote(testDescription: "the North Pole", latitude: 90, longitude: 0),
    Remote(testDescription: "the North Pole from the east", latitude: 90, longitude: 180),
    Remote(testDescription: "Point Nemo", latitude: -48.876, longitude: -123.393),
    Remote(testDescription: "the Atlantic", latitude: 0, longitude: -25),
    Remote(testDescription: "the Pacific at the antimeridian", latitude: 30, longitude: 180),
    Remote(testDescription: "the same from the west", latitude: 30, longitude: -180),
    Remote(testDescription: "the Indian Ocean", latitude: -30, longitude: 80),
    Remote(testDescription: "the Southern Ocean", latitude: -60, longitude: 0),
  ]

  @Test(arguments: remotes)
  func remotePointHasAPartialResult(_ point: Remote) async throws {
    let coordinate = try Coordinate(latitude: point.latitude, longitude: point.longitude)
    let error = try #require(
      await #expect(throws: LocationError.self) { try await geocoder.reverseGeocode(coordinate) })
    #expect(error.code == .geocodeFoundPartialResult)
    let nearest = try #require(error.partialPlacemarks.first)
    #expect(error.partialPlacemarks.count == 1)
    #expect(try #require(nearest.distance) > geocoder.maximumDistance)

    var unlimited = geocoder
    unlimited.maximumDistance = .infinity
    #expect(try await unlimited.reverseGeocode(coordinate).first?.name == nearest.name)
  }

  @Test func placesAcrossTheAntimeridianAreFound() async throws {
    // The places near these points, on both sides of the antimeridian, are in Fiji.
    for (latitude, longitude) in [(-16.5, 179.99), (-16.5, -179.99), (-16.8, 180), (-16.8, -180)] {
      let point = try Coordinate(latitude: latitude, longitude: longitude)
      let nearest = try #require(try await geocoder.reverseGeocode(point).first)
      #expect(nearest.isoCountryCode == "FJ", "at \(latitude), \(longitude)")
    }
    let east = try await geocoder.reverseGeocode(Coordinate(latitude: -16.8, longitude: 180))
    let west = try await geocoder.reverseGeocode(Coordinate(latitude: -16.8, longitude: -180))
    #expect(east.map(\.name) == west.map(\.name))
  }

  @Test(arguments: [-1, -Double.infinity, .nan])
  func invalidMaximumMakesEveryResultPartial(_ maximum: Double) async throws {
    var strict = geocoder
    strict.maximumDistance = maximum
    let vaduz = try Coordinate(latitude: 47.1412, longitude: 9.5215)
    let error = await #expect(throws: LocationError.self) {
      try await strict.reverseGeocode(vaduz)
    }
    #expect(error?.partialPlacemarks.first?.name == "Vaduz")
  }
}
