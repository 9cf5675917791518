import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import NominatimGeocoder

@Suite(.inTurn) struct NominatimAnswerTests {
  private static func place(_ members: String) throws -> Placemark? {
    try NominatimAnswer.place(in: Data(#"{"lat":"1","lon":"2",\#(members)}"#.utf8)).first
  }

  @Test func readsEveryMember() throws {
    let place = try #require(try NominatimAnswer.place(in: Data(Answers.vaduz.utf8)).first)
    #expect(place.coordinate == Coordinate(checkedLatitude: 47.1392862, longitude: 9.5227962))
    #expect(place.name == "Vaduz")
    #expect(place.locality == "Vaduz")
    #expect(place.subAdministrativeArea == "Oberland")
    #expect(place.administrativeArea == "LI-11")
    #expect(place.postalCode == "9490")
    #expect(place.country == "Liechtenstein")
    #expect(place.isoCountryCode == "LI")
    #expect(place.population == 5696)
    #expect(place.region?.identifier == "relation 1155956")
    #expect(place.source == "Nominatim")
    #expect(place.attribution?.contains("OpenStreetMap contributors") == true)
  }

  typealias Member = any KeyPath<Placemark, String?> & Sendable

  @Test(
    arguments: [
      (#""road":"R","house_number":"1a""#, \.thoroughfare, "R"),
      (#""road":"R","house_number":"1a""#, \.subThoroughfare, "1a"),
      (#""pedestrian":"P""#, \.thoroughfare, "P"), (#""footway":"F""#, \.thoroughfare, "F"),
      (#""city":"C","town":"T","village":"V""#, \.locality, "C"),
      (#""town":"T","village":"V""#, \.locality, "T"),
      (#""town":"T","village":"V""#, \.subLocality, "V"), (#""village":"V""#, \.locality, "V"),
      (#""municipality":"M","hamlet":"H""#, \.locality, "M"), (#""hamlet":"H""#, \.locality, "H"),
      (#""suburb":"S","city_district":"D","neighbourhood":"N""#, \.subLocality, "D"),
      (#""suburb":"S","neighbourhood":"N""#, \.subLocality, "S"),
      (#""neighbourhood":"N""#, \.subLocality, "N"),
      (#""county":"C""#, \.subAdministrativeArea, "C"),
      (#""state":"S","ISO3166-2-lvl4":"AT-8""#, \.administrativeArea, "S"),
      (#""province":"P""#, \.administrativeArea, "P"),
      (
        #""ISO3166-2-lvl6":"X-6","ISO3166-2-lvl4":"DE-BE","ISO3166-2-lvlx":"no""#,
        \.administrativeArea, "DE-BE"
      ),
      (#""country_code":"at""#, \.isoCountryCode, "AT"),
      (#""country_code":"a1""#, \.isoCountryCode, nil),
      (#""country_code":"aut""#, \.isoCountryCode, nil), (#""city":"""#, \.locality, nil),
      (#""city":"A","city":"B""#, \.locality, "A"), (#""city":"A","city":"""#, \.locality, "A"),
    ] as [(String, Member, String?)])
  func membersOfTheAddressAreMapped(_ members: String, to member: Member, value: String?) throws {
    guard let place = try? Self.place(#""address":{\#(members)}"#) else {
      #expect(value == nil)
      return
    }
    #expect(place[keyPath: member] == value)
  }

  @Test(
    arguments: [
      (#""name":"N","display_name":"D, E""#, "N"), (#""name":"","display_name":"D, E""#, "D"),
      (#""name":null,"address":{"road":"R"},"display_name":"1, R""#, "R"), (#""x":1"#, nil),
      (#""display_name":"""#, nil), (#""name":{},"display_name":[]"#, nil),
    ] as [(String, String?)])
  func theNameIsTakenFromTheFirstMember(_ members: String, _ name: String?) throws {
    #expect(try Self.place(members)?.name == name)
  }

  /// Members of unexpected types are absent; the place itself is read.
  @Test(arguments: [
    #""address":[]"#, #""address":null"#, #""address":{"city":["x"],"town":{}}"#,
    #""address":{"city":true}"#, #""extratags":{"population":"many"}"#,
    #""extratags":{"population":"-3"}"#, #""extratags":7"#,
    #""extratags":{"population":"99999999999999999999999"}"#, #""boundingbox":"x""#,
    #""boundingbox":["1","2","3"]"#, #""boundingbox":["nan","2","3","4"]"#,
    #""boundingbox":["2","1","3","4"]"#, #""boundingbox":[null,{},"3","4"]"#,
    #""boundingbox":["1e999","1","3","4"]"#, #""licence":9"#, #""name":1e999"#, #""osm_id":{}"#,
    #""name":["x"]"#, #""display_name":false"#,
  ])
  func membersOfUnexpectedTypesAreAbsent(_ members: String) throws {
    let place = try #require(try Self.place(members))
    #expect(place.locality == nil)
    #expect(place.population == nil)
    #expect(place.region == nil)
  }

  @Test(arguments: [
    "", " ", "null", "7", "\"x\"", "true", "[", "{", "{}", "[]", "nan", "{\"lat\":\"1\"}",
    #"{"lat":"x","lon":"2"}"#, #"{"lat":"nan","lon":"2"}"#, #"{"lat":"91","lon":"2"}"#,
    #"{"lat":"1","lon":"-180.1"}"#, #"{"lat":"inf","lon":"2"}"#, #"{"lat":NaN,"lon":2}"#,
    #"{"lat":null,"lon":2}"#, #"{"lat":[1],"lon":2}"#, #"{"error":"Bad"}"#, #"{"error":{}}"#,
    #"{"lat":"1","lon":"2""#, #"{"lat":"1","lon":"2","x":"\ud800"}"#, "\u{FEFF}x", "<html>",
    String(repeating: "[", count: 100_000), String(repeating: #"{"a":"#, count: 100_000),
    #"{"address":"# + String(repeating: "[", count: 100_000) + "}",
  ])
  func malformedAnswersAreRejected(_ body: String) {
    #expect(throws: NominatimAnswer.Malformed.self) {
      try NominatimAnswer.place(in: Data(body.utf8))
    }
    // An empty list is the answer to a search without results.
    let isEmpty = body == "[]"
    #expect(
      (try? NominatimAnswer.places(in: Data(body.utf8), limit: 10))?.isEmpty
        == (isEmpty ? true : nil))
    #expect((try? PhotonAnswer.places(in: Data(body.utf8), limit: 10)) == nil)
  }

  @Test func coordinatesMayBeNumbers() throws {
    let body = Data(#"{"lat":1.5,"lon":-2}"#.utf8)
    let place = try #require(try NominatimAnswer.place(in: body).first)
    #expect(place.coordinate == Coordinate(checkedLatitude: 1.5, longitude: -2))
  }

  @Test func theNumberOfPlacesIsLimited() throws {
    let one = #"{"lat":"1","lon":"2"}"#
    let body = Data("[\(Array(repeating: one, count: 50).joined(separator: ","))]".utf8)
    #expect(try NominatimAnswer.places(in: body, limit: 3).count == 3)
  }

  /// With any byte of an answer changed, the result is a place or an error, and never a crash.
  @Test(.longWork) func anyChangedByteDoesNotTrap() {
    var generator = SplitMix64(seed: 11)
    let bytes = Array("[\(Answers.vaduz)]".utf8)
    for index in bytes.indices {
      var changed = bytes
      changed[index] = UInt8.random(in: 0...255, using: &generator)
      _ = try? NominatimAnswer.places(in: Data(changed), limit: 10)
      _ = try? NominatimAnswer.place(in: Data(changed.dropFirst().dropLast()))
      _ = try? NominatimAnswer.places(in: Data(bytes[..<index]), limit: 10)
    }
  }

  @Test(arguments: ["7", "\"x\"", "null", #"{"lat":"1e400","lon":"2"}"#, "{}"])
  func unusableResultIsOmitted(_ bad: String) throws {
    let good = #"{"lat":"1","lon":"2","name":"A"}"#
    let places = try NominatimAnswer.places(in: Data("[\(bad),\(good),\(bad)]".utf8), limit: 1)
    #expect(places.map(\.name) == ["A"])
    let feature = #"{"geometry":{"coordinates":[2,1]},"properties":{"name":"A"}}"#
    let features = try PhotonAnswer.places(
      in: Data("{\"features\":[\(bad),\(feature)]}".utf8), limit: 1)
    #expect(features.map(\.name) == ["A"])
  }
}
