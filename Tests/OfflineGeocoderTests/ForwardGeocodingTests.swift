import AsyncLocation
import OfflineGeocoder
import TestSupport
import Testing

@Suite(.inTurn) struct ForwardGeocodingTests {
  private let geocoder = OfflineGeocoder()

  struct Search: Sendable, CustomTestStringConvertible {
    let query: String
    let name: String
    let country: String
    var testDescription: String { query }

    init(_ query: String, _ name: String, _ country: String) {
      (self.query, self.name, self.country) = (query, name, country)
    }
  }

  static let spellings = [
    Search("ZÜRICH", "Zürich", "CH"),
    Search("zurich", "Zürich", "CH"),
    Search("  Zu\u{308}rich ", "Zürich", "CH"),
    Search("Gießen", "Gießen", "DE"),
    Search("GIESSEN", "Gießen", "DE"),
    Search("st. gallen", "Sankt Gallen", "CH"),
    Search("tromso", "Tromsø", "NO"),
    Search("Stratford-upon-Avon", "Stratford-upon-Avon", "GB"),
    Search("stratford upon avon", "Stratford-upon-Avon", "GB"),
    Search("ﬁrenze", "Florence", "IT"),
    Search("Μόσχα", "Moscow", "RU"),
    Search("ＴＯＫＹＯ", "Tokyo", "JP"),
    Search("Köln", "Köln", "DE"),
    Search("Koln", "Köln", "DE"),
    Search("Koeln", "Köln", "DE"),
    Search("München", "Munich", "DE"),
    Search("muenchen", "Munich", "DE"),
    Search("MUNICH", "Munich", "DE"),
    Search("Großenhain", "Großenhain", "DE"),
    Search("grossenhain", "Großenhain", "DE"),
    Search("SÃO PAULO", "São Paulo", "BR"),
    Search("İSTANBUL", "Istanbul", "TR"),
    Search("istanbul", "Istanbul", "TR"),
    Search("ŁÓDŹ", "Łódź", "PL"),
    Search("東京", "Tokyo", "JP"),
    Search("paris", "Paris", "FR"),
    // A place with this alternate name, much larger than any place with this main name.
    Search("Cologne", "Köln", "DE"),
    Search("Roma", "Rome", "IT"),
    Search("Odessa", "Odesa", "UA"),
    Search("Malaga", "Málaga", "ES"),
    Search("León", "León de los Aldama", "MX"),
    // The place with this main name. A place with this alternate name is larger, but not by enough.
    Search("Islamabad", "Islamabad", "PK"),
    Search("cancun", "Cancún", "MX"),
    Search("santa ana", "Santa Ana", "US"),
    Search("Paris", "Paris", "FR"),
    // With a wrong letter after the comma.
    Search("Paris, Texass", "Paris", "US"),
    Search("London, Ontarrio", "London", "CA"),
    Search("Perth, Scotlnd", "Perth", "GB"),
    Search("Athens, Gerogia", "Athens", "US"),
    Search("Vienna, Virgina", "Vienna", "US"),
    // With a common abbreviation.
    Search("St. Pölten", "Sankt Pölten", "AT"),
    Search("st polten, austria", "Sankt Pölten", "AT"),
    Search("Mt. Vernon, NY", "Mount Vernon", "US"),
    Search("Ft Worth", "Fort Worth", "US"),
    // In capitals, equal to the code of a division.
    Search("QOM", "Qom", "IR"), Search("VAN", "Van", "TR"),
    // With two parts and no comma.
    Search("Paris TX USA", "Paris", "US"), Search("Sydney NSW Australia", "Sydney", "AU"),
    Search("München Bayern Deutschland", "Munich", "DE"),
    // With shortened words.
    Search("Freiburg i. Br.", "Freiburg", "DE"),
    Search("Frankfurt/Main", "Frankfurt am Main", "DE"),
    Search("Frankfurt a. M., Germany", "Frankfurt am Main", "DE"),
    Search("Limburg a.d. Lahn", "Limburg an der Lahn", "DE"),
    Search("Newcastle u. Tyne", "Newcastle upon Tyne", "GB"),
    // With postal codes.
    Search("10115 Berlin", "Berlin", "DE"),
    Search("Paris 75001", "Paris", "FR"),
    Search("SW1A 1AA London", "London", "GB"),
    // Without a comma.
    Search("Paris TX", "Paris", "US"),
    Search("san jose costa rica", "San José", "CR"),
    Search("Cambridge United Kingdom", "Cambridge", "GB"),
    Search("New York", "New York City", "US"),
    // An unknown part contradicts nothing; a part that is a place must be near.
    Search("Bern, Alpenland", "Bern", "CH"),
    Search("Kensington, London", "Kensington", "GB"),
    Search("Chelsea, Boston", "Chelsea", "US"),
    Search("Amsterdam, Netherlands", "Amsterdam", "NL"),
    Search("Nassau, Bahamas", "Nassau", "BS"),
    // The beginning of a name.
    Search("ber", "Berlin", "DE"),
    Search("Reykjav", "Reykjavík", "IS"),
    Search("san franc", "San Francisco", "US"),
    // A letter that is wrong, missing, added, or swapped.
    Search("Dresdeb", "Dresden", "DE"),
    Search("Reykavik", "Reykjavík", "IS"),
    Search("Hambburg", "Hamburg", "DE"),
    Search("Stuttgrat", "Stuttgart", "DE"),
    Search("Мосвка", "Moscow", "RU"),
    Search("Dresdn, Germany", "Dresden", "DE"),
    // The divisions and countries of a place, by code and name.
    Search("Springfield, US, Illinois", "Springfield", "US"),
    Search("Springfield, US", "Springfield", "US"),
    Search("Paris, TX", "Paris", "US"),
    Search("paris, texas, usa", "Paris", "US"),
    Search("London, Ontario", "London", "CA"),
    Search("Cambridge, USA", "Cambridge", "US"),
    Search("Cambridge, UK", "Cambridge", "GB"),
    Search("Berlin, , Germany,", "Berlin", "DE"),
  ]

