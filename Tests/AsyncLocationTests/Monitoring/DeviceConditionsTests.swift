import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct DeviceConditionsTests {
  private let center = at(60, 24)

  private func place(
    _ metres: Double, _ bearing: Double, from start: Coordinate? = nil
  ) -> Coordinate {
    try! (start ?? center).coordinate(atDistance: metres, bearing: bearing)
  }

  private func observe(
    _ device: inout DeviceConditions, at place: Coordinate, second: Int, in table: ConditionTable,
    accuracy: Double = 5
  ) -> [DeviceConditions.Change] {
    var candidates: [Int] = []
    return device.observe(
      AreaPoint(place), accuracy: accuracy, at: .seconds(second), in: table, CrossingOptions(),
      candidates: &candidates)
  }

  // MARK: Agreement with comparing every condition

  private func condition(_ random: inout SplitMix64) throws -> Condition {
    let middle = place(
      3_000 * .random(in: 0...1, using: &random), .random(in: 0...360, using: &random))
    let radius = pow(10, Double.random(in: 1.5...4, using: &random))
    let bearing = Double.random(in: 0...360, using: &random)
    let dwell = Duration.seconds(Bool.random(using: &random) ? 0 : 30)
    let condition =
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        try Condition.polygon(
          (0..<5).map { place(radius, bearing + 72 * Double($0), from: middle) },
          holes: [(0..<3).map { place(radius / 3, 120 * Double($0), from: middle) }])
      case 1:
        try Condition.corridor(along: [middle, place(radius, bearing, from: middle)], width: 200)
      default: try Condition.circle(center: middle, radius: radius)
      }
    return try condition.dwelling(dwell)
  }

  /// A device walks and jumps; conditions are added, replaced and removed, and their states are
  /// set.
  @Test(.longWork, arguments: [30, 200], [false, true])
  func changesMatchAComparisonWithEveryCondition(count: Int, isNew: Bool) throws {
    var random = SplitMix64(seed: UInt64(count))
    var table = ConditionTable()
    for number in 0..<count { _ = table.add(try condition(&random), identifier: "\(number)") }
    var device = DeviceConditions(isNew: isNew)
    var plain = PlainConditions(isNew: isNew)
    var here = center
    var changeCount = 0
    for second in 0..<400 {
      switch Int.random(in: 0..<40, using: &random) {
      case 0: here = place(3_000, .random(in: 0...360, using: &random))
      case 1: here = place(1e5, .random(in: 0...360, using: &random))
      case 2: _ = table.remove("\(Int.random(in: 0..<count, using: &random))")
      case 3:
        let slot = table.add(
          try condition(&random), identifier: "\(Int.random(in: 0..<count, using: &random))")
        let state: Monitor.State = Bool.random(using: &random) ? .unsatisfied : .satisfied
        device.set(state, slot, in: table)
        plain.set(CrossingStateMachine(state), slot, in: table)
      case 4:
        _ = table.add(
          try condition(&random), identifier: "\(Int.random(in: 0..<count, using: &random))")
      case 5 where second % 3 == 0:
        for slot in table.slots {
          device.set(.unmonitored, slot, in: table)
          plain.set(CrossingStateMachine(.unmonitored), slot, in: table)
        }
      default:
        here = place(
          .random(in: 0...40, using: &random), .random(in: 0...90, using: &random), from: here)
      }
      let accuracy = [3, 5, 30, 90, 900.0].randomElement(using: &random)!
      let point = AreaPoint(here)
      var candidates: [Int] = []
      let changes = device.observe(
        point, accuracy: accuracy, at: .seconds(second), in: table, CrossingOptions(),
        candidates: &candidates)
      let expected = plain.observe(point, accuracy: accuracy, at: .seconds(second), in: table)
      try #require(changes == expected.changes, "second \(second)")
      try #require(candidates == expected.candidates, "second \(second)")
      for slot in table.slots {
        try #require(device.state(of: slot, in: table) == plain.machine(of: slot, in: table).state)
      }
      changeCount += changes.count
    }
    #expect(changeCount > count)
  }

  /// The conditions of crowded cells are entered once, and again after the device has left them.
  @Test(.longWork) func conditionsAreEnteredAgainAfterLeaving() throws {
    let towns = [center, place(100_000, 0)]
    var table = ConditionTable()
    for (index, town) in towns.enumerated() {
      for number in 0..<200 {
        let middle = place(Double(number % 20) * 5, Double(number) * 18, from: town)
        _ = table.add(
          try .circle(center: middle, radius: 300), identifier: "\(index) \(number)")
      }
    }
    var device = DeviceConditions(isNew: true)
    var (second, entries) = (0, 0)
    for visit in 0..<6 {
      // Each visit lasts longer than changes are remembered.
      for fix in 0..<400 {
        entries += observe(&device, at: towns[visit % 2], second: second, in: table)
          .count { $0.state == .satisfied }
        second += 20
        // Ten minutes confirm every entry.
        if fix == 30 { #expect(entries == 200 * (visit + 1)) }
      }
    }
  }

  // MARK: Work

  /// Concentric circles with radii of 500 to 1,499 m.
  private func fences(_ count: Int) throws -> ConditionTable {
    var table = ConditionTable()
    for number in 0..<count {
      _ = table.add(
        try .circle(center: center, radius: 500 + Double(number % 1_000)), identifier: "\(number)")
    }
    return table
  }

  @Test(.longWork) func fixInsideManyFencesExaminesNoBoundary() throws {
    for count in [500, 1_000] {
      let table = try fences(count)
      var device = DeviceConditions(isNew: true)
      let changes = observe(&device, at: center, second: 0, in: table)
      #expect(changes.count == count)
      #expect(device.examinations == count)
      for second in 1...100 {
        _ = observe(&device, at: place(4, Double(second * 77 % 360)), second: second, in: table)
      }
      #expect(device.examinations == count, "a receiver that stands and wanders")
      _ = observe(&device, at: place(400, 0), second: 101, in: table)
      #expect(device.examinations == count, "no boundary was reached")
    }
  }

  /// A drive across all boundaries examines each of them a few times.
  @Test(.longWork) func driveExaminesCrossedBoundaries() throws {
    let examinations = try [500, 1_000].map { count in
      let table = try fences(count)
      var device = DeviceConditions(isNew: true)
      var changes = 0
      for second in 0...100 {
        changes +=
          observe(&device, at: place(Double(second) * 20, 0), second: second, in: table).count
      }
      #expect(changes == 2 * count)
      #expect(device.storedConditions <= count)
      return Int(device.examinations)
    }
    // Each condition is examined twenty times until its crossing is confirmed.
    #expect(examinations[0] < 40 * 500, "\(examinations)")
    #expect(examinations[1] < examinations[0] * 5 / 2, "\(examinations)")
  }

  @Test func aDeviceFarFromEveryAreaStoresNothing() throws {
    let table = try fences(100)
    var device = DeviceConditions(isNew: false)
    for kilometres in [0.0, 5, 30, 100, 1_000] {
      _ = observe(&device, at: place(kilometres * 1_000, 0), second: Int(kilometres), in: table)
    }
    #expect(device.storedConditions == 100, "their changes lengthen the next confirmation")
    _ = observe(&device, at: place(1e6, 0), second: 10_000, in: table)
    #expect(device.storedConditions == 0)
    let changes = observe(&device, at: center, second: 20_000, in: table)
    #expect(changes.count == 100)
  }

  /// Conditions are added and removed around a stationary device that is inside other conditions.
  @Test(.longWork) func removedConditionsAreForgotten() throws {
    var table = try fences(100)
    var device = DeviceConditions(isNew: false)
    _ = observe(&device, at: center, second: 0, in: table)
    for second in 1..<1_000 {
      _ = table.add(try .circle(center: center, radius: 100), identifier: "of \(second)")
      let changes = observe(&device, at: center, second: second, in: table)
      #expect(changes.count == 1)
      _ = table.remove("of \(second)")
    }
    #expect(device.storedConditions == 101)
    #expect(device.storedAdditions < 300)
  }
}
