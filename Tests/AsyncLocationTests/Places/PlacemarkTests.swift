import FoundationEssentials
import TestSupport
import Testing

@testable import AsyncLocation

/// Returns a placemark with only a coordinate and a name.
func place(_ name: String, _ latitude: Double, _ longitude: Double) -> Placemark {
  var placemark = Placemark(coordinate: at(latitude, longitude))
  placemark.name = name
  return placemark
}

@Suite(.inTurn) struct PlacemarkTests {
  static func full() throws -> Placemark {
    var placemark = place("Rathaus", 47.139, 9.522)
    placemark.thoroughfare = "Städtle"
    placemark.subThoroughfare = "6"
    placemark.locality = "Vaduz"
    placemark.subLocality = "Oberdorf"
    placemark.administrativeArea = "Oberland"
    placemark.subAdministrativeArea = "Vaduz"
    placemark.postalCode = "9490"
    placemark.country = "Liechtenstein"
    placemark.isoCountryCode = "LI"
    placemark.timeZone = "Europe/Vaduz"
    placemark.region = CircularRegion(center: at(47.14, 9.52), radius: 2_000, identifier: "Vaduz")
    placemark.population = 5_450
    placemark.source = "GeoNames"
    placemark.attribution = "GeoNames, CC BY 4.0"
    return placemark.measured(from: at(47.139, 9.523))
  }

  @Test func aPlacemarkStoresEveryMember() throws {
    let placemark = Placemark(
      coordinate: at(47.139, 9.522), name: "Rathaus", thoroughfare: "Städtle",
      subThoroughfare: "6", locality: "Vaduz", subLocality: "Oberdorf",
      administrativeArea: "Oberland", subAdministrativeArea: "Vaduz", postalCode: "9490",
      country: "Liechtenstein", isoCountryCode: "LI", timeZone: "Europe/Vaduz",
      region: CircularRegion(center: at(47.14, 9.52), radius: 2_000, identifier: "Vaduz"),
      population: 5_450, source: "GeoNames", attribution: "GeoNames, CC BY 4.0")
    #expect(placemark.measured(from: at(47.139, 9.523)) == (try Self.full()))
    #expect(Placemark(coordinate: at(1, 2), population: -1).population == nil)
  }

  @Test func jsonIsFlatAndRoundTrips() throws {
    let full = try Self.full()
    let data = try JSONEncoder().encode(full)
    #expect(try JSONDecoder().decode(Placemark.self, from: data) == full)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let least = try encoder.encode(place("Vaduz", 47.5, 9.5))
    #expect(
      String(decoding: least, as: UTF8.self)
        == #"{"latitude":47.5,"longitude":9.5,"name":"Vaduz"}"#)
  }

  @Test(
    arguments: [
      #"{"latitude":91,"longitude":9}"#, #"{"latitude":1,"longitude":9,"distance":-1}"#,
      #"{"longitude":9}"#, #"{"latitude":1,"longitude":9,"name":7}"#,
    ])
  func invalidJSONIsRefused(_ json: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Placemark.self, from: Data(json.utf8))
    }
  }

  @Test func distancesAreGeodesic() {
    let island = place("Rabi", -16.5, 180)
    #expect(island.distance == nil)
    #expect(island.measured(from: at(-16.5, -180)).distance == 0)
    #expect(place("Pole", 90, 17).measured(from: at(90, -100)).distance == 0)
    let far = place("Quito", 0, -78).measured(from: at(0, -79))
    #expect(abs((far.distance ?? 0) - 111_319.49) < 0.01)
  }

  @Test func aPlacePrintsItsDistance() throws {
    var island = place("Rabi", -16.5, 180)
    #expect(!"\(island)".contains("distance"))
    island.distance = 1_250.5
    #expect("\(island)".contains(#"name: "Rabi", distance: 1250.5 m"#), "\(island)")
    let full = try Self.full()
    #expect("\(full)".contains("population: 5450, distance: "), "\(full)")
    #expect(Mirror(reflecting: island).children.contains { $0.label == "distance" })
  }

  @Test func aPopulationIsNotNegative() throws {
    var placemark = place("Atlantis", 0, 0)
    placemark.population = -1
    #expect(placemark.population == nil)
    let json = Data(#"{"latitude":1,"longitude":9,"population":-5}"#.utf8)
    #expect(try JSONDecoder().decode(Placemark.self, from: json).population == nil)
  }

  @Test func descriptionsEscapeControlCharacters() {
    #expect(
      "\(place("Va\u{1B}duz", 47.5, 9.5))"
        == #"Placemark(latitude: 47.5°, longitude: 9.5°, name: "Va\u{1b}duz")"#)
  }

  @Test func partialResultCarriesThePlacemarks() {
    let found = [place("Horta", 38.5, -28.6)]
    let error = LocationError.geocodePartialResult(found, "The nearest place is far away.")
    #expect(error.code == .geocodeFoundPartialResult)
    #expect(!error.isTransient)
    #expect(error.partialPlacemarks == found)
    #expect(!"\(error) \(error.cause.map { "\($0)" } ?? "")".contains("38"), "F42")
    #expect(LocationError(.geocodeFoundNoResult, "None.").partialPlacemarks == [])
    let measured = error.measured(from: at(38.5, -28.6)).partialPlacemarks
    #expect(measured.map(\.distance) == [0])
  }

  @Test func missingOptionsGetTheirDefaults() throws {
    let empty = Data("{}".utf8)
    #expect(try JSONDecoder().decode(PlacemarkOptions.self, from: empty) == PlacemarkOptions())
  }
}

@Suite(.inTurn) struct GeocodingLocaleTests {
  static let texts: [(String, [String])] = [
    ("de", ["de"]), ("pt-BR", ["pt-BR"]), ("de_AT.UTF-8", ["de-AT"]), ("ca@valencia", ["ca"]),
    ("C", []), ("POSIX", []), ("", []), ("-de", []), ("de\r\nHost: x", []), ("de;q=1", []),
    ("日本", []), (String(repeating: "a", count: 36), []),
  ]

  @Test(arguments: texts)
  func identifiersAreNormalizedOrDiscarded(_ text: String, _ languages: [String]) {
    #expect(GeocodingLocale(text).languages == languages)
  }

  @Test func duplicatesAreRemovedInOrder() {
    #expect(GeocodingLocale(languages: ["de", "en", "de-", "de"]).languages == ["de", "en"])
    let many = GeocodingLocale(languages: (0..<100).map { "x\($0)" })
    #expect(many.languages.count == GeocodingLocale.limit)
  }

  @Test func aLocaleIsCodedAsAnArray() throws {
    let locale: GeocodingLocale = "de-AT"
    let data = try JSONEncoder().encode(locale)
    #expect(String(decoding: data, as: UTF8.self) == #"["de-AT"]"#)
    #expect(try JSONDecoder().decode(GeocodingLocale.self, from: data) == locale)
  }
}
