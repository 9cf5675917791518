import AsyncLocation
import OfflineGeocoder
import TestSupport
import Testing

/// Cities of all continents, found by name and by point.
@Suite(.inTurn) struct CityTests {
  private let geocoder = OfflineGeocoder()

  @Test func everyRowIsRead() {
    #expect(City.all.count == City.rows)
    #expect(City.rows >= 200)
  }

  @Test(arguments: City.all)
  func citiesAreFoundByName(_ city: City) async throws {
    let first = try #require(try await geocoder.geocode(city.query).first)
    #expect(first.name == city.name)
    #expect(first.isoCountryCode == city.country)
    #expect(first.coordinate.distance(to: city.coordinate) < 25_000)
    #expect(first.attribution == OfflineGeocoder.attribution)
    #expect(first.distance == nil)
  }

  @Test(arguments: City.all)
  func citiesAreFoundByPoint(_ city: City) async throws {
    let placemarks = try await geocoder.reverseGeocode(city.coordinate)
    let nearest = try #require(placemarks.first)
    #expect(nearest.locality == city.name || nearest.name == city.name)
    #expect(nearest.isoCountryCode == city.country)
    #expect(nearest.timeZone == city.timeZone)
    #expect(nearest.distance == nearest.coordinate.distance(to: city.coordinate))
  }
}
