import Foundation
import TestSupport
import Testing

@testable import AsyncLocation

/// Compares areas with those of another library; `scripts/compare-areas` runs the test.
@Suite(.inTurn) struct AreaComparisonTests {
  static let file = ProcessInfo.processInfo.environment["ASYNC_LOCATION_AREAS"]

  private struct Case: Decodable {
    let condition: Condition
    let point: Coordinate
    let isInside: Bool
    /// Metres from the boundary.
    let distance: Double
  }

  @Test(
    .enabled(
      if: file != nil, "ASYNC_LOCATION_AREAS names no file; scripts/compare-areas makes one"))
  func areasAgreeWithTheReference() throws {
    let lines = try String(contentsOfFile: #require(Self.file), encoding: .utf8).split(
      separator: "\n")
    var wrong = 0
    for line in lines {
      let expected = try JSONDecoder().decode(Case.self, from: Data(line.utf8))
      let area = try #require(AreaGeometry(expected.condition.subject))
      let point = AreaPoint(expected.point)
      // The side is certain if the margin is less than the distance from the boundary. Half a metre
      // allows for the difference between the two libraries.
      let certain = area.side(of: point, margin: expected.distance - 0.5)
      let uncertain = area.side(of: point, margin: expected.distance + 0.5)
      let side: AreaSide = expected.isInside ? .inside : .outside
      let isRight = certain == (side, true) && uncertain == (side, false)
      if !isRight {
        wrong += 1
        Issue.record("\(certain) \(uncertain) \(line)")
      }
    }
    print("\(lines.count) areas compared, \(wrong) differ")
    #expect(lines.count >= 100)
  }
}
