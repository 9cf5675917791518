import TestSupport
import Testing

@testable import GPSDReports

/// Tests the machine alone: arriving reports and resulting actions.
@Suite(.inTurn) struct EpochStateMachineTests {
  typealias Motion = EpochStateMachine.Motion

  enum Step: Sendable {
    /// A report for a given second, at a number of milliseconds.
    case report(Double?, at: Int, Motion = [.speed, .track, .moving], chunk: Int? = nil)
    /// The deadline of the held epoch, in milliseconds, passes.
    case quiet(at: Int)
    /// The receiver has no fix; `delivers` states whether an epoch is delivered first.
    case lost(delivers: Bool = false)
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let steps: [(Step, EpochStateMachine.Action?)]
  }

  /// One report per epoch.
  private static func once(_ seconds: ClosedRange<Int>) -> [(Step, EpochStateMachine.Action?)] {
    seconds.map { (.report(Double($0), at: $0 * 1000), .deliver) }
  }

  /// Two reports per epoch, of which the second is discarded. After two such epochs, the machine
  /// waits for the second report.
  private static func doubled(_ seconds: ClosedRange<Int>) -> [(Step, EpochStateMachine.Action?)] {
    seconds.flatMap { second -> [(Step, EpochStateMachine.Action?)] in
      [
        (.report(Double(second), at: second * 1000), .deliver),
        (.report(Double(second), at: second * 1000 + 10), .discard),
      ]
    }
  }

  static let scenarios = [
    Scenario(testDescription: "F46 epochs of one report are not delayed", steps: once(1...20)),
    Scenario(
      testDescription: "F46 a burst at the beginning delays nothing",
      steps: [
        (.report(1, at: 1000), .deliver), (.report(1, at: 1001), .discard),
        (.report(1, at: 1002), .discard),
      ] + once(2...12)),
    Scenario(
      testDescription: "F46 an occasional second report is discarded and delays nothing",
      steps: once(1...4) + doubled(5...5) + once(6...9) + doubled(10...10) + once(11...14)),
    Scenario(
      testDescription: "F46 after two epochs of two reports the machine waits for two",
      steps: doubled(1...2) + [
        (.report(3, at: 3000), .hold), (.report(3, at: 3010), .mergeAndDeliver),
        (.report(4, at: 4000), .hold), (.report(4, at: 4010), .mergeAndDeliver),
        (.report(4, at: 4020), .discard),
        // Now the machine waits for three reports.
        (.report(5, at: 5000), .hold), (.report(5, at: 5010), .merge),
        (.report(5, at: 5020), .mergeAndDeliver),
      ]),
    Scenario(
      testDescription: "F46 the machine waits for two when every other epoch has two reports",
      steps: doubled(1...1) + once(2...2) + doubled(3...3) + [
        (.report(4, at: 4000), .hold), (.quiet(at: 4333), nil),
        (.report(5, at: 5000), .hold), (.report(5, at: 5010), .mergeAndDeliver),
      ]),
    Scenario(
      testDescription: "F46 after two epochs of one report the machine does not wait",
      steps: doubled(1...2) + [
        (.report(3, at: 3000), .hold), (.quiet(at: 3333), nil),
        (.report(4, at: 4000), .hold), (.quiet(at: 4333), nil),
      ] + once(5...9)),
    Scenario(
      testDescription: "F46 the next epoch closes the held one",
      steps: doubled(1...2) + [
        (.report(3, at: 3000), .hold), (.report(4, at: 3100), .hold),
        (.report(4, at: 3110), .mergeAndDeliver),
      ]),
    Scenario(
      testDescription: "F46 a report after the quiet time is discarded",
      steps: doubled(1...2) + [
        (.report(3, at: 3000), .hold), (.quiet(at: 3333), nil),
        (.report(3, at: 3600), .discard),
      ]),
    Scenario(
      testDescription: "F46 a loss closes the held epoch",
      steps: doubled(1...2) + [
        (.report(3, at: 3000), .hold), (.lost(delivers: true), nil), (.lost(), nil),
        (.report(3, at: 3020), .discard),
      ]),
    Scenario(
      testDescription: "F46 a report of the previous epoch is discarded",
      steps: once(1...5) + [(.report(4, at: 5010), .discard)] + once(6...8)),
    Scenario(
      testDescription: "F46 a clock set back continues from its new time",
      steps: once(50...55) + [(.report(10, at: 56_000), .deliver)]
        + [(.report(11, at: 57_000), .deliver)]),
    Scenario(
      testDescription: "F46 two alternating times are two epochs",
      steps: [
        (.report(1, at: 0), .deliver), (.report(2, at: 10), .deliver),
        (.report(1, at: 20), .discard), (.report(2, at: 30), .discard),
        (.report(1, at: 40), .discard),
      ]),
    Scenario(
      testDescription: "F46 one unchanging time is one epoch",
      steps: [(.report(1, at: 0), .deliver)]
        + (1...100).map { (.report(1, at: $0 * 1000), .discard) } + once(2...2)),
    Scenario(
      testDescription: "each report without a time is an epoch",
      steps: doubled(1...2) + [
        (.report(3, at: 3000), .hold), (.report(nil, at: 3010), .deliver),
        (.report(nil, at: 3020), .deliver), (.report(3, at: 3030), .discard),
      ]),
    Scenario(
      testDescription: "reports of one chunk complete their epoch",
      steps: [
        (.report(1, at: 1000, chunk: 1), .deliver), (.report(1, at: 1000, chunk: 1), .amend),
        (.report(2, at: 1001, chunk: 2), .deliver), (.report(2, at: 1002, chunk: 3), .discard),
        (.report(3, at: 3000, chunk: 4), .hold), (.report(3, at: 3001, chunk: 5), .mergeAndDeliver),
        (.report(3, at: 3001, chunk: 5), .amend),
      ]),
    Scenario(
      testDescription: "F46 after a lost fix a report without the usual motion waits for it",
      steps: once(1...3) + [
        (.lost(), nil), (.report(10, at: 10_000, []), .hold),
        (.report(10, at: 10_010), .mergeAndDeliver),
        // A speed that gpsd derived, without a track.
        (.report(11, at: 11_000, [.speed, .moving]), .hold),
        (.report(11, at: 11_010), .mergeAndDeliver),
        (.report(12, at: 12_000), .hold), (.report(12, at: 12_010), .mergeAndDeliver),
      ]),
    Scenario(
      testDescription: "a receiver with one report per epoch waits at most once for missing motion",
      steps: once(1...3) + [
        (.lost(), nil), (.report(10, at: 10_000, []), .hold), (.quiet(at: 10_250), nil),
        (.report(11, at: 11_000, []), .deliver), (.lost(), nil),
        (.report(20, at: 20_000, [.speed, .moving]), .deliver),
      ]),
    Scenario(
      testDescription: "F46 a receiver with an occasional track is not delayed",
      steps: (0..<4).flatMap { round -> [(Step, EpochStateMachine.Action?)] in
        (1...9).map {
          (.report(Double(round * 10 + $0), at: $0, [.speed, .moving]), .deliver)
        } + [
          (.report(Double(round * 10 + 10), at: 10, [.speed, .moving]), .deliver),
          (.report(Double(round * 10 + 10), at: 11), .discard),
        ]
      }),
    Scenario(
      testDescription: "a stationary receiver has no track, and constant motion never waits",
      steps: once(1...3) + [
        (.lost(), nil), (.report(10, at: 10_000, [.speed]), .deliver), (.lost(), nil),
        (.report(20, at: 20_000), .deliver), (.report(21, at: 21_000, []), .deliver),
      ]),
  ]

