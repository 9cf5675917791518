import FoundationEssentials
import Testing

@testable import OfflineGeocoder

/// Compares the names of divisions with GeoNames' own.
@Suite struct DivisionNameTests {
  private static let folder = ProcessInfo.processInfo.environment["ASYNC_LOCATION_PLACES"]

  private struct Division: Decodable {
    let code: String
    let name: String
  }

  @Test(
    .enabled(
      if: folder != nil,
      "set ASYNC_LOCATION_PLACES to a folder with GeoNames' divisions in admin1.json"))
  func namesAreThoseOfGeoNames() throws {
    let file = URL(fileURLWithPath: try #require(Self.folder)).appendingPathComponent("admin1.json")
    let expected = Dictionary(
      try JSONDecoder().decode([Division].self, from: Data(contentsOf: file)).map {
        ($0.code, $0.name)
      }, uniquingKeysWith: { first, _ in first })
    let gazetteer = Gazetteer.embedded
    let folding = FoldingTable(gazetteer: gazetteer)
    var (equal, unnamed, unknown) = (0, 0, 0)
    var different: [String] = []
    for division in 0..<gazetteer.divisionCount {
      let country = gazetteer.countryCode(gazetteer.country(ofDivision: division)).string
      let code = "\(country).\(gazetteer.divisionCode(division).string)"
      let name = gazetteer.divisionName(division).string
      switch expected[code] {
      case _ where name.isEmpty: unnamed += 1
      case nil: unknown += 1
      case let right? where folding.fold(right) == folding.fold(name): equal += 1
      case let right?: different.append("\(code): \(name) for \(right)")
      }
    }
    print(
      "Divisions: \(equal) equal, \(different.count) different, \(unnamed) without a name, "
        + "\(unknown) unknown to GeoNames")
    print(different.sorted().joined(separator: "\n"))
  }
}
