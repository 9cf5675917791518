import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct AuthorizationPolicyTests {
  struct Answer: Sendable {
    let policy: FixedAuthorizationPolicy
    let request: AuthorizationRequest
    let decision: AuthorizationDecision
  }

  static let answers = [
    Answer(policy: .automatic, request: .whenInUse, decision: .authorizedWhenInUse),
    Answer(policy: .automatic, request: .always, decision: .authorizedAlways),
    Answer(policy: .denied, request: .whenInUse, decision: .denied),
    Answer(policy: .denied, request: .always, decision: .denied),
    Answer(policy: .restricted, request: .whenInUse, decision: .restricted),
    Answer(policy: .restricted, request: .always, decision: .restricted),
  ]

  @Test(arguments: answers)
  func fixedPolicyAnswers(_ answer: Answer) async {
    #expect(await answer.policy.authorize(answer.request) == answer.decision)
  }

  @Test(arguments: AuthorizationRequest.allCases, AuthorizationDecision.Permission.allCases)
  func askingPolicyCallsItsClosure(
    _ request: AuthorizationRequest, _ permission: AuthorizationDecision.Permission
  ) async {
    let asked = Locked<[AuthorizationRequest]>([])
    let policy: AskingAuthorizationPolicy = .ask { request in
      asked.withLock { $0.append(request) }
      return AuthorizationDecision(permission)
    }
    #expect(await policy.authorize(request) == AuthorizationDecision(permission))
    #expect(asked.withLock { $0 } == [request])
  }

  @Test func fullAccuracyIsDeclinedWithoutAHandler() async {
    #expect(await FixedAuthorizationPolicy.automatic.temporaryFullAccuracy(for: "any") == nil)
    let withoutHandler: AskingAuthorizationPolicy = .ask { _ in .denied }
    #expect(await withoutHandler.temporaryFullAccuracy(for: "any") == nil)
    let handler: @Sendable (String) async -> Duration? = { $0 == "docking" ? .seconds(60) : nil }
    let policy: AskingAuthorizationPolicy = .ask(temporaryFullAccuracy: handler) { _ in .denied }
    #expect(await policy.temporaryFullAccuracy(for: "docking") == .seconds(60))
    #expect(await policy.temporaryFullAccuracy(for: "fishing") == nil)
  }

  /// Without a key, `reducedAccuracyKey()` throws `unsupported`, also if the closure throws another
  /// error.
  @Test func keyOfReducedAccuracyIsSuppliedByThePolicy() async throws {
    let key = try ReducedAccuracyKey(bytes: Array(0..<32))
    let supplying: AskingAuthorizationPolicy = .ask(
      reducedAccuracyKey: { key }, { _ in .authorizedWhenInUse.limited(to: .reduced) })
    #expect(try await supplying.reducedAccuracyKey() == key)
    let keyless: AskingAuthorizationPolicy = .ask { _ in .denied }
    let failing: AskingAuthorizationPolicy = .ask(
      reducedAccuracyKey: { throw CancellationError() }, { _ in .denied })
    let policies: [any AuthorizationPolicy] = [
      keyless, failing, FixedAuthorizationPolicy.automatic,
    ]
    for policy in policies {
      await #expect {
        _ = try await policy.reducedAccuracyKey()
      } throws: {
        ($0 as? LocationError)?.code == .unsupported
      }
    }
  }

  @Test func observingAFixedPolicyReturns() async {
    let reports = Locked(0)
    await FixedAuthorizationPolicy.automatic.observe { _ in reports.withLock { $0 += 1 } }
    #expect(reports.withLock { $0 } == 0)
  }

  @Test(
    arguments: zip(
      AuthorizationStatus.allCases, [false, false, false, true, true]))
  func statusDeterminesIsAuthorized(
    _ status: AuthorizationStatus, _ isAuthorized: Bool
  ) {
    #expect(status.isAuthorized == isAuthorized)
    #expect(Authorization(status: status).isAuthorized == isAuthorized)
  }
}
