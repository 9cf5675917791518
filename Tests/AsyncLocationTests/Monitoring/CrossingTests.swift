import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct CrossingStateMachineTests {
  /// One fix: its time in seconds, its side and certainty, and the state afterwards.
  struct Step: Sendable {
    let seconds: Double
    let side: AreaSide
    let isCertain: Bool
    let state: Monitor.State
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var start = Monitor.State.unsatisfied
    var dwell = Duration.zero
    let steps: [Step]
  }

  private static func certain(
    _ seconds: Double, _ side: AreaSide, _ state: Monitor.State
  ) -> Step { Step(seconds: seconds, side: side, isCertain: true, state: state) }

  private static func doubtful(
    _ seconds: ClosedRange<Int>, _ side: AreaSide, _ state: Monitor.State
  ) -> [Step] {
    seconds.map { Step(seconds: Double($0), side: side, isCertain: false, state: state) }
  }

  static let scenarios = [
    Scenario(
      testDescription: "a fix without doubt counts at once",
      steps: [
        certain(0, .inside, .satisfied), certain(1, .inside, .satisfied),
        certain(2, .outside, .unsatisfied),
      ]),
    Scenario(
      testDescription: "doubt counts after 20 s",
      steps: doubtful(0...19, .inside, .unsatisfied) + doubtful(20...25, .inside, .satisfied)
        + doubtful(26...45, .outside, .satisfied) + doubtful(46...47, .outside, .unsatisfied)),
    Scenario(
      testDescription: "doubt that changes sides starts again",
      steps: doubtful(0...19, .inside, .unsatisfied) + doubtful(20...20, .outside, .unsatisfied)
        + doubtful(21...40, .inside, .unsatisfied) + doubtful(41...41, .inside, .satisfied)),
    Scenario(
      testDescription: "one fix without doubt ends the doubt",
      steps: doubtful(0...5, .inside, .unsatisfied) + [certain(6, .inside, .satisfied)]),
    Scenario(
      testDescription: "doubt does not last across a gap",
      steps: doubtful(0...10, .inside, .unsatisfied) + doubtful(131...150, .inside, .unsatisfied)
        + doubtful(151...151, .inside, .satisfied)),
    Scenario(
      testDescription: "a gap of two minutes is short enough",
      steps: doubtful(0...10, .inside, .unsatisfied) + doubtful(130...130, .inside, .satisfied)),
    Scenario(
      testDescription: "a dwell counts from the first fix inside",
      dwell: .seconds(60),
      steps: [certain(0, .inside, .unsatisfied), certain(59.999, .inside, .unsatisfied)]
        + [certain(60, .inside, .satisfied), certain(61, .outside, .unsatisfied)]),
    Scenario(
      testDescription: "leaving ends a dwell",
      dwell: .seconds(60),
      steps: [
        certain(0, .inside, .unsatisfied), certain(50, .outside, .unsatisfied),
        certain(60, .inside, .unsatisfied), certain(119, .inside, .unsatisfied),
        certain(120, .inside, .satisfied),
      ]),
    Scenario(
      testDescription: "a doubtful dwell lasts at least 20 s",
      dwell: .seconds(5),
      steps: doubtful(0...19, .inside, .unsatisfied) + doubtful(20...20, .inside, .satisfied)),
    Scenario(
      testDescription: "a long dwell allows rare fixes",
      dwell: .seconds(1_200),
      steps: [
        certain(0, .inside, .unsatisfied), certain(600, .inside, .unsatisfied),
        certain(1_200, .inside, .satisfied),
      ]),
    Scenario(
      testDescription: "unknown becomes unsatisfied too", start: .unknown,
      steps: [certain(0, .outside, .unsatisfied)]),
    Scenario(
      testDescription: "unknown with doubt stays unknown", start: .unknown,
      steps: doubtful(0...19, .outside, .unknown) + doubtful(20...20, .outside, .unsatisfied)),
    Scenario(
      testDescription: "unmonitored is determined anew", start: .unmonitored,
      steps: [certain(0, .inside, .satisfied)]),
    Scenario(
      testDescription: "an instant that goes back is harmless",
      dwell: .seconds(10),
      steps: [
        certain(100, .inside, .unsatisfied), certain(40, .inside, .unsatisfied),
        certain(109, .inside, .unsatisfied), certain(110, .inside, .satisfied),
      ]),
  ]

  @Test(arguments: scenarios)
  func follows(_ scenario: Scenario) {
    var machine = CrossingStateMachine(scenario.start)
    for step in scenario.steps {
      machine.observe(
        .init(side: step.side, isCertain: step.isCertain, instant: .seconds(step.seconds)),
        dwell: scenario.dwell, CrossingOptions())
      #expect(machine.state == step.state, "at \(step.seconds) s")
    }
  }
}

@Suite(.inTurn) struct ConditionTrackerTests {
  private let helsinki = at(60.17, 24.94)

  private func location(_ metres: Double, accuracy: Double? = 5) throws -> Location {
    let place = try helsinki.coordinate(atDistance: metres, bearing: 45)
    return try Location(
      latitude: place.latitude, longitude: place.longitude,
      timestamp: .init(timeIntervalSince1970: 0),
      horizontalAccuracy: accuracy)
  }

