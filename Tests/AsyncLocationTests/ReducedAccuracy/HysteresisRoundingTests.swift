import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct HysteresisRoundingTests {
  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let step: HysteresisRounding
    let numbers: [(Double, Double)]
  }

  static let scenarios = [
    Scenario(
      testDescription: "keeps its multiple up to three quarters of a step away",
      step: HysteresisRounding(10),
      numbers: [
        (4.9, 0), (5.1, 0), (7.5, 0), (7.6, 10), (5, 10), (2.5, 10), (2.4, 0), (-7.5, 0),
        (-7.6, -10), (100, 100),
      ]),
    Scenario(
      testDescription: "a circle ends at its start",
      step: HysteresisRounding(45, period: 360),
      numbers: [
        (337.4, 315), (348, 315), (349, 0), (359, 0), (33, 0), (327, 0), (326, 315), (0.1, 0),
        (180, 180),
      ]),
    Scenario(
      testDescription: "extreme values do not overflow",
      step: HysteresisRounding(5),
      numbers: [
        (.greatestFiniteMagnitude, 1e9), (-.greatestFiniteMagnitude, -1e9), (0, 0),
      ]),
  ]

  @Test(arguments: scenarios)
  func followsTheScenario(_ scenario: Scenario) {
    var step = scenario.step
    for (number, rounded) in scenario.numbers {
      #expect(step.round(number) == rounded, "\(number)")
    }
  }
}
