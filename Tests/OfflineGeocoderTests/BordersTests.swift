import AsyncLocation
import CGazetteer
import MockBackend
import TestSupport
import Testing

@testable import OfflineGeocoder

/// F85: countries near borders, and time zones where the nearest place has another one.
@Suite(.inTurn) struct BordersTests {
  struct Point: Sendable, CustomTestStringConvertible {
    let name: String
    let latitude: Double
    let longitude: Double
    let country: String

    var testDescription: String { "\(name), \(country)" }

    init(_ name: String, _ latitude: Double, _ longitude: Double, _ country: String) {
      (self.name, self.latitude, self.longitude, self.country) = (
        name, latitude, longitude, country
      )
    }

    func coordinate() throws -> Coordinate {
      try Coordinate(latitude: latitude, longitude: longitude)
    }
  }

  /// Points near borders that are rivers or go through towns, small countries, and points far from
  /// any place.
  static let points = [
    Point("Konstanz", 47.680, 9.175, "DE"), Point("Kreuzlingen", 47.640, 9.175, "CH"),
    Point("Basel", 47.548, 7.588, "CH"), Point("Weil am Rhein", 47.595, 7.625, "DE"),
    Point("Saint-Louis", 47.590, 7.555, "FR"), Point("Tornio", 65.850, 24.190, "FI"),
    Point("Haparanda", 65.835, 24.090, "SE"), Point("Gorizia", 45.945, 13.605, "IT"),
    Point("Nova Gorica", 45.955, 13.665, "SI"), Point("El Paso", 31.790, -106.450, "US"),
    Point("Ciudad Juárez", 31.690, -106.430, "MX"), Point("Detroit", 42.345, -83.060, "US"),
    Point("Windsor", 42.290, -83.020, "CA"), Point("Ruse", 43.835, 25.960, "BG"),
    Point("Giurgiu", 43.900, 25.970, "RO"), Point("Monte Carlo", 43.738, 7.424, "MC"),
    Point("Sha Tin", 22.380, 114.190, "HK"), Point("Shenzhen", 22.560, 114.050, "CN"),
    Point("Macao", 22.200, 113.545, "MO"), Point("Vatican City", 41.9024, 12.4533, "VA"),
    Point("Livingstone", -17.850, 25.860, "ZM"), Point("Victoria Falls", -17.940, 25.820, "ZW"),
    Point("Kinshasa", -4.350, 15.310, "CD"), Point("Brazzaville", -4.250, 15.260, "CG"),
    Point("the Sahara", 25.000, 1.000, "DZ"), Point("the Gobi", 42.000, 108.000, "CN"),
    Point("Greenland's ice", 72.000, -40.000, "GL"), Point("Taymyr", 75.000, 100.000, "RU"),
    Point("Antarctica", -80.000, 90.000, "AQ"), Point("Taveuni", -16.850, -179.970, "FJ"),
  ]

  @Test("F85 a point has the country of its region", arguments: points)
  func country(_ point: Point) async throws {
    var geocoder = OfflineGeocoder()
    geocoder.maximumDistance = .infinity
    let placemark: Placemark?
    do {
      placemark = try await geocoder.reverseGeocode(point.coordinate()).first
    } catch let error as LocationError where error.code == .geocodeFoundPartialResult {
      placemark = error.partialPlacemarks.first
    }
    #expect(placemark?.isoCountryCode == point.country)
    #expect(placemark?.country != nil)
  }

