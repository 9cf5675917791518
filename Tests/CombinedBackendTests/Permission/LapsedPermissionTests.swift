import AsyncLocation
import TestSupport
import Testing

@testable import CombinedBackend

/// Permission for one use may have ended in the manager without a report.
@Suite(.inTurn) struct LapsedPermissionTests {
  typealias Decision = AuthorizationDecision

  /// Two sources with permission for one use, of which the first has delivered.
  private func permissions(_ second: Decision = .authorizedOnce) -> SourcePermissions {
    var permissions = SourcePermissions([("a", false), ("b", false)])
    _ = permissions.changed(.decision(.authorizedOnce), of: 0)
    _ = permissions.changed(.decision(second), of: 1)
    permissions.admit([0, 1])
    _ = permissions.deliver([0])
    return permissions
  }

  private func reports(_ steps: [SourcePermissions.Step]) -> [AuthorizationChange] {
    steps.compactMap { if case .report(let change) = $0 { change } else { nil } }
  }

  /// Puts a request to both policies.
  private func request(
    _ permissions: inout SourcePermissions, _ answers: Decision...
  ) -> [SourcePermissions.Step] {
    permissions.requestBegan()
    var steps: [SourcePermissions.Step] = []
    for (source, answer) in answers.enumerated() {
      #expect(permissions.requested(.whenInUse, of: source) == .whenInUse)
      let answered = permissions.answered(answer, by: source)
      // No decision before all have answered.
      #expect(reports(answered).allSatisfy { $0 == .withdrawal })
      steps += answered
    }
    return steps + permissions.requestEnded()
  }

  @Test(arguments: [
    Decision.authorizedOnce.withReason("Granted."), .denied, .restricted, .notDetermined,
    .authorizedWhenInUse,
  ])
  func permissionForOnceIsNotGrantedAgain(_ decision: Decision) {
    var permissions = permissions()
    #expect(reports(permissions.changed(.decision(decision), of: 1)) == [])
  }

  @Test("a withdrawal during a request grants nothing before every policy has answered")
  func withdrawalDuringARequest() {
    var permissions = SourcePermissions([("a", false), ("b", false)])
    _ = permissions.changed(.decision(.notDetermined), of: 0)
    _ = permissions.changed(.decision(.notDetermined), of: 1)
    permissions.requestBegan()
    _ = permissions.requested(.whenInUse, of: 0)
    _ = permissions.answered(.authorizedOnce, by: 0)
    permissions.admit([0])
    _ = permissions.deliver([0])
    _ = permissions.requested(.whenInUse, of: 1)
    #expect(
      reports(permissions.changed(.withdrawal, of: 0)).allSatisfy { $0 == .withdrawal })
    _ = permissions.answered(.denied, by: 1)
    #expect(reports(permissions.requestEnded()) == [.decision(.authorizedOnce)])
  }

  @Test func servicesDoNotGrantItAgain() {
    var permissions = permissions(.denied)
    let (off, on) = (
      AuthorizationChange.locationServices(enabled: false),
      AuthorizationChange.locationServices(enabled: true)
    )
    #expect(reports(permissions.changed(off, of: 1)) == [])
    #expect(reports(permissions.changed(off, of: 0)) == [off])
    var other = permissions
    #expect(reports(permissions.changed(on, of: 0)) == [on])
    #expect(reports(other.changed(on, of: 1)) == [.decision(.denied), on])
    #expect(reports(other.changed(on, of: 0)) == [.decision(.notDetermined)])
  }

  @Test func lastingPermissionIsReported() {
    var permissions = permissions(.denied)
    let change = AuthorizationChange.decision(.authorizedWhenInUse)
    #expect(reports(permissions.changed(change, of: 0)) == [change])
  }

  @Test func reductionMustBeAskedAgain() {
    var permissions = permissions()
    let reduced = Decision.authorizedOnce.limited(to: .reduced)
    #expect(
      reports(permissions.changed(.decision(reduced), of: 1))
        == [.decision(.denied), .decision(.notDetermined)])
    #expect(permissions.deliver([0, 1]) == [])
  }

  /// The remaining source has not decided, so nothing is denied; what is unread is withdrawn.
  @Test func refusalOfTheOnlyGrantWithdraws() {
    var permissions = permissions(.notDetermined)
    #expect(
      reports(permissions.changed(.decision(.denied), of: 0))
        == [.withdrawal, .decision(.notDetermined)])
    #expect(permissions.withdrawals == 1)
  }

  @Test func refusalInTheNextRequestWithdraws() {
    var permissions = permissions()
    #expect(
      reports(request(&permissions, .denied, .authorizedOnce))
        == [.withdrawal, .decision(.authorizedOnce)])
    #expect(permissions.withdrawals > 0)
    #expect(reports(permissions.changed(.decision(.authorizedWhenInUse), of: 1)).count == 1)
  }

  /// The other source has not answered yet, and may never.
  @Test func refusalDuringARequestWithdrawsAtOnce() {
    var permissions = permissions()
    permissions.requestBegan()
    _ = permissions.requested(.whenInUse, of: 1)
    #expect(reports(permissions.changed(.decision(.denied), of: 0)) == [.withdrawal])
    #expect(reports(permissions.answered(.authorizedOnce, by: 1)) == [])
    #expect(reports(permissions.requestEnded()) == [.decision(.authorizedOnce)])
  }

  @Test func lastingGrantOfTheOtherSourceFollowsTheRefusal() {
    var permissions = permissions()
    #expect(
      reports(request(&permissions, .denied, .authorizedWhenInUse))
        == [.withdrawal, .decision(.authorizedWhenInUse)])
  }

  @Test func nextGrantIsReportedOnce() {
    var permissions = permissions()
    #expect(
      reports(request(&permissions, .authorizedOnce, .authorizedOnce))
        == [.decision(.authorizedOnce)])
    #expect(permissions.withdrawals == 0)
  }
}