  private func change(
    _ identifier: String, _ previous: Monitor.State, _ state: Monitor.State
  ) -> ConditionTracker<String>.Change {
    .init(identifier: identifier, previousState: previous, state: state)
  }

  @Test func devicesShareConditions() throws {
    var tracker = ConditionTracker<String>()
    try tracker.add(.circle(center: helsinki, radius: 100), identifier: "market")
    let here = try location(0)
    let away = try location(500)
    #expect(
      tracker.observe(here, of: "a", at: .seconds(0)) == [change("market", .unknown, .satisfied)])
    #expect(tracker.observe(away, of: "b", at: .seconds(0)) == [])
    #expect(
      tracker.observe(here, of: "b", at: .seconds(1)) == [
        change("market", .unsatisfied, .satisfied)
      ])
    #expect(
      tracker.observe(away, of: "a", at: .seconds(1)) == [
        change("market", .satisfied, .unsatisfied)
      ])
    #expect(tracker.satisfied(by: "a") == [])
    #expect(tracker.satisfied(by: "b") == ["market"])
    #expect(tracker.satisfied(by: "c") == [])
    // A new condition is unknown to devices that are known.
    try tracker.add(.circle(center: helsinki, radius: 1_000), identifier: "centre")
    #expect(
      tracker.observe(away, of: "a", at: .seconds(2)) == [change("centre", .unknown, .satisfied)])
    // A condition that takes the place of a removed one starts anew.
    tracker.remove("market")
    try tracker.add(.circle(center: helsinki, radius: 50), identifier: "square")
    #expect(
      tracker.observe(here, of: "b", at: .seconds(3))
        == [change("centre", .unknown, .satisfied), change("square", .unknown, .satisfied)].sorted {
          $0.identifier > $1.identifier
        })
    #expect(tracker.conditions(containing: helsinki) == ["centre", "square"])
    tracker.forget("b")
    #expect(tracker.deviceCount == 1)
  }

  @Test func aCoarseFixCountsOnlyWithoutDoubt() throws {
    var tracker = ConditionTracker<Int>()
    try tracker.add(.circle(center: helsinki, radius: 100), identifier: "small")
    try tracker.add(.circle(center: helsinki, radius: 10_000), identifier: "large")
    for second in 0...60 {
      let changes = tracker.observe(
        try location(0, accuracy: 3_000), of: 1, at: .seconds(second))
      #expect(changes.map(\.identifier) == (second == 0 ? ["large"] : []))
    }
  }

  @Test func anUnknownAccuracyIsAssumed() throws {
    var tracker = ConditionTracker<Int>()
    try tracker.add(.circle(center: helsinki, radius: 100), identifier: "a")
    #expect(tracker.observe(try location(80, accuracy: nil), of: 1, at: .zero) == [])
    #expect(tracker.observe(try location(69, accuracy: nil), of: 1, at: .seconds(1)).count == 1)
  }

  @Test func extremeInstantsDoNotTrap() throws {
    let far = Duration.seconds(Int64.max)
    for instants in [[.zero - far, far], [far, .zero - far], [far, far]] {
      var tracker = ConditionTracker<Int>()
      try tracker.add(.circle(center: helsinki, radius: 100), identifier: "a")
      for instant in instants {
        // At the boundary, so that the time since the first counts.
        _ = tracker.observe(try location(99, accuracy: 50), of: 1, at: instant)
      }
    }
  }

  @Test func badIdentifiersAreRefused() throws {
    var tracker = ConditionTracker<Int>()
    let circle = try Condition.circle(center: helsinki, radius: 100)
    for identifier in ["", "a\0b", String(repeating: "x", count: 1_025)] {
      #expect(throws: LocationError.self) { try tracker.add(circle, identifier: identifier) }
    }
    #expect(throws: LocationError.self) {
      try tracker.add(.beacon(BeaconIdentityConstraint(uuid: UUID())), identifier: "a")
    }
    #expect(tracker.count == 0)
  }

  @Test func anEqualConditionKeepsItsState() throws {
    var tracker = ConditionTracker<Int>()
    try tracker.add(.circle(center: helsinki, radius: 100), identifier: "a")
    _ = tracker.observe(try location(0), of: 1, at: .zero)
    try tracker.add(.circle(center: helsinki, radius: 100), identifier: "a")
    #expect(tracker.satisfied(by: 1) == ["a"])
    try tracker.add(.circle(center: helsinki, radius: 101), identifier: "a")
    #expect(tracker.satisfied(by: 1) == [])
  }

  @Test("F11 a wall clock that jumps causes no crossing") func timestampsDoNotCount() throws {
    var tracker = ConditionTracker<Int>()
    try tracker.add(
      try .circle(center: helsinki, radius: 100).dwelling(.seconds(60)), identifier: "a")
    let jumps: [Double] = [0, -1_024 * 604_800, 1_024 * 604_800, -3_600, 60]
    for (second, jump) in jumps.enumerated() {
      let fix = try location(0).with { $0.timestamp += jump }
      #expect(tracker.observe(fix, of: 1, at: .seconds(second)) == [])
    }
    #expect(tracker.observe(try location(0), of: 1, at: .seconds(60)).count == 1)
  }
}
