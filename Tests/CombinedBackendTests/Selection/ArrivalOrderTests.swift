import AsyncLocation
import TestSupport
import Testing

@testable import CombinedBackend

@Suite(.inTurn) struct ArrivalOrderTests {
  /// A fix: its source, timestamp and arrival in seconds, and whether it may be delivered.
  struct Step: Sendable {
    let source: Int
    let timestamp: Double
    let arrival: Double
    let follows: Bool
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let steps: [Step]
  }

  static func step(
    _ source: Int, _ timestamp: Double, at arrival: Double, _ follows: Bool
  ) -> Step {
    Step(source: source, timestamp: timestamp, arrival: arrival, follows: follows)
  }

  static let scenarios = [
    Scenario(
      testDescription: "equal timestamps follow",
      steps: [step(0, 100, at: 0, true), step(1, 100, at: 0.1, true)]),
    Scenario(
      testDescription: "a clock that is seconds behind waits for these seconds",
      steps: [
        step(1, 96, at: 1, true), step(0, 100, at: 2, true), step(1, 97, at: 2, false),
        step(1, 98, at: 3, false), step(1, 99, at: 4, false), step(1, 100, at: 5, true),
      ]),
    Scenario(
      testDescription: "a clock that is minutes behind waits for three fixes",
      steps: [
        step(0, 1_000, at: 0, true), step(1, 700, at: 1, false), step(1, 701, at: 2, false),
        step(1, 702, at: 3, true), step(1, 703, at: 4, true), step(0, 1_005, at: 5, true),
        step(1, 705, at: 6, true),
      ]),
    Scenario(
      testDescription: "a repeated fix and a backlog in a burst do not follow",
      steps: [
        step(0, 1_000, at: 0, true), step(1, 700, at: 1, false), step(1, 700, at: 2, false),
        step(1, 700, at: 3, false), step(1, 700, at: 4, false), step(1, 701, at: 4.1, false),
        step(1, 702, at: 4.2, false), step(1, 703, at: 4.3, false),
      ]),
    Scenario(
      testDescription: "the order within a source is that of its own gate",
      steps: [step(0, 100, at: 0, true), step(0, 50, at: 1, true)]),
    Scenario(
      testDescription: "an absurd time does not block the others",
      steps: [
        step(0, 1, at: 1, true), step(0, 2, at: 2, true), step(0, 3, at: 3, true),
        step(1, 2.5e11, at: 4, true), step(0, 5, at: 5, true),
      ]),
  ]

  @Test(arguments: scenarios)
  func follows(_ scenario: Scenario) {
    var order = ArrivalOrder(sourceCount: 2)
    for step in scenario.steps {
      let follows = order.follows(
        step.timestamp, from: step.source, at: .seconds(step.arrival))
      #expect(follows == step.follows, "\(step)")
      if follows { order.delivered(step.timestamp, from: step.source) }
    }
  }
}
