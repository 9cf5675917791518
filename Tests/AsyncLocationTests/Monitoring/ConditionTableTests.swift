import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct ConditionTableTests {
  @Test(.longWork) func everyAreaAroundAPointIsFound() throws {
    var random = SplitMix64(seed: 7)
    var table = ConditionTable()
    var areas: [String: AreaGeometry] = [:]
    func compare() {
      for _ in 0..<50 {
        let point = AreaPoint(coordinate(&random))
        var found: [String] = []
        table.visit(containing: point) { found.append(table.identifier(of: $0)) }
        let expected = areas.filter { $0.value.side(of: point, margin: 0).side == .inside }.keys
        #expect(found.sorted() == expected.sorted())
      }
    }
    for number in 0..<2_000 {
      let condition = try condition(&random)
      // One condition in six replaces an earlier one.
      let identifier = "\(number % 3 == 0 ? number / 2 : number)"
      _ = table.add(condition, identifier: identifier)
      areas[identifier] = AreaGeometry(condition.subject)
    }
    compare()
    for identifier in areas.keys.sorted() where Bool.random(using: &random) {
      #expect(table.remove(identifier) != nil)
      #expect(table.remove(identifier) == nil)
      areas[identifier] = nil
    }
    #expect(table.count == areas.count)
    compare()
    for identifier in areas.keys { _ = table.remove(identifier) }
    areas = [:]
    compare()
    #expect(Array(table.slots).isEmpty)
  }

  /// Half of the coordinates are near one of seven places, most of which are corners, edges or
  /// centres of the faces of the index's cube.
  private func coordinate(_ random: inout SplitMix64) -> Coordinate {
    let special = [(35.26, 45.0), (-35.26, -135), (0, 45), (90, 0), (0, 180), (45, 0), (60, 24)]
    let (latitude, longitude) = special.randomElement(using: &random)!
    guard Bool.random(using: &random) else {
      return at(
        .random(in: -90...90, using: &random), .random(in: -180...180, using: &random))
    }
    return try! at(latitude, longitude).coordinate(
      atDistance: pow(10, .random(in: 0...5, using: &random)),
      bearing: .random(in: 0...360, using: &random))
  }

  private func condition(_ random: inout SplitMix64) throws -> Condition {
    let center = coordinate(&random)
    let radius = pow(10, Double.random(in: 0...6.3, using: &random))
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return try .circle(center: center, radius: radius)
    case 1:
      return try .polygon(
        [0, 130, 230].map { try center.coordinate(atDistance: radius, bearing: $0) })
    default:
      return try .corridor(
        along: [center, center.coordinate(atDistance: radius, bearing: 77)],
        width: min(radius, 1e5))
    }
  }

  /// Areas of one place are removed in any order, and the remaining ones are found.
  ///
  /// - Parameter radius: In metres; caps above 640 km are in no cell.
  @Test(.longWork, arguments: [100.0, 1_000_000])
  func areasOfOnePlaceAreRemovedInAnyOrder(radius: Double) throws {
    var random = SplitMix64(seed: 10)
    let circle = try Condition.circle(center: at(0, 0), radius: radius)
    var table = ConditionTable()
    for number in 0..<600 { _ = table.add(circle, identifier: "\(number)") }
    let order =
      Array(0..<200) + (200..<400).reversed() + (400..<600).shuffled(using: &random)
    for (count, number) in order.enumerated() {
      #expect(table.remove("\(number)") == circle)
      // Every fifth time, a new condition uses the free slot.
      if count.isMultiple(of: 5) {
        _ = table.add(circle, identifier: "new")
        #expect(table.remove("new") == circle)
      }
      guard count.isMultiple(of: 50) else { continue }
      var found = 0
      table.visit(containing: AreaPoint(at(0, 0))) { _ in found += 1 }
      #expect(found == 599 - count)
    }
  }

  @Test func aStoredConditionIsReturnedUnchanged() throws {
    var table = ConditionTable()
    let condition = try Condition.polygon(box(0, 0, 1, 1), holes: [box(0.2, 0.2, 0.3, 0.3)])
      .dwelling(.milliseconds(2_500)).expiring(at: Date(timeIntervalSince1970: 1_800_000_000.25))
    let slot = table.add(condition, identifier: "a")
    #expect(table.condition(of: slot) == condition)
    #expect(table.dwell(of: slot) == .milliseconds(2_500))
    #expect(table.remove("a") == condition)
  }

  @Test func expiryIsInOrderAndSkipsRemovedConditions() throws {
    var random = SplitMix64(seed: 9)
    var table = ConditionTable()
    let start = Date(timeIntervalSince1970: 1_800_000_000)
    let circle = try Condition.circle(center: at(0, 0), radius: 1)
    for second in (0..<500).shuffled(using: &random) {
      let condition = try circle.expiring(at: start + Double(second))
      _ = table.add(condition, identifier: "\(second)")
    }
    for second in stride(from: 0, to: 500, by: 7) { _ = table.remove("\(second)") }
    #expect(table.nextExpiry() == start + 1)
    let expired = table.takeExpired(at: start + 100).map { table.identifier(of: $0) }
    #expect(expired == (0...100).filter { $0 % 7 != 0 }.map(String.init))
    #expect(table.nextExpiry() == start + 101)
  }

  /// Expiry entries of removed conditions do not accumulate.
  @Test(.longWork) func anExpiryOfARemovedConditionIsForgotten() throws {
    var table = ConditionTable()
    let circle = try Condition.circle(center: at(0, 0), radius: 1)
      .expiring(at: .distantFuture.addingTimeInterval(-1e9))
    for number in 0..<10_000 {
      _ = table.add(circle, identifier: "\(number)")
      _ = table.remove("\(number)")
    }
    #expect(table.storedExpirations < 100)
  }

  /// "é" has two encodings, which a storage treats as two identifiers.
  @Test func equivalentSpellingsAreDifferentIdentifiers() throws {
    var table = ConditionTable()
    let condition = try Condition.circle(
      center: Coordinate(latitude: 47, longitude: 8), radius: 100)
    _ = table.add(condition, identifier: "caf\u{E9}")
    _ = table.add(condition, identifier: "cafe\u{301}")
    #expect(table.count == 2)
    #expect(table.remove("caf\u{E9}") != nil)
    #expect(table.slot(of: "caf\u{E9}") == nil)
    #expect(table.slot(of: "cafe\u{301}") != nil)
  }
}
