import AsyncLocation
import Testing

@testable import GPSDBackend

@Suite struct ReportGateTests {
  enum Event: Sendable {
    case begin
    case answered(AuthorizationDecision)
    case changed(AuthorizationDecision)
    case services(Bool)
  }

  /// An action; an error by its code.
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
      "a grant lets reports flow, once",
      [(.begin, [.ask]), (.answered(.authorizedWhenInUse), [.open]), (.begin, [])]),
    Scenario("always serves too", [(.begin, [.ask]), (.answered(.authorizedAlways), [.open])]),
    Scenario(
      "a refusal ends", [(.begin, [.ask]), (.answered(.denied), [.end(.denied)]), (.begin, [])]),
    Scenario(
      "a restriction ends", [(.begin, [.ask]), (.answered(.restricted), [.end(.restricted)])]),
    Scenario("coarse positions end", [(.begin, [.ask]), (.answered(coarse), [.end(.denied)])]),
    Scenario(
      "nothing flows while nothing is decided",
      [
        (.begin, [.ask]), (.answered(.notDetermined), []),
        (.changed(.authorizedWhenInUse), [.open]),
      ]),
    Scenario(
      "what is known before is not asked for",
      [(.changed(.authorizedAlways), []), (.begin, [.open])]),
    Scenario(
      "what is refused before ends at the beginning",
      [(.changed(.denied), []), (.begin, [.end(.denied)])]),
    Scenario(
      "services that are off before end at the beginning",
      [(.services(false), []), (.begin, [.end(.locationServicesDisabled)])]),
    Scenario(
      "a decision overtakes the question",
      [(.begin, [.ask]), (.changed(.authorizedAlways), [.cancelQuestion, .open])]),
    Scenario(
      "F28 a revocation ends, and nothing follows",
      [
        (.begin, [.ask]), (.answered(.authorizedWhenInUse), [.open]),
        (.changed(.denied), [.end(.denied)]), (.changed(.authorizedAlways), []),
        (.answered(.authorizedAlways), []),
      ]),
    Scenario(
      "F28 services switched off end",
      [
        (.begin, [.ask]), (.answered(.authorizedWhenInUse), [.open]),
        (.services(false), [.end(.locationServicesDisabled)]), (.services(true), []),
      ]),
    Scenario(
      "accuracy reduced meanwhile ends",
      [
        (.begin, [.ask]), (.answered(.authorizedWhenInUse), [.open]),
        (.changed(coarse), [.end(.denied)]),
      ]),
    Scenario(
      "an answer taken back stops reports and is asked for anew",
      [
        (.begin, [.ask]), (.answered(.authorizedWhenInUse), [.open]),
        (.changed(.notDetermined), [.ask, .close]), (.answered(.authorizedOnce), [.open]),
      ]),
  ]

  @Test(arguments: scenarios)
  func follows(_ scenario: Scenario) {
    var gate = ReportGate()
    for (event, expected) in scenario.steps {
      let actions =
        switch event {
        case .begin: gate.begin()
        case .answered(let decision): gate.answered(decision)
        case .changed(let decision): gate.changed(.decision(decision))
        case .services(let enabled): gate.changed(.locationServices(enabled: enabled))
        }
      #expect(actions.map(Outcome.init) == expected, "after \(event)")
    }
  }

  @Test func theReasonIsReported() {
    var gate = ReportGate()
    _ = gate.begin()
    guard case .end(let error)? = gate.answered(.denied.withReason("Night.")).last else {
      Issue.record("a refusal did not end it")
      return
    }
    #expect(error.message.contains("Night."))
  }
}
