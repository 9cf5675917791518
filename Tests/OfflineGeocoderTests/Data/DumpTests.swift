import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import OfflineGeocoder

#if canImport(Glibc)
  import Glibc
#endif

/// Opens a file that `scripts/gazetteer --dump` makes from a few rows in GeoNames' format.
@Suite(.inTurn) struct DumpTests {
  private static let tools =
    String(#filePath.dropLast("/Tests/OfflineGeocoderTests/Data/DumpTests.swift".count))
    + "/scripts/gazetteer-tools"

  private static let hasPython = system("command -v python3 >/dev/null 2>&1") == 0

  /// Makes a dump of files, whose rows are given by name, and calls a closure with its geocoder.
  private func withGeocoder(
    _ files: [String: String], _ body: (OfflineGeocoder) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("dump-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, rows) in files {
      // `|` stands for the tab, for readability.
      let text = rows.replacing("|", with: "\t") + "\n"
      try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    }
    let output = folder.appendingPathComponent("places.gazetteer").path
    let command =
      "python3 -B '\(Self.tools)/make.py' --dump '\(folder.path)' '\(output)' 2>/dev/null"
    try #require(await onThread { system(command) } == 0)
    try await body(OfflineGeocoder(contentsOf: output))
  }

  private static let files = [
    "cities500.txt": """
    1|Munich|Munich|Muenchen,München|48.13743|11.57549|P|PPLA|DE||02|091|09162||1260391||524|\
    Europe/Berlin|2024-01-01
    2|Schwabing|Schwabing||48.16|11.58|P|PPLX|DE||02|091|09162||60000||510|Europe/Berlin|2024-01-01
    3|Garching|Garching||48.24896|11.65101|P|PPL|DE||02|091|09184||17711||481|Europe/Berlin|\
    2024-01-01
    4|Old Town|Old Town||48.2|11.6|P|PPLH|DE||02|091|||0||500|Europe/Berlin|2024-01-01
    5|Taipei|Taipei|台北|25.04776|121.53185|P|PPLC|TW||03||||7871900||9|Asia/Taipei|2024-01-01
    """,
    "countryInfo.txt": """
    # ISO
    DE|DEU|276|GM|Germany|Berlin|357021|82927922|EU|.de|EUR|Euro|49|#####||de|2921044||
    TW|TWN|158|TW|Taiwan|Taipei|35980|23451837|AS|.tw|TWD|Dollar|886|#####||zh|1668284||
    """,
    "admin1CodesASCII.txt": """
    DE.02|Bavaria|Bavaria|2951839
    TW.03|Taipei City|Taipei City|7280290
    """,
    "admin2Codes.txt": """
    DE.02.091|Upper Bavaria|Upper Bavaria|2861322
    """,
    "alternateNamesV2.txt": """
    10|1|de|Minga||||1||
    11|1|de|Muenchen||1||||
    12|1|de|München|1|||||
    13|1|de|Monaco di Baviera||||||
    14|1|it|Monaco di Baviera||||||
    15|1|link|https://en.wikipedia.org/wiki/Munich||||||
    16|1|iata|MUC||||||
    17|1|it|Monaco||1||||
    18|1|fr|Munich-la-Vieille|||1|||
    20|2951839|de|Bayern||||||
    21|2921044|de|Deutschland||||||
    22|2921044|fr|Allemagne||||||
    30|5|zh|台北||||||
    31|5|zh-Hant|臺北||||||
    32|999|de|Nirgendwo||||||
    """,
  ]

  /// Preferred languages, and the expected names of the place, its division and its country.
  struct Wanted: Sendable, CustomTestStringConvertible {
    let languages: [String]
    let names: [String?]
    var testDescription: String { languages.joined(separator: ", ") }

    init(_ languages: String..., names: [String?]) {
      (self.languages, self.names) = (languages, names)
    }
  }

  @Test(
    .enabled(if: hasPython, "needs python3"),
    arguments: [
      Wanted(names: ["Munich", "Bavaria", "Germany"]),
      Wanted("de", names: ["München", "Bayern", "Deutschland"]),
      Wanted("de-AT", names: ["München", "Bayern", "Deutschland"]),
      Wanted("DE_at.UTF-8", names: ["München", "Bayern", "Deutschland"]),
      Wanted("it", names: ["Monaco di Baviera", "Bavaria", "Germany"]),
      Wanted("it", "fr", "de", names: ["Monaco di Baviera", "Bayern", "Allemagne"]),
      Wanted("xx", "link", "iata", names: ["Munich", "Bavaria", "Germany"]),
    ])
  func namesAreInThePreferredLanguage(_ wanted: Wanted) async throws {
    try await withGeocoder(Self.files) { geocoder in
      let point = try Coordinate(latitude: 48.137, longitude: 11.575)
      let locale = GeocodingLocale(languages: wanted.languages)
      let nearest = try #require(try await geocoder.reverseGeocode(point, locale: locale).first)
      #expect(
        [nearest.name, nearest.administrativeArea, nearest.country] == wanted.names)
      #expect(nearest.locality == wanted.names[0])
      let found = try await geocoder.geocode("Munich, Germany", locale: locale)
      #expect(found.first?.name == wanted.names[0])
    }
  }

  @Test(.enabled(if: hasPython, "needs python3"))
  func localesChooseTheScript() async throws {
    try await withGeocoder(Self.files) { geocoder in
      for (tag, name) in [
        ("zh", "台北"), ("zh-Hant-TW", "臺北"), ("zh-hant", "臺北"), ("zh-Hans", "台北"),
      ] {
        let taipei = try await geocoder.geocode("Taipei", locale: .init(tag)).first
        #expect(taipei?.name == name, "in \(tag)")
      }
    }
  }

  @Test(.enabled(if: hasPython, "needs python3"))
  func subdivisionsAndCitiesAreNamed() async throws {
    try await withGeocoder(Self.files) { geocoder in
      let schwabing = try await geocoder.reverseGeocode(
        Coordinate(latitude: 48.16, longitude: 11.58), locale: "de")
      #expect(schwabing.map(\.name) == ["Schwabing", "München"])
      #expect(schwabing.first?.locality == "München")
      #expect(schwabing.first?.subLocality == "Schwabing")
      #expect(schwabing.first?.subAdministrativeArea == "Upper Bavaria")
      let garching = try #require(try await geocoder.geocode("Garching").first)
      #expect(garching.subAdministrativeArea == "Upper Bavaria")
      #expect(garching.locality == "Garching")
      #expect(try await geocoder.geocode("Taipei").first?.subAdministrativeArea == nil)
      // Historical places are left out.
      let historical = await #expect(throws: LocationError.self) {
        try await geocoder.geocode("Old Town")
      }
      #expect(historical?.code == .geocodeFoundNoResult)
    }
  }

  @Test(.enabled(if: hasPython, "needs python3"))
  func optionalFilesMayBeMissing() async throws {
    var files = Self.files
    files["admin2Codes.txt"] = nil
    files["alternateNamesV2.txt"] = nil
    try await withGeocoder(files) { geocoder in
      let munich = try #require(try await geocoder.geocode("München", locale: "de").first)
      #expect(munich.name == "Munich")
      #expect(munich.subAdministrativeArea == nil)
      #expect(munich.administrativeArea == "Bavaria")
    }
  }
}
