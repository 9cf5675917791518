import AsyncLocation
import TestSupport
import Testing

@testable import GPSDBackend

@Suite(.inTurn) struct ReportGateTests {
  enum Event: Sendable {
    case began
    case answered(AuthorizationDecision)
    case changed(AuthorizationDecision)
    case services(Bool)
    case withdrawn
  }

  /// An action; errors are compared by code.
  enum Outcome: Hashable, Sendable {
    case ask, cancelQuestion, open, close
    case end(LocationError.Code)

    init(_ action: ReportGate.Action) {
      self =
        switch action {
        case .ask: .ask
        case .cancelQuestion: .cancelQuestion
        case .open: .open
        case .close: .close
        case .end(let error): .end(error.code)
        }
    }
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let steps: [(Event, [Outcome])]

    init(_ testDescription: String, _ steps: [(Event, [Outcome])]) {
      (self.testDescription, self.steps) = (testDescription, steps)
    }
  }

  static let coarse = AuthorizationDecision.authorizedAlways.limited(to: .reduced)

  static let scenarios = [
    Scenario(
      "a grant starts reports once",
      [(.began, [.ask]), (.answered(.authorizedWhenInUse), [.open]), (.began, [])]),
    Scenario(
      "a withdrawal discards what is unread",
      [
        (.withdrawn, []), (.began, [.ask]), (.withdrawn, []),
        (.answered(.authorizedWhenInUse), [.open]), (.withdrawn, [.close, .open]),
      ]),
    Scenario(
      "always is accepted too", [(.began, [.ask]), (.answered(.authorizedAlways), [.open])]),
    Scenario(
      "a refusal ends the reports",
      [(.began, [.ask]), (.answered(.denied), [.end(.denied)]), (.began, [])]),
    Scenario(
      "a restriction ends the reports",
      [(.began, [.ask]), (.answered(.restricted), [.end(.restricted)])]),
    Scenario(
      "reduced accuracy ends the reports",
      [(.began, [.ask]), (.answered(coarse), [.end(.denied)])]),
    Scenario(
      "no reports before a decision",
      [
        (.began, [.ask]), (.answered(.notDetermined), []),
        (.changed(.authorizedWhenInUse), [.open]),
      ]),
    Scenario(
      "a known decision is not requested",
      [(.changed(.authorizedAlways), []), (.began, [.open])]),
    Scenario(
      "an earlier refusal ends the reports at the start",
      [(.changed(.denied), []), (.began, [.end(.denied)])]),
    Scenario(
      "services that are off end the reports at the start",
      [(.services(false), []), (.began, [.end(.locationServicesDisabled)])]),
    Scenario(
      "a decision overtakes the question",
      [(.began, [.ask]), (.changed(.authorizedAlways), [.cancelQuestion, .open])]),
    Scenario(
      "F28 a revocation ends the reports, and nothing follows",
      [
        (.began, [.ask]), (.answered(.authorizedWhenInUse), [.open]),
        (.changed(.denied), [.end(.denied)]), (.changed(.authorizedAlways), []),
        (.answered(.authorizedAlways), []),
      ]),
    Scenario(
      "F28 switching services off ends the reports",
      [
        (.began, [.ask]), (.answered(.authorizedWhenInUse), [.open]),
        (.services(false), [.end(.locationServicesDisabled)]), (.services(true), []),
      ]),
    Scenario(
      "a reduction of accuracy ends the reports",
      [
        (.began, [.ask]), (.answered(.authorizedWhenInUse), [.open]),
        (.changed(coarse), [.end(.denied)]),
      ]),
    Scenario(
      "a reset decision stops reports and is requested again",
      [
        (.began, [.ask]), (.answered(.authorizedWhenInUse), [.open]),
        (.changed(.notDetermined), [.ask, .close]), (.answered(.authorizedOnce), [.open]),
      ]),
  ]

  @Test(arguments: scenarios)
  func followsTheScenario(_ scenario: Scenario) {
    var gate = ReportGate()
    for (event, expected) in scenario.steps {
      let actions =
        switch event {
        case .began: gate.began()
        case .answered(let decision): gate.answered(decision)
        case .changed(let decision): gate.changed(.decision(decision))
        case .services(let enabled): gate.changed(.locationServices(enabled: enabled))
        case .withdrawn: gate.changed(.withdrawal)
        }
      #expect(actions.map(Outcome.init) == expected, "after \(event)")
    }
  }

  @Test func aRefusalHasThePolicysReason() {
    var gate = ReportGate()
    _ = gate.began()
    guard case .end(let error)? = gate.answered(.denied.withReason("Night.")).last else {
      Issue.record("a refusal did not end it")
      return
    }
    #expect(error.message.contains("Night."))
  }
}
