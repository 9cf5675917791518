import TestSupport
import Testing

@testable import AsyncLocation

/// A crossing reveals the state before it. After a withdrawal, it may be reported only if every
/// subscriber has read that state.
@Suite(.inTurn) struct ReportedStatesTests {
  enum Step: Sendable {
    case determined(under: UInt64)
    case pushed(ReportedStates.Losses)
    case removed
    /// Everything older than a generation is withdrawn; then a crossing is checked.
    case crossing(after: UInt64, ReportedStates.Losses, mayCross: Bool)
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let steps: [Step]
  }

  static let scenarios = [
    Scenario(
      testDescription: "a state of the present permission need not have been read",
      steps: [
        .crossing(after: 3, [1: 0], mayCross: true), .determined(under: 3),
        .crossing(after: 3, [1: 9], mayCross: true),
      ]),
    Scenario(
      testDescription: "a state that all have read may be left under another permission",
      steps: [
        .determined(under: 0), .pushed([1: 4, 2: 0]),
        .crossing(after: 1, [1: 4, 2: 0], mayCross: true),
        // A subscriber has left since the state was reported.
        .crossing(after: 1, [2: 0], mayCross: true), .crossing(after: 1, [:], mayCross: true),
      ]),
    Scenario(
      testDescription: "a state that was withdrawn unread is not revealed later",
      steps: [
        .determined(under: 0), .pushed([1: 4, 2: 0]),
        .crossing(after: 1, [1: 4, 2: 1], mayCross: false),
      ]),
    Scenario(
      testDescription: "a subscriber that joined later does not learn the state",
      steps: [
        .determined(under: 0), .pushed([1: 0]),
        .crossing(after: 1, [1: 0, 2: 0], mayCross: false),
      ]),
    Scenario(
      testDescription: "a state that was never reported is not revealed later",
      steps: [.determined(under: 0), .crossing(after: 1, [1: 0], mayCross: false)]),
    Scenario(
      testDescription: "the next state starts over",
      steps: [
        .determined(under: 0), .pushed([1: 0]), .determined(under: 1),
        .crossing(after: 2, [1: 0], mayCross: false), .pushed([1: 0]),
        .crossing(after: 2, [1: 0], mayCross: true),
      ]),
    Scenario(
      testDescription: "a removed condition has no state",
      steps: [
        .determined(under: 0), .removed, .pushed([1: 0]),
        .crossing(after: 1, [1: 1], mayCross: true),
      ]),
  ]

  @Test(arguments: scenarios)
  func followsTheScenario(_ scenario: Scenario) {
    var states = ReportedStates()
    for (number, step) in scenario.steps.enumerated() {
      switch step {
      case .determined(let generation):
        states.determined("a", under: DeliveryStamp(generation: generation, isPrecise: true))
      case .pushed(let losses): states.pushed("a", having: losses)
      case .removed: states.remove("a")
      case .crossing(let floor, let losses, let mayCross):
        #expect(
          states.mayCross(from: "a", having: losses) { $0.generation >= floor } == mayCross,
          "step \(number)")
      }
    }
  }
}