  @Test(arguments: scenarios)
  func followsTheScenario(_ scenario: Scenario) {
    var machine = EpochStateMachine()
    var wasHeld = false
    for (index, (step, expected)) in scenario.steps.enumerated() {
      switch step {
      case .report(let time, let arrival, let motion, let chunk):
        let decision = machine.reported(
          at: time, motion, chunk: chunk, .milliseconds(arrival))
        #expect(decision.action == expected, "step \(index): \(step)")
        // Only the next epoch replaces the held one.
        let staysHeld = [.merge, .mergeAndDeliver, .discard].contains(decision.action)
        #expect(decision.deliversHeld == (wasHeld && !staysHeld), "step \(index): \(step)")
      case .quiet(let instant):
        let deadline = machine.deadline.map { Int($0 / .milliseconds(1)) }
        #expect(deadline == instant, "step \(index): \(step)")
        machine.deliveredHeld()
      case .lost(let delivers): #expect(machine.lostFix() == delivers, "step \(index): \(step)")
      }
      wasHeld = machine.isHolding
    }
  }

  static let quietTimes: [(cycle: Int, quiet: Int)] = [
    (10, 50), (100, 50), (200, 66), (1000, 333), (1500, 500), (60_000, 500),
  ]

  @Test("the quiet time is a third of the cycle", arguments: quietTimes)
  func quietTime(cycle: Int, quiet: Int) {
    var machine = EpochStateMachine()
    for epoch in 0..<3 {
      for _ in 0..<2 {
        _ = machine.reported(at: Double(epoch), [], chunk: nil, .milliseconds(epoch * cycle))
      }
    }
    _ = machine.reported(at: 9, [], chunk: nil, .milliseconds(3 * cycle))
    let deadline = machine.deadline.map { ($0 - .milliseconds(3 * cycle)) / .milliseconds(1) }
    #expect(deadline.map { Int($0) } == quiet)
  }

  static let counts: [([Int], Int)] = [
    ([], 1), ([1], 1), ([5], 1), ([5, 1, 1], 1), ([2, 2], 2), ([2, 1, 2], 2), ([2, 1, 1, 2], 1),
    ([3, 3, 4, 3], 4), ([3, 3, 4] + Array(repeating: 3, count: 7), 4),
    ([3, 3, 4] + Array(repeating: 3, count: 8), 3), ([2, 2, 1], 2), ([2, 2, 1, 2], 2),
    ([2, 2, 1, 1], 1), ([2, 2, 1, 1, 2], 1), ([1000, 1000], 15), ([7, 2], 7),
  ]

  @Test("F46 the number of reports per epoch is learned from recent epochs", arguments: counts)
  func learns(counts: [Int], expected: Int) {
    var epochCounts = EpochCounts()
    for count in counts { epochCounts.append(count) }
    #expect(epochCounts.expected == expected)
  }
}
