import Testing

@testable import AsyncLocation

@Suite struct AuthorizationStateMachineTests {
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

  @Test(arguments: fromUndetermined + alwaysOnTop + sharing + cancelling + changing)
  func follows(_ scenario: Scenario) {
    var machine = Machine()
    for step in scenario.steps {
      #expect(machine.handle(step.event) == step.actions, "after \(step.event)")
      #expect(machine.status == step.status, "after \(step.event)")
    }
  }

  // MARK: The first question

  static let fromUndetermined =
    AuthorizationStatus.allCases.flatMap { answer in
      AuthorizationRequest.allCases.map { request in
        Scenario(
          "\(request) asked first and answered \(answer)",
          [
            Step(.requested(request, 1), [.ask(request)]),
            Step(.answered(answer), [.answer([1], answer)], answer),
          ])
      }
    } + [
      Scenario(
        "a wish asks for when-in-use and nobody hears the answer",
        [
          Step(.wanted, [.ask(.whenInUse)]),
          Step(.wanted, []),
          Step(.answered(.authorizedWhenInUse), [], .authorizedWhenInUse),
          Step(.wanted, [], .authorizedWhenInUse),
        ]),
      Scenario(
        "a caller joins the question that a wish asked",
        [
          Step(.wanted, [.ask(.whenInUse)]),
          Step(.requested(.whenInUse, 1), []),
          Step(.answered(.denied), [.answer([1], .denied)], .denied),
        ]),
      Scenario(
        "an answer that determines nothing lets the next wish ask again",
        [
          Step(.wanted, [.ask(.whenInUse)]),
          Step(.answered(.notDetermined), []),
          Step(.wanted, [.ask(.whenInUse)]),
        ]),
      Scenario(
        "what is determined answers at once",
        [
          Step(.requested(.whenInUse, 1), [.ask(.whenInUse)]),
          Step(.answered(.restricted), [.answer([1], .restricted)], .restricted),
          Step(.requested(.whenInUse, 2), [.answer([2], .restricted)], .restricted),
          Step(.requested(.always, 3), [.answer([3], .restricted)], .restricted),
          Step(.wanted, [], .restricted),
        ]),
    ]

  // MARK: Always on top of when-in-use

  private static let whenInUse = [
    Step(.requested(.whenInUse, 1), [.ask(.whenInUse)]),
    Step(
      .answered(.authorizedWhenInUse), [.answer([1], .authorizedWhenInUse)], .authorizedWhenInUse),
  ]

  static let alwaysOnTop = [
    Scenario(
      "always is asked on top and confirmed",
      whenInUse + [
        Step(.requested(.always, 2), [.ask(.always)], .authorizedWhenInUse),
        Step(.answered(.authorizedAlways), [.answer([2], .authorizedAlways)], .authorizedAlways),
        Step(.requested(.always, 3), [.answer([3], .authorizedAlways)], .authorizedAlways),
        Step(.requested(.whenInUse, 4), [.answer([4], .authorizedAlways)], .authorizedAlways),
      ]),
    Scenario(
      "keeping when-in-use is an answer, and a repeat asks nobody",
      whenInUse + [
        Step(.requested(.always, 2), [.ask(.always)], .authorizedWhenInUse),
        Step(
          .answered(.authorizedWhenInUse), [.answer([2], .authorizedWhenInUse)],
          .authorizedWhenInUse),
        Step(.requested(.always, 3), [.answer([3], .authorizedWhenInUse)], .authorizedWhenInUse),
      ]),
    Scenario(
      "when-in-use is answered at once while always is asked on top of it",
      whenInUse + [
        Step(.requested(.always, 2), [.ask(.always)], .authorizedWhenInUse),
        Step(.requested(.whenInUse, 3), [.answer([3], .authorizedWhenInUse)], .authorizedWhenInUse),
        Step(.answered(.denied), [.answer([2], .denied)], .denied),
      ]),
    Scenario(
      "always asked first and answered with when-in-use was asked, too",
      [
        Step(.requested(.always, 1), [.ask(.always)]),
        Step(
          .answered(.authorizedWhenInUse), [.answer([1], .authorizedWhenInUse)],
          .authorizedWhenInUse),
        Step(.requested(.always, 2), [.answer([2], .authorizedWhenInUse)], .authorizedWhenInUse),
      ]),
    Scenario(
      "taking the answer back lets always be asked once more",
      whenInUse + [
        Step(.requested(.always, 2), [.ask(.always)], .authorizedWhenInUse),
        Step(
          .answered(.authorizedWhenInUse), [.answer([2], .authorizedWhenInUse)],
          .authorizedWhenInUse),
        Step(.changed(.notDetermined), []),
        Step(.changed(.authorizedWhenInUse), [], .authorizedWhenInUse),
        Step(.requested(.always, 3), [.ask(.always)], .authorizedWhenInUse),
      ]),
  ]

  // MARK: Sharing

