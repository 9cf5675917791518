import FoundationEssentials
import TestSupport
import Testing

@testable import OfflineGeocoder

/// Compares the names of divisions with GeoNames' own.
@Suite(.inTurn) struct DivisionNameTests {
  private static let folder = ProcessInfo.processInfo.environment["ASYNC_LOCATION_PLACES"]

  private struct Division: Decodable {
    let code: String
    let name: String
  }

  @Test(
    .enabled(
      if: folder != nil,
      "set ASYNC_LOCATION_PLACES to a folder with GeoNames' divisions in admin1.json"))
  func namesMatchGeoNames() throws {
    let file = URL(fileURLWithPath: try #require(Self.folder)).appendingPathComponent("admin1.json")
    let expected = Dictionary(
      try JSONDecoder().decode([Division].self, from: Data(contentsOf: file)).map {
        ($0.code, $0.name)
      }, uniquingKeysWith: { first, _ in first })
    let gazetteer = Gazetteer.embedded
    let folding = FoldingTable(gazetteer: gazetteer)
    var codes: [String: Set<String>] = [:]
    for (code, name) in expected {
      codes[country(code) + Self.essence(name, folding), default: []].insert(code)
    }
    var (equal, unnamed, unknown, respelled) = (0, 0, 0, 0)
    for division in 0..<gazetteer.divisionCount {
      let country = gazetteer.countryCode(gazetteer.country(ofDivision: division)).string
      let code = "\(country).\(gazetteer.divisionCode(division).string)"
      let name = gazetteer.divisionName(division).string
      let essence = Self.essence(name, folding)
      switch expected[code] {
      case _ where name.isEmpty: unnamed += 1
      case nil: unknown += 1
      case let geoNamesName? where Self.essence(geoNamesName, folding) == essence: equal += 1
      case let geoNamesName?:
        respelled += 1
        // A name in another language or spelling must not be the name of another division.
        #expect(
          codes[country + essence] == nil,
          "\(code) is \(geoNamesName), and \(name) is another division")
      }
    }
    print(
      "Divisions: \(equal) have GeoNames' name, \(respelled) another spelling of it, "
        + "\(unnamed) none; \(unknown) are unknown to GeoNames.")
    #expect(equal > 2_000)
  }

  private func country(_ code: String) -> String { String(code.prefix { $0 != "." }) }

  /// The folded name without the words that name the kind of division.
  private static func essence(_ name: String, _ folding: FoldingTable) -> String {
    let words = String(decoding: folding.fold(name), as: UTF8.self).split(separator: " ")
    let kinds: Set<Substring> = [
      "province", "county", "district", "region", "governorate", "department", "prefecture",
      "division", "parish", "municipality", "oblast", "raion", "rayon", "state", "of", "city",
      "wilaya",
    ]
    return words.filter { !kinds.contains($0) }.joined()
  }
}
