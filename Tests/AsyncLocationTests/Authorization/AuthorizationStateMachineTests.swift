import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct AuthorizationStateMachineTests {
  typealias Machine = AuthorizationStateMachine

  struct Step: Sendable {
    let event: Machine.Event
    let actions: [Machine.Action]
    let status: AuthorizationStatus

    init(
      _ event: Machine.Event, _ actions: [Machine.Action],
      _ status: AuthorizationStatus = .notDetermined
    ) {
      (self.event, self.actions, self.status) = (event, actions, status)
    }
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let steps: [Step]

    init(_ testDescription: String, _ steps: [Step]) {
      (self.testDescription, self.steps) = (testDescription, steps)
    }
  }

  @Test(
    arguments: fromUndetermined + upgradesToAlways + sharing + policyChanges + once + provisional
      + services + source + use)
  func followsTheScenario(_ scenario: Scenario) {
    var machine = Machine()
    for step in scenario.steps {
      #expect(machine.handle(step.event) == step.actions, "after \(step.event)")
      #expect(machine.status == step.status, "after \(step.event)")
    }
  }

  // MARK: The first question

  static let fromUndetermined =
    AuthorizationDecision.Permission.allCases.flatMap { permission in
      [
        Scenario(
          "while in use asked first and answered \(permission)",
          [
            Step(.requested(.whenInUse), [.ask(.whenInUse)]),
            Step(
              .answered(AuthorizationDecision(permission)), [.answer(.whenInUse)],
              permission.status),
          ]),
        Scenario(
          "always asked first and answered \(permission)",
          [
            Step(.requested(.always), [.ask(.always)]),
            Step(
              .answered(AuthorizationDecision(permission)),
              [.answer(.whenInUse), .answer(.always)],
              permission.status),
          ]),
      ]
    } + [
      Scenario(
        "an answer that determines nothing lets the next request ask again",
        [
          Step(.requested(.whenInUse), [.ask(.whenInUse)]),
          Step(.answered(.notDetermined), [.answer(.whenInUse)]),
          Step(.requested(.whenInUse), [.ask(.whenInUse)]),
        ]),
      Scenario(
        "determined permission answers at once",
        [
          Step(.changed(.restricted), [], .restricted),
          Step(.requested(.whenInUse), [.answer(.whenInUse)], .restricted),
          Step(.requested(.always), [.answer(.always)], .restricted),
        ]),
      Scenario("an answer without a question is ignored", [Step(.answered(.authorizedAlways), [])]),
    ]

  // MARK: Upgrade to always

  private static let whenInUse = [
    Step(.requested(.whenInUse), [.ask(.whenInUse)]),
    Step(.answered(.authorizedWhenInUse), [.answer(.whenInUse)], .authorizedWhenInUse),
  ]

  static let upgradesToAlways = [
    Scenario(
      "always is asked after while in use, and granted",
      whenInUse + [
        Step(.requested(.always), [.ask(.always)], .authorizedWhenInUse),
        Step(
          .answered(.authorizedAlways), [.answer(.whenInUse), .answer(.always)],
          .authorizedAlways),
        Step(.requested(.always), [.answer(.always)], .authorizedAlways),
        Step(.requested(.whenInUse), [.answer(.whenInUse)], .authorizedAlways),
      ]),
    Scenario(
      "keeping while in use is an answer, and a repeat asks no question",
      whenInUse + [
        Step(.requested(.always), [.ask(.always)], .authorizedWhenInUse),
        Step(
          .answered(.authorizedWhenInUse), [.answer(.whenInUse), .answer(.always)],
          .authorizedWhenInUse),
        Step(.requested(.always), [.answer(.always)], .authorizedWhenInUse),
      ]),
    Scenario(
      "a later change of the policy lowers permission, and always may be asked again after another grant",
      whenInUse + [
        Step(.requested(.always), [.ask(.always)], .authorizedWhenInUse),
        Step(.answered(.denied), [.answer(.whenInUse), .answer(.always)], .authorizedWhenInUse),
        Step(.changed(.authorizedWhenInUse), [], .authorizedWhenInUse),
        Step(.requested(.always), [.answer(.always)], .authorizedWhenInUse),
        Step(.changed(.denied), [], .denied),
        Step(.changed(.authorizedWhenInUse), [], .authorizedWhenInUse),
        Step(.requested(.always), [.ask(.always)], .authorizedWhenInUse),
      ]),
    Scenario(
      "always is declined, and while in use was granted during the question",
      [
        Step(.requested(.always), [.ask(.always)]),
        Step(.changed(.authorizedWhenInUse), [.answer(.whenInUse)], .authorizedWhenInUse),
        Step(.answered(.denied), [.answer(.whenInUse), .answer(.always)], .authorizedWhenInUse),
        Step(.requested(.always), [.answer(.always)], .authorizedWhenInUse),
      ]),
    Scenario(
      "always is declined after while in use was asked first",
      [
        Step(.requested(.whenInUse), [.ask(.whenInUse)]),
        Step(.requested(.always), []),
        Step(
          .answered(.authorizedWhenInUse), [.answer(.whenInUse), .ask(.always)],
          .authorizedWhenInUse),
        Step(
          .answered(.restricted), [.answer(.whenInUse), .answer(.always)], .authorizedWhenInUse),
      ]),
    Scenario(
      "provisional always raises while in use, and is lowered for good",
      whenInUse + [
        Step(.requested(.always), [.ask(.always)], .authorizedWhenInUse),
        Step(
          .answered(.provisionallyAuthorizedAlways), [.answer(.whenInUse), .answer(.always)],
          .authorizedAlways),
        Step(.changed(.authorizedWhenInUse), [], .authorizedWhenInUse),
        Step(.requested(.always), [.answer(.always)], .authorizedWhenInUse),
      ]),
    Scenario(
      "while in use is answered at once during the question for always",
      whenInUse + [
        Step(.requested(.always), [.ask(.always)], .authorizedWhenInUse),
        Step(.requested(.whenInUse), [.answer(.whenInUse)], .authorizedWhenInUse),
        Step(.answered(.denied), [.answer(.whenInUse), .answer(.always)], .authorizedWhenInUse),
      ]),
    Scenario(
      "always that is answered with while in use counts as asked",
      [
        Step(.requested(.always), [.ask(.always)]),
        Step(
          .answered(.authorizedWhenInUse), [.answer(.whenInUse), .answer(.always)],
          .authorizedWhenInUse),
        Step(.requested(.always), [.answer(.always)], .authorizedWhenInUse),
      ]),
  ]

  /// Declining the upgrade to always keeps when-in-use and its accuracy. The policy is asked for
  /// always only once.
  @Test(
    arguments: [
      AuthorizationDecision.denied, .restricted, .notDetermined, .authorizedOnce,
      .authorizedOnce.limited(to: .reduced), .denied.limited(to: .reduced),
    ], AccuracyAuthorization.allCases)
  func decliningAlwaysKeepsPermission(
    _ answer: AuthorizationDecision, _ accuracy: AccuracyAuthorization
  ) {
    let held = AuthorizationDecision.authorizedWhenInUse.limited(to: accuracy).withReason("By day.")
    var machine = Machine()
    _ = machine.handle(.changed(held))
    if accuracy == .reduced {
      _ = machine.handle(.requestedFullAccuracy(purposeKey: "p"))
      _ = machine.handle(.answeredFullAccuracy(isGranted: true))
    }
    let purpose = machine.fullAccuracyPurpose
    #expect(machine.handle(.requested(.always)) == [.ask(.always)])
    #expect(
      machine.handle(.answered(answer.withReason("Not by night.")))
        == [.answer(.whenInUse), .answer(.always)])
    #expect(machine.decision == held)
    #expect(machine.fullAccuracyPurpose == purpose)
    #expect(machine.alwaysWasAsked)
    #expect(machine.handle(.requested(.always)) == [.answer(.always)])
    #expect(machine.handle(.demandEnded) == [])
    #expect(machine.decision == held)
  }

  /// A decision that grants at least while in use is applied unchanged, including accuracy.
  @Test(
    arguments: [
      AuthorizationDecision.authorizedWhenInUse, .provisionallyAuthorizedAlways, .authorizedAlways,
    ], AccuracyAuthorization.allCases)
  func aGrantForAlwaysAppliesWithItsAccuracy(
    _ answer: AuthorizationDecision, _ accuracy: AccuracyAuthorization
  ) {
    for held in AccuracyAuthorization.allCases {
      var machine = Machine()
      _ = machine.handle(.changed(.authorizedWhenInUse.limited(to: held)))
      _ = machine.handle(.requested(.always))
      _ = machine.handle(.answered(answer.limited(to: accuracy)))
      #expect(machine.decision == answer.limited(to: accuracy))
    }
  }

  // MARK: Sharing

  static let sharing = [
    Scenario(
      "always requested during the question for while in use is asked next",
      [
        Step(.requested(.whenInUse), [.ask(.whenInUse)]),
        Step(.requested(.always), []),
        Step(.requested(.whenInUse), []),
        Step(.requested(.always), []),
        Step(
          .answered(.authorizedWhenInUse), [.answer(.whenInUse), .ask(.always)],
          .authorizedWhenInUse),
        Step(
          .answered(.authorizedAlways), [.answer(.whenInUse), .answer(.always)],
          .authorizedAlways),
      ]),
    Scenario(
      "a refusal of while in use also answers always",
      [
        Step(.requested(.whenInUse), [.ask(.whenInUse)]),
        Step(.requested(.always), []),
        Step(.answered(.denied), [.answer(.whenInUse), .answer(.always)], .denied),
      ]),
    Scenario(
      "always without waiting callers is not asked next",
      [
        Step(.requested(.whenInUse), [.ask(.whenInUse)]),
        Step(.requested(.always), []),
        Step(.withdrawn(.always), []),
        Step(.answered(.authorizedWhenInUse), [.answer(.whenInUse)], .authorizedWhenInUse),
      ]),
    Scenario(
      "a pending question stays pending when its callers leave",
      [
        Step(.requested(.always), [.ask(.always)]),
        Step(.withdrawn(.always), []),
        Step(.requested(.whenInUse), []),
        Step(
          .answered(.authorizedAlways), [.answer(.whenInUse), .answer(.always)],
          .authorizedAlways),
      ]),
  ]

  // MARK: Changes by the policy

  static let policyChanges = [
    Scenario(
      "a refusal overtakes the question, whose answer is ignored",
      [
        Step(.requested(.whenInUse), [.ask(.whenInUse)]),
        Step(.requested(.always), []),
        Step(
          .changed(.denied), [.cancelQuestion, .answer(.whenInUse), .answer(.always)], .denied),
        Step(.answered(.authorizedAlways), [], .denied),
      ]),
    Scenario(
      "a grant overtakes the question, and always is asked next",
      [
        Step(.requested(.whenInUse), [.ask(.whenInUse)]),
        Step(.requested(.always), []),
        Step(
          .changed(.authorizedWhenInUse), [.cancelQuestion, .answer(.whenInUse), .ask(.always)],
          .authorizedWhenInUse),
      ]),
    Scenario(
      "always is still asked when while in use is granted meanwhile",
      [
        Step(.requested(.always), [.ask(.always)]),
        Step(.requested(.whenInUse), []),
        Step(.changed(.authorizedWhenInUse), [.answer(.whenInUse)], .authorizedWhenInUse),
        Step(
          .answered(.authorizedAlways), [.answer(.whenInUse), .answer(.always)],
          .authorizedAlways),
      ]),
    Scenario(
      "reset and granted again",
      whenInUse + [
        Step(.changed(.denied), [], .denied),
        Step(.changed(.authorizedAlways), [], .authorizedAlways),
        Step(.changed(.notDetermined), [], .notDetermined),
        Step(.requested(.whenInUse), [.ask(.whenInUse)]),
      ]),
    Scenario(
      "a reset answer keeps the pending question",
      [
        Step(.requested(.whenInUse), [.ask(.whenInUse)]),
        Step(.changed(.notDetermined), []),
        Step(.answered(.authorizedWhenInUse), [.answer(.whenInUse)], .authorizedWhenInUse),
      ]),
  ]

  // MARK: Once

  private static let grantedOnce = [
    Step(.requested(.whenInUse), [.ask(.whenInUse)]),
    Step(.answered(.authorizedOnce), [.answer(.whenInUse)], .authorizedWhenInUse),
  ]

  static let once = [
    Scenario(
      "once lapses when the last demand ends",
      grantedOnce + [
        Step(.demandEnded, [], .notDetermined),
        Step(.requested(.whenInUse), [.ask(.whenInUse)]),
      ]),
    Scenario(
      "once is not raised to always",
      grantedOnce + [Step(.requested(.always), [.answer(.always)], .authorizedWhenInUse)]),
    Scenario(
      "a waiting request for always gets once",
      [
        Step(.requested(.whenInUse), [.ask(.whenInUse)]),
        Step(.requested(.always), []),
        Step(
          .answered(.authorizedOnce), [.answer(.whenInUse), .answer(.always)],
          .authorizedWhenInUse),
      ]),
    Scenario(
      "once lapses out of use", grantedOnce + [Step(.use(false), [], .notDetermined)]),
    Scenario(
      "once that was granted out of use does not lapse before the use ends",
      [
        Step(.use(false), []), Step(.changed(.authorizedOnce), [], .authorizedWhenInUse),
        Step(.use(false), [], .authorizedWhenInUse), Step(.use(true), [], .authorizedWhenInUse),
        Step(.use(false), [], .notDetermined),
      ]),
    Scenario(
      "lasting permission does not lapse",
      whenInUse + [
        Step(.demandEnded, [], .authorizedWhenInUse),
        Step(.use(false), [], .authorizedWhenInUse),
      ]),
  ]

  // MARK: Provisional always

  private static let grantedProvisionally = [
    Step(.requested(.always), [.ask(.always)]),
    Step(
      .answered(.provisionallyAuthorizedAlways), [.answer(.whenInUse), .answer(.always)],
      .authorizedAlways),
  ]

  static let provisional = [
    Scenario(
      "provisional always is confirmed",
      grantedProvisionally + [
        Step(.requested(.always), [.answer(.always)], .authorizedAlways),
        Step(.changed(.authorizedAlways), [], .authorizedAlways),
      ]),
    Scenario(
      "provisional always is lowered, and not asked for again",
      grantedProvisionally + [
        Step(.changed(.authorizedWhenInUse), [], .authorizedWhenInUse),
        Step(.requested(.always), [.answer(.always)], .authorizedWhenInUse),
      ]),
  ]

  // MARK: Services and sources

  static let services = [
    Scenario(
      "services off deny, services on restore",
      whenInUse + [
        Step(.locationServices(enabled: false), [], .denied),
        Step(.requested(.always), [.answer(.always)], .denied),
        Step(.changed(.authorizedAlways), [], .denied),
        Step(.locationServices(enabled: true), [], .authorizedAlways),
      ]),
    Scenario(
      "services off overtake the question",
      [
        Step(.requested(.whenInUse), [.ask(.whenInUse)]),
        Step(
          .locationServices(enabled: false), [.cancelQuestion, .answer(.whenInUse)], .denied),
        Step(.locationServices(enabled: true), []),
        Step(.requested(.whenInUse), [.ask(.whenInUse)]),
      ]),
  ]

  static let source = [
    Scenario(
      "a source refuses a grant and restores it",
      whenInUse + [
        Step(.source(refusal: .restricted), [], .restricted),
        Step(.source(refusal: .denied), [], .denied),
        Step(.source(refusal: nil), [], .authorizedWhenInUse),
      ]),
    Scenario(
      "a source grants nothing that the policy refuses",
      [
        Step(.changed(.denied), [], .denied),
        Step(.source(refusal: nil), [], .denied),
        Step(.source(refusal: .restricted), [], .denied),
      ]),
  ]

  static let use = [
    Scenario(
      "use does not change a lasting status",
      whenInUse + [
        Step(.use(false), [], .authorizedWhenInUse), Step(.use(true), [], .authorizedWhenInUse),
      ])
  ]

  @Test("O10 the machine keeps no error of a user, which would be freed with a lock held")
  func aSourcesProblemIsKeptWithoutItsCause() {
    final class Failure: Error {}
    var machine = Machine()
    _ = machine.handle(.changed(.authorizedWhenInUse))
    weak var kept: Failure?
    do {
      let cause = Failure()
      kept = cause
      let problem = LocationError(.denied, "No access to the port.", cause: cause)
      _ = machine.handle(.source(refusal: .denied, problem: problem))
    }
    #expect(kept == nil)
    #expect(machine.refusal?.message == "No access to the port.")
  }

  @Test(arguments: AuthorizationDecision.Permission.allCases, [true, false])
  func deliveryFollowsPermissionAndUse(
    _ permission: AuthorizationDecision.Permission, _ isInUse: Bool
  ) {
    var machine = Machine()
    _ = machine.handle(.changed(AuthorizationDecision(permission)))
    _ = machine.handle(.use(isInUse))
    let expected =
      switch permission {
      case .always, .provisionalAlways: true
      case .whenInUse, .whenInUseOnce: isInUse
      case .notDetermined, .restricted, .denied: false
      }
    #expect(machine.permitsDelivery == expected)
  }

  // MARK: Accuracy

  private static let reduced = Step(
    .changed(.authorizedWhenInUse.limited(to: .reduced)), [], .authorizedWhenInUse)

  /// Scenarios, each with the accuracy after its last step.
  static let accuracy: [(Scenario, AccuracyAuthorization)] = [
    (
      Scenario(
        "granted for a purpose, then expired",
        [
          reduced,
          Step(
            .requestedFullAccuracy(purposeKey: "p"), [.askForFullAccuracy(purposeKey: "p")],
            .authorizedWhenInUse),
          Step(
            .answeredFullAccuracy(isGranted: true),
            [.answerFullAccuracy(purposeKey: "p", isGranted: true)], .authorizedWhenInUse),
          Step(
            .requestedFullAccuracy(purposeKey: "q"),
            [.answerFullAccuracy(purposeKey: "q", isGranted: true)], .authorizedWhenInUse),
          Step(.fullAccuracyExpired, [], .authorizedWhenInUse),
        ]), .reduced
    ),
    (
      Scenario(
        "declined, then the next purpose is asked",
        [
          reduced,
          Step(
            .requestedFullAccuracy(purposeKey: "p"), [.askForFullAccuracy(purposeKey: "p")],
            .authorizedWhenInUse),
          Step(.requestedFullAccuracy(purposeKey: "q"), [], .authorizedWhenInUse),
          Step(.requestedFullAccuracy(purposeKey: "q"), [], .authorizedWhenInUse),
          Step(.withdrawnFullAccuracy(purposeKey: "p"), [], .authorizedWhenInUse),
          Step(
            .answeredFullAccuracy(isGranted: false),
            [
              .answerFullAccuracy(purposeKey: "p", isGranted: false),
              .askForFullAccuracy(purposeKey: "q"),
            ], .authorizedWhenInUse),
          Step(
            .answeredFullAccuracy(isGranted: true),
            [.answerFullAccuracy(purposeKey: "q", isGranted: true)], .authorizedWhenInUse),
        ]), .full
    ),
    (
      Scenario(
        "a purpose without waiting callers is not asked",
        [
          reduced,
          Step(
            .requestedFullAccuracy(purposeKey: "p"), [.askForFullAccuracy(purposeKey: "p")],
            .authorizedWhenInUse),
          Step(.requestedFullAccuracy(purposeKey: "q"), [], .authorizedWhenInUse),
          Step(.withdrawnFullAccuracy(purposeKey: "q"), [], .authorizedWhenInUse),
          Step(
            .answeredFullAccuracy(isGranted: false),
            [.answerFullAccuracy(purposeKey: "p", isGranted: false)], .authorizedWhenInUse),
        ]), .reduced
    ),
    (
      Scenario(
        "a revocation ends full accuracy, a new grant does not restore it",
        [
          reduced,
          Step(
            .requestedFullAccuracy(purposeKey: "p"), [.askForFullAccuracy(purposeKey: "p")],
            .authorizedWhenInUse),
          Step(
            .answeredFullAccuracy(isGranted: true),
            [.answerFullAccuracy(purposeKey: "p", isGranted: true)], .authorizedWhenInUse),
          Step(.changed(.denied), [], .denied),
          reduced,
        ]), .reduced
    ),
    (
      Scenario(
        "a revocation declines the pending question",
        [
          reduced,
          Step(
            .requestedFullAccuracy(purposeKey: "p"), [.askForFullAccuracy(purposeKey: "p")],
            .authorizedWhenInUse),
          Step(
            .locationServices(enabled: false),
            [
              .cancelFullAccuracyQuestion,
              .answerFullAccuracy(purposeKey: "p", isGranted: false),
            ], .denied),
          Step(.answeredFullAccuracy(isGranted: true), [], .denied),
        ]), .reduced
    ),
    (
      Scenario(
        "a change to full accuracy grants the pending question",
        [
          reduced,
          Step(
            .requestedFullAccuracy(purposeKey: "p"), [.askForFullAccuracy(purposeKey: "p")],
            .authorizedWhenInUse),
          Step(
            .changed(.authorizedAlways),
            [
              .cancelFullAccuracyQuestion,
              .answerFullAccuracy(purposeKey: "p", isGranted: true),
            ], .authorizedAlways),
        ]), .full
    ),
    (
      Scenario(
        "without permission no question is asked",
        [
          Step(
            .requestedFullAccuracy(purposeKey: "p"),
            [.answerFullAccuracy(purposeKey: "p", isGranted: false)])
        ]), .full
    ),
    (
      Scenario(
        "full accuracy is answered at once",
        [
          Step(.changed(.authorizedAlways), [], .authorizedAlways),
          Step(
            .requestedFullAccuracy(purposeKey: "p"),
            [.answerFullAccuracy(purposeKey: "p", isGranted: true)], .authorizedAlways),
        ]), .full
    ),
    (
      Scenario(
        "a change of the rule ends full accuracy granted under the old one",
        [
          reduced,
          Step(
            .requestedFullAccuracy(purposeKey: "p"), [.askForFullAccuracy(purposeKey: "p")],
            .authorizedWhenInUse),
          Step(
            .answeredFullAccuracy(isGranted: true),
            [.answerFullAccuracy(purposeKey: "p", isGranted: true)], .authorizedWhenInUse),
          reduced,  // An equal decision is no change.
          Step(
            .changed(.authorizedAlways.limited(to: .reduced)), [], .authorizedAlways),
        ]), .reduced
    ),
  ]

  @Test(arguments: accuracy)
  func followsTheAccuracyScenario(_ scenario: Scenario, _ accuracy: AccuracyAuthorization) {
    var machine = Machine()
    for step in scenario.steps {
      #expect(machine.handle(step.event) == step.actions, "after \(step.event)")
      #expect(machine.status == step.status, "after \(step.event)")
    }
    #expect(machine.accuracy == accuracy)
  }
}
