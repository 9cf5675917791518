import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import NominatimGeocoder

@Suite(.inTurn) struct PhotonAnswerTests {
  private static func places(_ properties: String) throws -> [Placemark] {
    let body = #"""
      {"type":"FeatureCollection","features":[{"type":"Feature","properties":{\#(properties)},
      "geometry":{"type":"Point","coordinates":[9.52,47.14]}}]}
      """#
    return try PhotonAnswer.places(in: Data(body.utf8), limit: 10)
  }

  @Test func readsAHouse() throws {
    let place = try #require(
      try Self.places(
        #"""
        "osm_type":"W","osm_id":7,"osm_key":"building","osm_value":"yes","type":"house",
        "name":"Town hall","housenumber":"6","street":"Städtle","locality":"Mitteldorf",
        "district":"Centre","city":"Vaduz","county":"Oberland","state":"Vaduz (state)",
        "country":"Liechtenstein","countrycode":"LI","postcode":"9490",
        "extent":[9.51,47.15,9.53,47.13]
        """#
      ).first)
    #expect(place.coordinate == Coordinate(checkedLatitude: 47.14, longitude: 9.52))
    #expect(place.name == "Town hall")
    #expect(place.thoroughfare == "Städtle")
    #expect(place.subThoroughfare == "6")
    #expect(place.subLocality == "Centre")
    #expect(place.locality == "Vaduz")
    #expect(place.subAdministrativeArea == "Oberland")
    #expect(place.administrativeArea == "Vaduz (state)")
    #expect(place.postalCode == "9490")
    #expect(place.country == "Liechtenstein")
    #expect(place.isoCountryCode == "LI")
    #expect(place.region?.identifier == "W 7")
    #expect(abs((place.region?.center.latitude ?? 0) - 47.14) < 1e-9)
    #expect(place.source == "Photon")
    #expect(place.attribution != nil)
  }

  @Test(
    arguments: [
      (#""name":"Vaduz","type":"city","osm_key":"place","osm_value":"town""#, "Vaduz", nil),
      (#""name":"Triesen","osm_key":"place","osm_value":"village""#, "Triesen", nil),
      (#""name":"Wedding","type":"district","city":"Berlin""#, "Berlin", "Wedding"),
      (#""name":"Nest","type":"locality","osm_key":"place","city":"C""#, "C", "Nest"),
      (#""name":"Liechtenstein","type":"country""#, nil, nil),
    ] as [(String, String?, String?)])
  func placesFillTheirMember(
    _ properties: String, locality: String?, subLocality: String?
  ) throws {
    let place = try #require(try Self.places(properties).first)
    #expect(place.locality == locality)
    #expect(place.subLocality == subLocality)
  }

  @Test(arguments: [
    #"{"features":7}"#, #"{"features":[7]}"#, #"{"features":[{"properties":{}}]}"#,
    #"{"features":[{"geometry":{"coordinates":[1]},"properties":{}}]}"#,
    #"{"features":[{"geometry":{"coordinates":[181,2]},"properties":{}}]}"#,
    #"{"features":[{"geometry":{"coordinates":["1","2"]},"properties":{}}]}"#,
    #"{"features":[{"geometry":null,"properties":{}}]}"#,
    #"{"features":[{"geometry":{"coordinates":[1,2]},"properties":[]}]}"#,
  ])
  func malformedAnswersAreRejected(_ body: String) {
    #expect(throws: NominatimAnswer.Malformed.self) {
      try PhotonAnswer.places(in: Data(body.utf8), limit: 1)
    }
  }

  @Test func membersOfUnexpectedTypesAreAbsent() throws {
    let place = try #require(
      try Self.places(#""name":{},"city":[],"extent":"x","osm_id":null,"postcode":9490"#).first)
    #expect(place.name == nil)
    #expect(place.locality == nil)
    #expect(place.region == nil)
    #expect(place.postalCode == "9490")
  }
}
