import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import AuthorizationPolicyFile

@Suite(.inTurn) struct PolicyFileStateMachineTests {
  typealias Machine = PolicyFileStateMachine
  typealias Step = (Machine.Event, [Machine.Action])

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let steps: [Step]
  }

  private static let end = Date(timeIntervalSince1970: 2_000_000_000)

  private static func explanation(
    _ permission: AuthorizationDecision.Permission, _ error: String? = nil, expires: Date? = nil
  ) -> AuthorizationExplanation {
    AuthorizationExplanation(
      path: "/p", client: "me", decision: AuthorizationDecision(permission, reason: error),
      locationServicesEnabled: true, expires: expires, purposes: [:], keyNotice: nil,
      error: error.map { LocationError(.denied, $0) })
  }

  private static let always = explanation(.always)
  private static let denied = explanation(.denied)
  private static let empty = explanation(.denied, "empty")
  private static let gone = explanation(.denied, "gone")
  private static let writable = explanation(.denied, "open to others")

  private static func read(
    _ explanation: AuthorizationExplanation, _ problem: PolicyFileReader.Problem.Kind? = nil,
    isWatched: Bool = true
  ) -> Machine.Event {
    .read(Machine.Reading(explanation: explanation, problem: problem, isWatched: isWatched))
  }

  static let scenarios = [
    Scenario(
      testDescription: "every valid read is reported",
      steps: [
        (read(always), [.report(always), .setTimer(.never)]),
        (read(always), [.report(always), .setTimer(.never)]),
        (read(denied), [.report(denied), .setTimer(.never)]),
      ]),
    Scenario(
      testDescription: "the file is read again when a rule expires",
      steps: [
        (
          read(explanation(.always, expires: end)),
          [.report(explanation(.always, expires: end)), .setTimer(.at(end))]
        )
      ]),
    Scenario(
      testDescription: "an unwatched file is read again soon",
      steps: [(read(always, isWatched: false), [.report(always), .setTimer(.retry)])]),
    Scenario(
      testDescription: "an error that is corrected in time is not reported",
      steps: [
        (read(always), [.report(always), .setTimer(.never)]),
        (read(empty, .mistake), [.startGracePeriod, .setTimer(.never)]),
        (read(gone, .mistake), [.setTimer(.never)]),
        (read(denied), [.stopGracePeriod, .report(denied), .setTimer(.never)]),
        (.gracePeriodEnded, []),
      ]),
    Scenario(
      testDescription: "a persistent error is reported after a second read",
      steps: [
        (read(always), [.report(always), .setTimer(.never)]),
        (read(empty, .mistake), [.startGracePeriod, .setTimer(.never)]),
        (.gracePeriodEnded, [.read]), (.gracePeriodEnded, []),
        (read(gone, .mistake), [.report(gone), .setTimer(.never)]),
        // After a refusal, another error is reported without delay.
        (read(empty, .mistake), [.report(empty), .setTimer(.never)]),
        (read(empty, .transient), [.report(empty), .setTimer(.retry)]),
        (read(always), [.report(always), .setTimer(.never)]),
      ]),
    Scenario(
      testDescription: "an error that is corrected at the deadline is not reported",
      steps: [
        (read(always), [.report(always), .setTimer(.never)]),
        (read(empty, .mistake), [.startGracePeriod, .setTimer(.never)]),
        (.gracePeriodEnded, [.read]),
        (read(always), [.report(always), .setTimer(.never)]),
        (read(empty, .mistake), [.startGracePeriod, .setTimer(.never)]),
      ]),
    Scenario(
      testDescription: "a temporary failure is retried",
      steps: [
        (read(always), [.report(always), .setTimer(.never)]),
        (read(empty, .transient), [.startGracePeriod, .setTimer(.retry)]),
        (read(empty, .transient), [.setTimer(.retry)]),
        (read(always), [.stopGracePeriod, .report(always), .setTimer(.never)]),
      ]),
    Scenario(
      testDescription: "an error before the first report also waits",
      steps: [
        (.gracePeriodEnded, []),
        (read(gone, .mistake), [.startGracePeriod, .setTimer(.never)]),
        (.gracePeriodEnded, [.read]),
        (read(gone, .mistake), [.report(gone), .setTimer(.never)]),
      ]),
    Scenario(
      testDescription: "a file that others can write is refused at once",
      steps: [
        (read(always), [.report(always), .setTimer(.never)]),
        (read(writable, .insecure), [.report(writable), .setTimer(.never)]),
        (read(always), [.report(always), .setTimer(.never)]),
        (read(empty, .mistake), [.startGracePeriod, .setTimer(.never)]),
        (read(writable, .insecure), [.stopGracePeriod, .report(writable), .setTimer(.never)]),
      ]),
  ]

  @Test(arguments: scenarios)
  func followsTheScenario(_ scenario: Scenario) {
    var machine = Machine()
    for (event, actions) in scenario.steps {
      #expect(machine.handle(event) == actions, "after \(event)")
    }
  }

  @Test func theLastDecisionAppliesWhileTheFileCannotBeRead() {
    var machine = Machine()
    #expect(machine.lastReported == nil)
    _ = machine.handle(Self.read(Self.gone, .mistake))
    #expect(machine.lastReported == nil)
    _ = machine.handle(Self.read(Self.always))
    _ = machine.handle(Self.read(Self.gone, .mistake))
    #expect(machine.lastReported == Self.always)
    _ = machine.handle(.gracePeriodEnded)
    #expect(machine.lastReported == Self.always)
    _ = machine.handle(Self.read(Self.gone, .mistake))
    #expect(machine.lastReported == Self.gone)
  }
}
