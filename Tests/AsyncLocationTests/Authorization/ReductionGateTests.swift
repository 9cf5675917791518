import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct ReductionGateTests {
  typealias Decision = AuthorizationDecision

  enum Event: Sendable {
    case changed(Decision, inForce: Decision)
    case answered(Question, Decision, inForce: Decision)
    case keyWasRead(notice: String? = nil, inForce: Decision = .notDetermined)
    case keyFailed
    case ended
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let steps: [(Event, [ReductionGate.Action])]
  }

  private static let reduced = Decision.authorizedWhenInUse.limited(to: .reduced)
  private static let reducedAlways = Decision.authorizedAlways.limited(to: .reduced)
  private static let failed = Decision.denied.withReason("no key")
  private static let question = Question(number: 1, subject: .permission(.always))

  static let scenarios = [
    Scenario(
      testDescription: "a change without a key takes effect at once",
      steps: [
        (.changed(.authorizedAlways, inForce: .notDetermined), [.change(.authorizedAlways)]),
        (.changed(.denied, inForce: .authorizedAlways), [.change(.denied)]),
        (
          .changed(.denied.limited(to: .reduced), inForce: .denied),
          [.change(.denied.limited(to: .reduced))]
        ),
        (.answered(question, .restricted, inForce: .denied), [.answer(question, .restricted)]),
      ]),
    Scenario(
      testDescription: "a grant waits for the key",
      steps: [
        (.changed(reduced, inForce: .notDetermined), [.readKey(1)]),
        (.changed(reducedAlways, inForce: .notDetermined), []),
        (.keyWasRead(), [.change(reducedAlways)]),
        (.changed(reduced, inForce: .notDetermined), [.change(reduced)]),
      ]),
    Scenario(
      testDescription: "a reduction does not wait",
      steps: [
        (.changed(reduced, inForce: .authorizedAlways), [.change(reduced), .readKey(1)]),
        (.changed(reducedAlways, inForce: reduced), [.change(reducedAlways)]),
        (.keyWasRead(inForce: reducedAlways), []),
      ]),
    Scenario(
      testDescription: "a grant without a key is denied, and the key is read again",
      steps: [
        (.changed(reduced, inForce: .authorizedAlways), [.change(reduced), .readKey(1)]),
        (.keyFailed, [.denyReduced(failed)]),
        (.keyFailed, []),
        (.changed(reduced, inForce: .denied), [.readKey(2)]),
        (.keyFailed, [.denyReduced(failed), .change(failed)]),
      ]),
    Scenario(
      testDescription: "a revocation replaces a waiting grant",
      steps: [
        (.changed(reduced, inForce: .notDetermined), [.readKey(1)]),
        (.changed(.denied, inForce: .notDetermined), [.change(.denied)]),
        (.keyWasRead(), []),
      ]),
    Scenario(
      testDescription: "an answer waits for the key, and precise delivery stops",
      steps: [
        (
          .answered(question, reducedAlways, inForce: .authorizedWhenInUse),
          [.change(reduced), .readKey(1)]
        ),
        (.keyWasRead(), [.answer(question, reducedAlways)]),
      ]),
    Scenario(
      testDescription: "an answer without a key is a refusal",
      steps: [
        (.answered(question, reduced, inForce: .notDetermined), [.readKey(1)]),
        (.keyFailed, [.denyReduced(failed), .answer(question, failed)]),
      ]),
    Scenario(
      testDescription: "a change overtakes a waiting answer",
      steps: [
        (.answered(question, reduced, inForce: .notDetermined), [.readKey(1)]),
        (
          .changed(.notDetermined, inForce: .notDetermined),
          [.change(.notDetermined), .answer(question, .notDetermined)]
        ),
        (.keyWasRead(), []),
      ]),
    Scenario(
      testDescription: "a waiting change overtakes a waiting answer when both take effect",
      steps: [
        (.answered(question, reducedAlways, inForce: .notDetermined), [.readKey(1)]),
        (.changed(reduced, inForce: .notDetermined), []),
        (.keyWasRead(), [.change(reduced), .answer(question, .notDetermined)]),
      ]),
    Scenario(
      testDescription: "an answer overtakes a waiting change",
      steps: [
        (.changed(reduced, inForce: .notDetermined), [.readKey(1)]),
        (.answered(question, .denied, inForce: .notDetermined), [.answer(question, .denied)]),
        (.keyWasRead(), []),
      ]),
    Scenario(
      testDescription: "an answer that changes nothing waits for the pending change",
      steps: [
        (.changed(reduced, inForce: .notDetermined), [.readKey(1)]),
        (.answered(question, .notDetermined, inForce: .notDetermined), []),
        (
          .keyFailed,
          [.denyReduced(failed), .change(failed), .answer(question, .notDetermined)]
        ),
      ]),
    Scenario(
      testDescription: "at the end a change waits for no key, and a question is over",
      steps: [
        (.ended, []),
        (.answered(question, reducedAlways, inForce: .notDetermined), [.readKey(1)]),
        (.changed(reduced, inForce: .notDetermined), []),
        (.ended, [.change(reduced)]), (.ended, []), (.keyWasRead(), []),
      ]),
    Scenario(
      testDescription: "a notice becomes part of the reason",
      steps: [
        (.changed(reduced.withReason("rule"), inForce: .notDetermined), [.readKey(1)]),
        (.keyWasRead(notice: "new key"), [.change(reduced.withReason("rule; new key"))]),
      ]),
    Scenario(
      testDescription: "a notice is added to a decision in force",
      steps: [
        (.changed(reduced, inForce: .authorizedAlways), [.change(reduced), .readKey(1)]),
        (
          .keyWasRead(notice: "new key", inForce: reduced), [.change(reduced.withReason("new key"))]
        ),
      ]),
  ]

  @Test(arguments: scenarios)
  func followsTheScenario(_ scenario: Scenario) {
    var gate = ReductionGate()
    for (event, actions) in scenario.steps {
      let actual =
        switch event {
        case .changed(let new, let inForce): gate.changed(to: new, inForce: inForce)
        case .answered(let question, let decision, let inForce):
          gate.answered(question, decision, inForce: inForce)
        case .keyWasRead(let notice, let inForce):
          gate.keyWasRead(notice: notice, inForce: inForce)
        case .keyFailed: gate.keyFailed("no key")
        case .ended: gate.ended()
        }
      #expect(actual == actions, "after \(event)")
    }
  }
}
