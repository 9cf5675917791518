import FoundationEssentials
import TestSupport
import Testing

/// Checks "Coming from Core Location": its rows, and the symbols and tests that they name.
@Suite(.inTurn) struct CoreLocationTableTests {
  struct Table: Sendable, CustomTestStringConvertible {
    let title: String
    let members: [String]

    var testDescription: String { title }
  }

  static let tables = [
    Table(
      title: "Endpoints",
      members: [
        "accuracyAuthorization", "authorizationStatus", "delegate",
        "dismissHeadingCalibrationDisplay", "heading", "headingAvailable", "isRangingAvailable",
        "location", "locationServicesEnabled", "maximumRegionMonitoringDistance",
        "monitoredRegions", "requestAlwaysAuthorization", "requestLocation",
        "requestWhenInUseAuthorization", "requestTemporaryFullAccuracyAuthorization", "set",
        "significantLocationChangeMonitoringAvailable", "startMonitoringForRegion",
        "stopMonitoringForRegion", "startMonitoringSignificantLocationChanges",
        "stopMonitoringSignificantLocationChanges", "startMonitoringVisits",
        "stopMonitoringVisits", "startUpdatingHeading", "stopUpdatingHeading",
        "startUpdatingLocation", "stopUpdatingLocation",
      ]),
    Table(
      title: "Actions",
      members: [
        "didChangeAuthorization", "didDetermineState", "didEnterRegion", "didExitRegion",
        "didFailRanging", "didFailWithError", "didFinishDeferredUpdates",
        "didPauseLocationUpdates", "didResumeLocationUpdates", "didStartMonitoring",
        "didUpdateHeading", "didUpdateLocations", "didUpdateTo", "didVisit", "monitoringDidFail",
        "didRangeBeacons",
      ]),
    Table(
      title: "Properties",
      members: [
        "activityType", "allowsBackgroundLocationUpdates", "desiredAccuracy", "distanceFilter",
        "headingFilter", "headingOrientation", "pausesLocationUpdatesAutomatically",
        "showsBackgroundLocationIndicator",
      ]),
  ]

  private struct Row {
    let member: String
    let symbol: String
    let test: String

    /// Returns nil unless the line is a row of a table with four columns, other than its header.
    init?(_ line: Substring) {
      let cells = line.split(separator: "|").map {
        String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
      }
      guard cells.count == 4, cells[0].hasPrefix("`") else { return nil }
      member = cells[0].filter { $0 != "`" }
      symbol = cells[1].filter { $0 != "`" }
      test = cells[3].filter { $0 != "`" }
    }
  }

  private static let root = String(
    #filePath.dropLast(
      "Tests/AsyncLocationTests/Documentation/CoreLocationTableTests.swift".count))

  private static func text(_ path: String) throws -> String {
    let data = try #require(FileManager.default.contents(atPath: root + path), "no file \(path)")
    return String(decoding: data, as: UTF8.self)
  }

  private static func rows(of table: Table) throws -> [Row] {
    let article = try text("Sources/AsyncLocation/AsyncLocation.docc/ComingFromCoreLocation.md")
    let section = article.split(separator: "\n## ").first { $0.hasPrefix(table.title + "\n") }
    return try #require(section).split(separator: "\n").compactMap(Row.init)
  }

  @Test(arguments: tables)
  func everyMemberHasARow(_ table: Table) throws {
    #expect(try Self.rows(of: table).map(\.member) == table.members)
  }

  @Test func theTablesHaveTheExpectedNumberOfMembers() {
    #expect(Self.tables.map(\.members.count) == [27, 16, 8])
  }

  /// The snippets compile, so a symbol that occurs in them exists. The documentation build checks
  /// the links.
  @Test(arguments: tables)
  func everySymbolCompiles(_ table: Table) throws {
    let snippets = try Self.text(
      "Tests/AsyncLocationTests/Documentation/CoreLocationSnippets.swift"
    )
    .split { !$0.isLetter }
    for row in try Self.rows(of: table) {
      let name = try #require(row.symbol.split(separator: "/").last).prefix { $0.isLetter }
      let compiles = snippets.contains(name)
      #expect(compiles, "CoreLocationSnippets does not use '\(row.symbol)'.")
    }
  }

  @Test(arguments: tables)
  func everyTestExists(_ table: Table) throws {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: Self.root + "Tests")
    for row in try Self.rows(of: table) {
      let names = row.test.split(separator: ".")
      try #require(names.count == 2, "\(row.member) names no test")
      let path = try #require(
        paths.first { $0.hasSuffix("/\(names[0]).swift") }, "no file of \(row.test)")
      let file = try Self.text("Tests/\(path)")
      for declaration in ["struct \(names[0])", "func \(names[1])("] {
        let exists = file.contains(declaration)
        #expect(exists, "\(path) has no '\(declaration)'")
      }
    }
  }
}