  @Test(arguments: spellings)
  func spellingIsFound(_ search: Search) async throws {
    let first = try #require(try await geocoder.geocode(search.query).first)
    #expect(first.name == search.name)
    #expect(first.isoCountryCode == search.country)
  }

  @Test func populousPlacesPrecedeOthersOfTheName() async throws {
    let paris = try await geocoder.geocode("paris")
    #expect(paris.count == OfflineGeocoder.limit)
    #expect(paris.first?.isoCountryCode == "FR")
    let populations = paris.filter { $0.name == "Paris" }.compactMap(\.population)
    #expect(populations.count > 5)
    #expect(populations == populations.sorted(by: >))
  }

  @Test func prefixesPreferMainNames() async throws {
    let places = try await geocoder.geocode("berl")
    #expect(places.first?.name == "Berlin")
    #expect(!places.contains { $0.name == "New York City" })
  }

  @Test func nearerPlacesComeFirst() async throws {
    let boston = try Coordinate(latitude: 42.36, longitude: -71.06)
    let first = try #require(try await geocoder.geocode("Springfield", near: boston).first)
    #expect(first.administrativeArea == "Massachusetts")
    #expect(first.distance == boston.distance(to: first.coordinate))
  }

  @Test func placeElsewhereIsAPartialResult() async throws {
    let error = await #expect(throws: LocationError.self) {
      try await geocoder.geocode("Vaduz, Japan")
    }
    #expect(error?.code == .geocodeFoundPartialResult)
    #expect(error?.partialPlacemarks.first?.name == "Vaduz")
  }

  @Test(arguments: ["Munich, Austria", "Vienna, Germany", "Madrid, France", "Bern, CA"])
  func partialResultsHaveNoDuplicates(_ name: String) async throws {
    let error = await #expect(throws: LocationError.self) { try await geocoder.geocode(name) }
    let places = try #require(error).partialPlacemarks
    #expect(Set(places.map(\.coordinate)).count == places.count)
  }

  @Test(arguments: ["Xqzzwk", "!!!", ",", " ", "a\u{0}b\u{0}c\u{0}d", "𒀀𒀀𒀀𒀀", "Xqzzwk, Germany"])
  func unknownNameHasNoResult(_ name: String) async throws {
    let error = await #expect(throws: LocationError.self) { try await geocoder.geocode(name) }
    #expect(error?.code == .geocodeFoundNoResult)
  }

  @Test(
    arguments: [
      "Georgia", "Georgia, USA", "Bavaria", "Germany", "Deutschland", "USA", "UK", "TX",
    ])
  func aRegionHasNoResult(_ name: String) async throws {
    let error = await #expect(throws: LocationError.self) { try await geocoder.geocode(name) }
    #expect(error?.code == .geocodeFoundNoResult)
    #expect(error?.message.contains("country or a division") == true)
  }

  @Test(arguments: ["", String(repeating: "a", count: 257)])
  func invalidNameIsRefused(_ name: String) async throws {
    let error = await #expect(throws: LocationError.self) { try await geocoder.geocode(name) }
    #expect(error?.code == .invalidValue)
  }

  @Test(arguments: [", US", ",", " , Paris"])
  func anEmptyNameHasNoResult(_ name: String) async {
    let error = await #expect(throws: LocationError.self) { try await geocoder.geocode(name) }
    #expect(error?.code == .geocodeFoundNoResult)
  }

  @Test func longNamesAreNotCorrected() async throws {
    // "X" replaces a letter.
    #expect(try await geocoder.geocode("San Salvador de JujXy")[0].isoCountryCode == "AR")
    let long = "San Fernando del Valle de Catamarca"
    #expect(try await geocoder.geocode(long)[0].isoCountryCode == "AR")
    let error = await #expect(throws: LocationError.self) {
      try await geocoder.geocode(long.replacing("Catamarca", with: "CatamXrca"))
    }
    #expect(error?.code == .geocodeFoundNoResult)
  }
}
