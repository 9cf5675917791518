import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct OneShotStateMachineTests {
  typealias Machine = OneShotStateMachine

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var accuracy = DesiredAccuracy.nearestTenMeters
    var best: Location?
    let steps: [(Machine.Event, Machine.Action)]
  }

  private static let unknown = Sample.location(1)
  private static let coarse = Sample.location(2, accuracy: 90)
  private static let alsoCoarse = Sample.location(3, accuracy: 90)
  private static let better = Sample.location(4, accuracy: 40)
  private static let good = Sample.location(5, accuracy: 10)
  private static let problem = LocationError(.connectionLost, "gpsd went away.")

  static let scenarios = [
    Scenario(
      testDescription: "an accurate location answers", steps: [(.located(good), .answer(good))]),
    Scenario(
      testDescription: "the best accuracy accepts any location", accuracy: .best,
      steps: [(.located(unknown), .answer(unknown))]),
    Scenario(
      testDescription: "less accurate locations do not end the wait",
      steps: [
        (.located(coarse), .none), (.located(unknown), .none), (.located(good), .answer(good)),
      ]),
    Scenario(
      testDescription: "the most accurate location is returned at the deadline",
      steps: [
        (.located(coarse), .none), (.located(better), .none), (.located(coarse), .none),
        (.deadlinePassed(nil), .answer(better)),
      ]),
    Scenario(
      testDescription: "of two equally accurate locations the newer is returned",
      steps: [
        (.located(coarse), .none), (.located(alsoCoarse), .none),
        (.deadlinePassed(problem), .answer(alsoCoarse)),
      ]),
    Scenario(
      testDescription: "a known accuracy beats an unknown one",
      steps: [
        (.located(coarse), .none), (.located(unknown), .none),
        (.deadlinePassed(nil), .answer(coarse)),
      ]),
    Scenario(
      testDescription: "an unknown accuracy is used only without a known one",
      steps: [
        (.located(unknown), .none), (.located(coarse), .none),
        (.deadlinePassed(nil), .answer(coarse)),
      ]),
    Scenario(
      testDescription: "a known location is returned at the deadline", best: coarse,
      steps: [(.deadlinePassed(nil), .answer(coarse))]),
    Scenario(
      testDescription: "a known location is replaced by a more accurate one", best: coarse,
      steps: [(.located(better), .none), (.deadlinePassed(nil), .answer(better))]),
    Scenario(
      testDescription: "the end fails even with a candidate", best: coarse,
      steps: [(.ended(problem), .fail(problem))]),
  ]

  @Test(arguments: scenarios)
  func followsTheScenario(_ scenario: Scenario) {
    var machine = Machine(
      accuracy: scenario.accuracy, timeout: .seconds(5), best: scenario.best)
    for (event, action) in scenario.steps {
      #expect(machine.handle(event) == action, "after \(event)")
    }
  }

  @Test(arguments: [nil, problem])
  func timesOutWithTheReason(_ problem: LocationError?) throws {
    var machine = Machine(accuracy: .best, timeout: .seconds(5))
    guard case .fail(let error) = machine.handle(.deadlinePassed(problem)) else {
      Issue.record("a deadline with nothing known must fail")
      return
    }
    #expect(error.code == .timedOut)
    #expect(error.message.contains("\(Duration.seconds(5))"))
    #expect(error.cause as? LocationError == problem)
    if let problem { #expect(error.message.contains(problem.message)) }
  }
}
