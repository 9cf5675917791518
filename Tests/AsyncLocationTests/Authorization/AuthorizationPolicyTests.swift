import Testing

@testable import AsyncLocation

@Suite struct AuthorizationPolicyTests {
  struct Answer: Sendable {
    let policy: FixedAuthorizationPolicy
    let request: AuthorizationRequest
    let status: AuthorizationStatus
  }

  static let answers = [
    Answer(policy: .automatic, request: .whenInUse, status: .authorizedWhenInUse),
    Answer(policy: .automatic, request: .always, status: .authorizedAlways),
    Answer(policy: .denied, request: .whenInUse, status: .denied),
    Answer(policy: .denied, request: .always, status: .denied),
    Answer(policy: .restricted, request: .whenInUse, status: .restricted),
    Answer(policy: .restricted, request: .always, status: .restricted),
  ]

  @Test(arguments: answers)
  func fixedPolicyAnswers(_ answer: Answer) async {
    #expect(await answer.policy.authorize(answer.request) == answer.status)
  }

  @Test(arguments: AuthorizationRequest.allCases, AuthorizationStatus.allCases)
  func askingPolicyAsksItsClosure(
    _ request: AuthorizationRequest, _ status: AuthorizationStatus
  ) async {
    let asked = Locked<[AuthorizationRequest]>([])
    let policy: AskingAuthorizationPolicy = .ask { request in
      asked.withLock { $0.append(request) }
      return status
    }
    #expect(await policy.authorize(request) == status)
    #expect(asked.withLock { $0 } == [request])
  }

  @Test func policyWithoutNewsReportsNothingAndReturns() async {
    let reports = Locked(0)
    await FixedAuthorizationPolicy.automatic.observe { _ in reports.withLock { $0 += 1 } }
    #expect(reports.withLock { $0 } == 0)
  }

  @Test(
    arguments: zip(
      AuthorizationStatus.allCases, [false, false, false, true, true]))
  func statusSaysWhetherLocationsMayBeDelivered(
    _ status: AuthorizationStatus, _ isAuthorized: Bool
  ) {
    #expect(status.isAuthorized == isAuthorized)
    #expect(Authorization(status: status).isAuthorized == isAuthorized)
  }
}