  static let sharing = [
    Scenario(
      "callers of one kind share one question, in the order they came",
      [
        Step(.requested(.whenInUse, 7), [.ask(.whenInUse)]),
        Step(.requested(.whenInUse, 3), []),
        Step(.requested(.whenInUse, 5), []),
        Step(.answered(.denied), [.answer([7, 3, 5], .denied)], .denied),
      ]),
    Scenario(
      "callers for always share one question",
      [
        Step(.requested(.always, 1), [.ask(.always)]),
        Step(.requested(.always, 2), []),
        Step(
          .answered(.authorizedAlways), [.answer([1, 2], .authorizedAlways)], .authorizedAlways),
      ]),
    Scenario(
      "when-in-use joins a question for always that would answer it",
      [
        Step(.requested(.always, 1), [.ask(.always)]),
        Step(.requested(.whenInUse, 2), []),
        Step(
          .answered(.authorizedAlways), [.answer([1, 2], .authorizedAlways)], .authorizedAlways),
      ]),
    Scenario(
      "always is asked next when it arrives during when-in-use",
      [
        Step(.requested(.whenInUse, 1), [.ask(.whenInUse)]),
        Step(.requested(.always, 2), []),
        Step(.requested(.always, 3), []),
        Step(
          .answered(.authorizedWhenInUse),
          [.answer([1], .authorizedWhenInUse), .ask(.always)], .authorizedWhenInUse),
        Step(
          .answered(.authorizedAlways), [.answer([2, 3], .authorizedAlways)], .authorizedAlways),
      ]),
    Scenario(
      "a refusal of when-in-use answers those who waited for always",
      [
        Step(.requested(.whenInUse, 1), [.ask(.whenInUse)]),
        Step(.requested(.always, 2), []),
        Step(.answered(.denied), [.answer([1], .denied), .answer([2], .denied)], .denied),
      ]),
    Scenario(
      "always granted early answers those who waited for it",
      [
        Step(.wanted, [.ask(.whenInUse)]),
        Step(.requested(.always, 1), []),
        Step(.answered(.authorizedAlways), [.answer([1], .authorizedAlways)], .authorizedAlways),
      ]),
    Scenario(
      "always is asked next even when the first question determined nothing",
      [
        Step(.wanted, [.ask(.whenInUse)]),
        Step(.requested(.always, 1), []),
        Step(.answered(.notDetermined), [.ask(.always)]),
        Step(.answered(.denied), [.answer([1], .denied)], .denied),
      ]),
  ]

  // MARK: Cancelling

  static let cancelling = [
    Scenario(
      "a cancelled caller hears nothing, the other does",
      [
        Step(.requested(.whenInUse, 1), [.ask(.whenInUse)]),
        Step(.requested(.whenInUse, 2), []),
        Step(.cancelled(1), []),
        Step(.answered(.denied), [.answer([2], .denied)], .denied),
      ]),
    Scenario(
      "the answer counts although every caller left",
      [
        Step(.requested(.whenInUse, 1), [.ask(.whenInUse)]),
        Step(.cancelled(1), []),
        Step(.answered(.authorizedWhenInUse), [], .authorizedWhenInUse),
      ]),
    Scenario(
      "always is not asked next when the one who wanted it left",
      [
        Step(.requested(.whenInUse, 1), [.ask(.whenInUse)]),
        Step(.requested(.always, 2), []),
        Step(.cancelled(2), []),
        Step(
          .answered(.authorizedWhenInUse), [.answer([1], .authorizedWhenInUse)],
          .authorizedWhenInUse),
        Step(.requested(.always, 3), [.ask(.always)], .authorizedWhenInUse),
      ]),
    Scenario(
      "late and duplicate cancels change nothing",
      [
        Step(.cancelled(1), []),
        Step(.requested(.whenInUse, 1), [.ask(.whenInUse)]),
        Step(.cancelled(1), []),
        Step(.cancelled(1), []),
        Step(.answered(.denied), [], .denied),
        Step(.cancelled(1), [], .denied),
      ]),
    Scenario(
      "an answer to no question changes nothing",
      [
        Step(.answered(.authorizedAlways), []),
        Step(.requested(.whenInUse, 1), [.ask(.whenInUse)]),
        Step(.answered(.denied), [.answer([1], .denied)], .denied),
        Step(.answered(.authorizedAlways), [], .denied),
      ]),
  ]

  // MARK: Changes from elsewhere

  static let changing = [
    Scenario(
      "a change holds without any question",
      AuthorizationStatus.allCases.map { Step(.changed($0), [], $0) }),
    Scenario(
      "after a change to denied nobody is asked",
      [
        Step(.changed(.denied), [], .denied),
        Step(.wanted, [], .denied),
        Step(.requested(.always, 1), [.answer([1], .denied)], .denied),
      ]),
    Scenario(
      "a change during a question leaves its caller waiting for the answer",
      [
        Step(.requested(.whenInUse, 1), [.ask(.whenInUse)]),
        Step(.changed(.authorizedWhenInUse), [], .authorizedWhenInUse),
        Step(.requested(.whenInUse, 2), [.answer([2], .authorizedWhenInUse)], .authorizedWhenInUse),
        Step(.answered(.authorizedAlways), [.answer([1], .authorizedAlways)], .authorizedAlways),
      ]),
    Scenario(
      "after the answer was taken back the next wish asks",
      whenInUse + [
        Step(.changed(.notDetermined), []),
        Step(.wanted, [.ask(.whenInUse)]),
      ]),
  ]

  // MARK: What shows of a question

  @Test func requestIsInProgressUntilTheAnswer() {
    var machine = Machine()
    #expect(!machine.isRequestInProgress)
    _ = machine.handle(.wanted)
    #expect(machine.isRequestInProgress)
    _ = machine.handle(.answered(.authorizedWhenInUse))
    #expect(!machine.isRequestInProgress)
  }

  @Test func questionForAlwaysDoesNotHideWhenInUse() {
    var machine = Machine()
    _ = machine.handle(.changed(.authorizedWhenInUse))
    #expect(machine.handle(.requested(.always, 1)) == [.ask(.always)])
    #expect(!machine.isRequestInProgress)
  }
}
