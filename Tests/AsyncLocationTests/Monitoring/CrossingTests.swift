import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct CrossingStateMachineTests {
  /// One fix: its time in seconds, its side and evidence, and the state afterwards.
  struct Step: Sendable {
    let seconds: Double
    let side: AreaSide
    let evidence: CrossingStateMachine.Evidence
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
  ) -> Step { Step(seconds: seconds, side: side, evidence: .certain, state: state) }

  private static func decisive(
    _ seconds: Double, _ side: AreaSide, _ state: Monitor.State
  ) -> Step { Step(seconds: seconds, side: side, evidence: .decisive, state: state) }

  private static func certain(
    _ seconds: ClosedRange<Int>, _ side: AreaSide, _ state: Monitor.State
  ) -> [Step] { seconds.map { certain(Double($0), side, state) } }

  private static func doubtful(
    _ seconds: ClosedRange<Int>, _ side: AreaSide, _ state: Monitor.State
  ) -> [Step] {
    seconds.map { Step(seconds: Double($0), side: side, evidence: .doubtful, state: state) }
  }

  static let fromUnknown = [
    Scenario(
      testDescription: "one fix without doubt counts at once", start: .unknown,
      steps: [certain(0, .inside, .satisfied)]),
    Scenario(
      testDescription: "one fix without doubt counts outside too", start: .unknown,
      steps: [certain(0, .outside, .unsatisfied)]),
    Scenario(
      testDescription: "doubt counts after 20 s", start: .unknown,
      steps: doubtful(0...19, .outside, .unknown) + doubtful(20...20, .outside, .unsatisfied)),
    Scenario(
      testDescription: "doubt that changes sides starts again", start: .unknown,
      steps: doubtful(0...19, .inside, .unknown) + doubtful(20...20, .outside, .unknown)
        + doubtful(21...40, .inside, .unknown) + doubtful(41...41, .inside, .satisfied)),
    Scenario(
      testDescription: "one fix without doubt ends the doubt", start: .unknown,
      steps: doubtful(0...5, .inside, .unknown) + [certain(6, .inside, .satisfied)]),
    Scenario(
      testDescription: "doubt does not last across a gap", start: .unknown,
      steps: doubtful(0...10, .inside, .unknown) + doubtful(131...150, .inside, .unknown)
        + doubtful(151...151, .inside, .satisfied)),
    Scenario(
      testDescription: "a gap of two minutes is short enough", start: .unknown,
      steps: doubtful(0...10, .inside, .unknown) + doubtful(130...130, .inside, .satisfied)),
    Scenario(
      testDescription: "a doubtful dwell lasts at least 20 s", start: .unknown,
      dwell: .seconds(5),
      steps: doubtful(0...19, .inside, .unknown) + doubtful(20...20, .inside, .satisfied)),
    Scenario(
      testDescription: "an unmonitored condition is determined again", start: .unmonitored,
      steps: [certain(0, .inside, .satisfied)]),
    Scenario(
      testDescription: "the first state does not lengthen the next confirmation",
      start: .unknown,
      steps: [certain(0, .inside, .satisfied)] + certain(1...20, .outside, .satisfied)
        + [certain(21, .outside, .unsatisfied)]),
  ]

  static let fromAKnownState = [
    Scenario(
      testDescription: "certainty must last 20 s",
      steps: certain(0...19, .inside, .unsatisfied) + [certain(20, .inside, .satisfied)]),
    Scenario(
      testDescription: "a jump of one fix is no crossing",
      steps: [certain(0, .inside, .unsatisfied)] + certain(1...60, .outside, .unsatisfied)),
    Scenario(
      testDescription: "doubt alone decides nothing",
      steps: doubtful(0...3_600, .inside, .unsatisfied)),
    Scenario(
      testDescription: "doubt on the new side neither interrupts nor ends certainty",
      steps: [certain(0, .inside, .unsatisfied)] + doubtful(1...25, .inside, .unsatisfied)
        + [certain(26, .inside, .satisfied)]),
    Scenario(
      testDescription: "doubt before certainty does not count",
      steps: doubtful(0...30, .inside, .unsatisfied) + certain(31...50, .inside, .unsatisfied)
        + [certain(51, .inside, .satisfied)]),
    Scenario(
      testDescription: "doubt on the old side starts again",
      steps: certain(0...19, .inside, .unsatisfied) + doubtful(20...20, .outside, .unsatisfied)
        + certain(21...40, .inside, .unsatisfied) + [certain(41, .inside, .satisfied)]),
    Scenario(
      testDescription: "where the state is old or assumed, one fix without doubt counts",
      steps: [decisive(0, .inside, .satisfied)]),
    Scenario(
      testDescription: "a change within an hour requires a second fix",
      steps: [
        decisive(0, .inside, .satisfied), decisive(300, .outside, .satisfied),
        decisive(600, .outside, .unsatisfied),
      ]),
    Scenario(
      testDescription: "certainty lasts across a gap",
      steps: [certain(0, .inside, .unsatisfied), certain(600, .inside, .satisfied)]),
    Scenario(
      testDescription: "a dwell counts from the first fix without doubt",
      dwell: .seconds(60),
      steps: doubtful(0...9, .inside, .unsatisfied) + [
        certain(10, .inside, .unsatisfied), certain(69.999, .inside, .unsatisfied),
        certain(70, .inside, .satisfied),
      ]),
    Scenario(
      testDescription: "leaving ends a dwell",
      dwell: .seconds(60),
      steps: [
        certain(0, .inside, .unsatisfied), certain(50, .outside, .unsatisfied),
        certain(60, .inside, .unsatisfied), certain(119, .inside, .unsatisfied),
        certain(120, .inside, .satisfied),
      ]),
    Scenario(
      testDescription: "a dwell lasts at least 20 s",
      dwell: .seconds(5),
      steps: certain(0...19, .inside, .unsatisfied) + [certain(20, .inside, .satisfied)]),
    Scenario(
      testDescription: "a crossing ends a dwell without its duration",
      start: .satisfied, dwell: .seconds(60),
      steps: certain(0...19, .outside, .satisfied) + [certain(20, .outside, .unsatisfied)]),
    Scenario(
      testDescription: "a dwell does not last across a gap",
      dwell: .seconds(60),
      steps: [
        certain(0, .inside, .unsatisfied), certain(121, .inside, .unsatisfied),
        certain(181, .inside, .satisfied),
      ]),
    Scenario(
      testDescription: "a long dwell allows rare fixes",
      dwell: .seconds(1_200),
      steps: [
        certain(0, .inside, .unsatisfied), certain(600, .inside, .unsatisfied),
        certain(1_200, .inside, .satisfied),
      ]),
    Scenario(
      testDescription: "an instant that goes back is harmless",
      dwell: .seconds(10),
      steps: [
        certain(100, .inside, .unsatisfied), certain(40, .inside, .unsatisfied),
        certain(119, .inside, .unsatisfied), certain(120, .inside, .satisfied),
      ]),
  ]

  static let changes = [
    Scenario(
      testDescription: "each change doubles the confirmation, up to 160 s",
      steps: [
        certain(0, .inside, .unsatisfied), certain(20, .inside, .satisfied),
        certain(21, .outside, .satisfied), certain(60, .outside, .satisfied),
        certain(61, .outside, .unsatisfied),
        certain(62, .inside, .unsatisfied), certain(141, .inside, .unsatisfied),
        certain(142, .inside, .satisfied),
        certain(143, .outside, .satisfied), certain(302, .outside, .satisfied),
        certain(303, .outside, .unsatisfied),
        certain(304, .inside, .unsatisfied), certain(463, .inside, .unsatisfied),
        certain(464, .inside, .satisfied),
      ]),
    Scenario(
      testDescription: "a change is forgotten after an hour",
      steps: [
        certain(0, .inside, .unsatisfied), certain(20, .inside, .satisfied),
        certain(3_599, .outside, .satisfied), certain(3_619, .outside, .satisfied),
        certain(3_620, .outside, .unsatisfied),
      ]),
    Scenario(
      testDescription: "one of two changes is forgotten after an hour",
      steps: [
        certain(0, .inside, .unsatisfied), certain(20, .inside, .satisfied),
        certain(21, .outside, .satisfied), certain(61, .outside, .unsatisfied),
        certain(3_661, .inside, .unsatisfied), certain(3_700, .inside, .unsatisfied),
        certain(3_701, .inside, .satisfied),
      ]),
  ]

  @Test(arguments: fromUnknown + fromAKnownState + changes)
  func followsTheScenario(_ scenario: Scenario) {
    var machine = CrossingStateMachine(scenario.start)
    for step in scenario.steps {
      machine.observe(
        .init(side: step.side, evidence: step.evidence, instant: .seconds(step.seconds)),
        dwell: scenario.dwell, CrossingOptions())
      #expect(machine.state == step.state, "at \(step.seconds) s")
    }
  }

  /// Changes are forgotten, so a condition that the device has left does not use memory for ever.
  @Test func changesAreForgottenAfterAnHour() {
    let options = CrossingOptions()
    var machine = CrossingStateMachine(.satisfied)
    for second in [0, 20] as [Double] {
      machine.observe(
        .init(side: .outside, evidence: .certain, instant: .seconds(second)), dwell: .zero, options)
    }
    #expect(machine.state == .unsatisfied)
    #expect(!machine.forgettingChanges(at: .seconds(3_619), options).isAtRest)
    #expect(machine.forgettingChanges(at: .seconds(3_620), options).isAtRest)
  }

  @Test(arguments: [
    (0, 20), (1, 40), (2, 80), (3, 160), (4, 160), (1_000_000, 160),
  ])
  func recentChangesLengthenTheConfirmation(_ changes: Int, _ seconds: Int) {
    #expect(CrossingOptions().confirmation(after: changes) == .seconds(seconds))
  }

  @Test func absurdConfirmationsDoNotTrap() {
    let far = Duration.seconds(Int64.max)
    let options = CrossingOptions(
      confirmation: far, longestConfirmation: .zero - far, changeMemory: far)
    #expect(options.confirmation(after: 1_000) == far)
    let endless = CrossingOptions(longestConfirmation: far)
    #expect(endless.confirmation(after: 1_000_000) == far)
    for options in [options, endless] {
      #expect(RecentChanges(2, since: .zero - far, at: far, options) == nil)
      #expect(RecentChanges(1, since: far, at: .zero - far, options)?.count == 1)
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

  /// - Parameter revision: By default, the revision of the first condition.
  private func change(
    _ identifier: String, _ previous: Monitor.State, _ state: Monitor.State,
    revision: UInt32 = 1
  ) -> ConditionTracker<String>.Change {
    .init(
      identifier: identifier, previousState: previous, state: state, revision: revision)
  }

  @Test func devicesShareConditions() throws {
    var tracker = ConditionTracker<String>(options: CrossingOptions(confirmation: .zero))
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
    // The state of a new condition is unknown even for known devices.
    let centre = try tracker.add(.circle(center: helsinki, radius: 1_000), identifier: "centre")
    #expect(
      tracker.observe(away, of: "a", at: .seconds(2)) == [
        change("centre", .unknown, .satisfied, revision: centre)
      ])
    // A condition that uses the slot of a removed one starts as unknown.
    tracker.remove("market")
    let square = try tracker.add(.circle(center: helsinki, radius: 50), identifier: "square")
    #expect(
      tracker.observe(here, of: "b", at: .seconds(3))
        == [
          change("square", .unknown, .satisfied, revision: square),
          change("centre", .unknown, .satisfied, revision: centre),
        ])
    #expect(tracker.conditions(containing: helsinki) == ["centre", "square"])
    tracker.forget("b")
    #expect(tracker.deviceCount == 1)
  }

  @Test func aCoarseFixChangesOnlyCertainConditions() throws {
    var tracker = ConditionTracker<Int>()
    try tracker.add(.circle(center: helsinki, radius: 100), identifier: "small")
    try tracker.add(.circle(center: helsinki, radius: 10_000), identifier: "large")
    for second in 0...60 {
      let changes = tracker.observe(
        try location(0, accuracy: 3_000), of: 1, at: .seconds(second))
      #expect(changes.map(\.identifier) == (second == 0 ? ["large"] : []))
    }
  }

  @Test func aMissingAccuracyIsReplacedByADefault() throws {
    var tracker = ConditionTracker<Int>()
    try tracker.add(.circle(center: helsinki, radius: 100), identifier: "a")
    #expect(tracker.observe(try location(80, accuracy: nil), of: 1, at: .zero) == [])
    #expect(tracker.observe(try location(69, accuracy: nil), of: 1, at: .seconds(1)).count == 1)
  }

  /// The margin is the fix's accuracy while the state is unknown, and 1.5 times the accuracy once
  /// it is known.
  @Test func aKnownStateRequiresAWiderMargin() throws {
    var tracker = ConditionTracker<Int>()
    try tracker.add(.circle(center: helsinki, radius: 100), identifier: "a")
    // 11 m outside: beyond the accuracy.
    #expect(tracker.observe(try location(111, accuracy: 10), of: 1, at: .zero) == [])
    #expect(tracker.observe(try location(89, accuracy: 10), of: 2, at: .zero).count == 1)
    for second in 1...60 {
      #expect(tracker.observe(try location(86, accuracy: 10), of: 1, at: .seconds(second)) == [])
    }
    for second in 61...81 {
      let changes = tracker.observe(try location(84, accuracy: 10), of: 1, at: .seconds(second))
      #expect(changes.count == (second == 81 ? 1 : 0))
    }
  }

  /// A device that reports rarely has no second fix to confirm the first.
  @Test func aSingleFixAfterAGapConfirmsAChange() throws {
    var tracker = ConditionTracker<Int>()
    try tracker.add(.circle(center: helsinki, radius: 100), identifier: "a")
    _ = tracker.observe(try location(500), of: 1, at: .zero)
    #expect(tracker.observe(try location(0), of: 1, at: .seconds(120)) == [])
    _ = tracker.observe(try location(500), of: 2, at: .zero)
    #expect(tracker.observe(try location(0), of: 2, at: .seconds(121)).count == 1)
  }

  /// The exit is remembered while the device is outside, so confirming the next entry takes 40 s
  /// instead of 20 s.
  @Test func aRecentExitLengthensTheNextEntry() throws {
    var tracker = ConditionTracker<Int>()
    try tracker.add(.circle(center: helsinki, radius: 100), identifier: "a")
    var states: [Int: Monitor.State] = [:]
    for second in 0...70 {
      let isInside = second == 0 || second >= 30
      let fix = try location(isInside ? 0 : 500)
      for change in tracker.observe(fix, of: 1, at: .seconds(second)) {
        states[second] = change.state
      }
    }
    #expect(states == [0: .satisfied, 21: .unsatisfied, 70: .satisfied])
  }

  @Test func extremeInstantsDoNotTrap() throws {
    let far = Duration.seconds(Int64.max)
    for instants in [[.zero - far, far], [far, .zero - far], [far, far]] {
      var tracker = ConditionTracker<Int>()
      try tracker.add(.circle(center: helsinki, radius: 100), identifier: "a")
      for instant in instants {
        // The fix is at the boundary, so the time since the first fix is evaluated.
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
    let sameRevision = try tracker.add(.circle(center: helsinki, radius: 100), identifier: "a")
    #expect(tracker.satisfied(by: 1) == ["a"])
    let newRevision = try tracker.add(.circle(center: helsinki, radius: 101), identifier: "a")
    #expect(tracker.satisfied(by: 1) == [])
    #expect(sameRevision == 1)
    #expect(newRevision != sameRevision)
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
