import AsyncLocation
import TestSupport
import Testing

@testable import CombinedBackend

@Suite(.inTurn) struct SourceSelectionTests {
  /// The time in seconds, the grades of the sources, when they became good, and the source in force
  /// afterwards.
  struct Step: Sendable {
    let second: Int
    let standings: [SourceSelection.Standing]
    let inForce: Int?
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let steps: [Step]
  }

  static func step(
    _ second: Int, _ standings: [(grade: FixHistory.Grade, goodSince: Int?)], _ inForce: Int?
  ) -> Step {
    Step(
      second: second,
      standings: standings.map {
        SourceSelection.Standing(
          grade: $0.grade, goodSince: $0.goodSince.map { .seconds($0) })
      },
      inForce: inForce)
  }

  static let scenarios = [
    Scenario(
      testDescription: "no source is in force before the first fix",
      steps: [
        step(0, [(.none, nil), (.none, nil)], nil), step(1, [(.none, nil), (.poor, nil)], 1),
      ]),
    Scenario(
      testDescription: "a preferred source returns after the delay, not before",
      steps: [
        step(0, [(.none, nil), (.acceptable, 0)], 1),
        step(1, [(.acceptable, 1), (.acceptable, 0)], 1),
        step(30, [(.acceptable, 1), (.acceptable, 0)], 1),
        step(31, [(.acceptable, 1), (.acceptable, 0)], 0),
      ]),
    Scenario(
      testDescription: "the most preferred source replaces one that has lost its fix",
      steps: [
        step(0, [(.none, nil), (.none, nil), (.acceptable, 0)], 2),
        step(5, [(.acceptable, 5), (.acceptable, 1), (.acceptable, 0)], 2),
        step(6, [(.acceptable, 5), (.acceptable, 1), (.none, nil)], 0),
      ]),
    Scenario(
      testDescription: "a source without a fix stays while no other has one",
      steps: [
        step(0, [(.acceptable, 0), (.none, nil)], 0), step(20, [(.none, nil), (.none, nil)], 0),
      ]),
    Scenario(
      testDescription: "a poor fix gives way to an acceptable one, not to another poor one",
      steps: [
        step(0, [(.poor, nil), (.none, nil)], 0), step(1, [(.poor, nil), (.poor, nil)], 0),
        step(2, [(.poor, nil), (.acceptable, 2)], 1),
        step(60, [(.poor, nil), (.acceptable, 2)], 1),
      ]),
  ]

  @Test(arguments: scenarios)
  func follows(_ scenario: Scenario) {
    var selection = SourceSelection(returnDelay: .seconds(30))
    for step in scenario.steps {
      selection.update(step.standings, at: .seconds(step.second))
      #expect(selection.inForce == step.inForce, "after \(step.second) s")
    }
  }

  @Test func gradeFallsWithTime() {
    var history = FixHistory(timeout: .seconds(10))
    #expect(history.grade(at: .zero) == .none)
    history.located(isAcceptable: true, at: .seconds(1))
    #expect(history.nextFall(after: .seconds(1)) == .seconds(11))
    #expect(history.grade(at: .seconds(10)) == .acceptable)
    #expect(history.grade(at: .seconds(11)) == .none)
    history.located(isAcceptable: false, at: .seconds(20))
    #expect(history.grade(at: .seconds(20)) == .acceptable)  // The interval was 19 s.
    #expect(history.goodSince == .seconds(1))
    history.interrupted()
    #expect(history.goodSince == nil)
  }

  @Test func rareReporterIsGivenThreeIntervals() {
    var history = FixHistory(timeout: .seconds(10))
    for minute in 0..<3 { history.located(isAcceptable: true, at: .seconds(30 * minute)) }
    #expect(history.grade(at: .seconds(149)) == .acceptable)
    #expect(history.grade(at: .seconds(150)) == .none)
    // Two fixes at another pace determine the interval anew.
    for second in 0..<3 { history.located(isAcceptable: true, at: .seconds(200 + second)) }
    #expect(history.grade(at: .seconds(212)) == .none)
  }
}