  @Test("F85 a point in a country without places has a partial result", arguments: [-90.0, -75])
  func withoutPlaces(_ latitude: Double) async throws {
    let point = try Coordinate(latitude: latitude, longitude: 90)
    let error = await #expect(throws: LocationError.self) {
      try await OfflineGeocoder().reverseGeocode(point)
    }
    #expect(error?.code == .geocodeFoundPartialResult)
    let placemark = error?.partialPlacemarks.first
    #expect(placemark?.name == "Antarctica")
    #expect(placemark?.isoCountryCode == "AQ")
    #expect(placemark?.coordinate == point)
  }

  @Test("F85 a point far from places has a partial result with country and time zone")
  func farFromPlaces() async throws {
    let point = try Coordinate(latitude: 73, longitude: 102)
    let error = await #expect(throws: LocationError.self) {
      try await OfflineGeocoder().reverseGeocode(point)
    }
    let placemark = error?.partialPlacemarks.first
    #expect(placemark?.isoCountryCode == "RU")
    #expect(placemark?.timeZone == "Asia/Krasnoyarsk")
  }

  /// Points whose nearest place has, or may have, another time zone.
  static let zones = [
    ("east of West Wendover, Nevada", 40.50, -113.61, "America/Denver"),
    ("west of Mohave Valley, Arizona", 34.99, -114.73, "America/Los_Angeles"),
    ("west of Grande Cache, Alberta", 53.60, -119.96, "America/Vancouver"),
    ("east of Kununurra, Western Australia", -17.48, 129.67, "Australia/Darwin"),
    ("north of Lightning Ridge, New South Wales", -28.66, 147.11, "Australia/Brisbane"),
    ("west of Petrovsk-Zabaykalsky, Transbaikal", 51.51, 109.02, "Asia/Irkutsk"),
    ("Atlin, British Columbia", 59.58, -133.69, "America/Vancouver"),
    ("Dease Lake, British Columbia", 58.44, -130.03, "America/Vancouver"),
    ("Wilcannia, New South Wales", -31.56, 143.38, "Australia/Sydney"),
    ("Tibooburra, New South Wales", -29.43, 142.01, "Australia/Sydney"),
  ]

  /// Points at the rectangles and meridians that divide time zones within a division.
  static let areas = [
    ("Qaanaaq", 77.47, -69.23, "America/Thule"),
    ("Pituffik", 76.53, -68.70, "America/Thule"),
    ("Kullorsuaq, south of Savissivik", 74.58, -57.20, "America/Nuuk"),
    ("Danmarkshavn", 76.77, -18.67, "America/Danmarkshavn"),
    ("Taloyoak", 69.54, -93.53, "America/Cambridge_Bay"),
    ("Kugaaruk", 68.53, -89.83, "America/Cambridge_Bay"),
    ("Chesterfield Inlet", 63.34, -90.71, "America/Rankin_Inlet"),
    ("Grise Fiord", 76.42, -82.90, "America/Iqaluit"),
    ("Coral Harbour", 64.14, -83.17, "America/Atikokan"),
    ("Toad River", 58.85, -125.23, "America/Fort_Nelson"),
    ("Silverton", -31.88, 141.22, "Australia/Broken_Hill"),
    ("Eucla", -31.68, 128.88, "Australia/Eucla"),
    ("Blanc-Sablon", 51.43, -57.13, "America/Blanc-Sablon"),
  ]

  /// Settlements for which GeoNames has a wrong time zone.
  static let corrected = [
    ("Ust-Nera", 64.57, 143.24, "Asia/Ust-Nera"),
    ("Khandyga", 62.65, 135.57, "Asia/Khandyga"),
    ("Ust-Maya", 60.42, 134.54, "Asia/Khandyga"),
    ("Valle Hermoso", 25.673, -97.813, "America/Matamoros"),
    ("Méndez", 25.118, -98.587, "America/Monterrey"),
    ("Allende", 28.341, -100.851, "America/Matamoros"),
    ("Samalayuca", 31.344, -106.477, "America/Ciudad_Juarez"),
    ("Coyame", 29.462, -105.095, "America/Ojinaga"),
  ]

  @Test("F85 the region decides the time zone", arguments: zones + areas + corrected)
  func timeZone(
    _ name: String, latitude: Double, longitude: Double, zone: String
  ) async throws {
    var geocoder = OfflineGeocoder()
    geocoder.maximumDistance = .infinity
    let point = try Coordinate(latitude: latitude, longitude: longitude)
    #expect(try await geocoder.reverseGeocode(point).first?.timeZone == zone)
  }

  /// The nearest place to Resolute uses mountain time.
  @Test("F85 Resolute uses central time") func resolute() async throws {
    var geocoder = OfflineGeocoder()
    geocoder.maximumDistance = .infinity
    let point = try Coordinate(latitude: 74.70, longitude: -94.83)
    let zone = try await geocoder.reverseGeocode(point).first?.timeZone
    #expect(zone == "America/Rankin_Inlet" || zone == "America/Resolute")
  }

  /// The source data has borders that separate places from their countries. In the file, these
  /// borders are moved.
  @Test("F85 each place is in its country", .longWork)
  func places() throws {
    let (gazetteer, borders) = (Gazetteer.embedded, try #require(Borders.embedded))
    let tree = PlaceTree(nodes: gazetteer.places)
    var wrong: [String] = []
    for place in 0..<gazetteer.places.count {
      let point = try #require(tree.point(place).coordinate)
      guard let region = borders.region(at: point) else { continue }
      let country = gazetteer.country(ofDivision: gazetteer.division(place))
      if !gazetteer.countryCode(country).elementsEqual(borders.countryCode(region)) {
        wrong.append(gazetteer.name(place).string)
      }
    }
    // Places of two countries may share a pixel, which has one country.
    #expect(wrong.count < 10, "\(wrong)")
  }

  @Test("F85 the open sea has no region; the antimeridian and the South Pole have one")
  func seaAndEdges() throws {
    let borders = try #require(Borders.embedded)
    #expect(borders.region(at: try Coordinate(latitude: 0, longitude: -25)) == nil)
    #expect(borders.region(at: try Coordinate(latitude: 90, longitude: 0)) == nil)
    for longitude in [-180.0, 180] {
      let region = borders.region(at: try Coordinate(latitude: 66.5, longitude: longitude))
      #expect(region.map(borders.countryCode) == Array("RU".utf8))
    }
    #expect(borders.region(at: try Coordinate(latitude: -90, longitude: 180)) != nil)
  }

  @Test("F85 a damaged file gives wrong answers and does not trap", .longWork)
  func damage() throws {
    var random = SplitMix64(seed: 85)
    let whole = unsafe Array(UnsafeBufferPointer(start: borders_data(), count: borders_size()))
    for round in 0..<Rounds.of(200) {
      var bytes = whole
      // The odd rounds also damage most of the table of regions.
      for range in [20..<bytes.count, 20..<1_000].prefix(1 + round % 2) {
        for _ in 0..<1_000 {
          // The counts of regions and words are not changed: the decoder trusts those of its own
          // file.
          let index = Int.random(in: range, using: &random)
          bytes[index] = UInt8.random(in: .min ... .max, using: &random)
        }
      }
      try unsafe bytes.withUnsafeBytes { buffer in
        let borders = unsafe Borders(buffer)
        for _ in 0..<200 {
          let point = try Coordinate(
            latitude: .random(in: -90...90, using: &random),
            longitude: .random(in: -180...180, using: &random))
          if let region = borders.region(at: point) {
            #expect(borders.countryCode(region).count == 2)
            #expect(borders.timeZone(region).string.utf8.count <= 3 * 255)
          }
        }
      }
    }
  }
}
