import AsyncLocation
import TestSupport
import Testing

@testable import CombinedBackend

@Suite(.inTurn) struct SourcePermissionsTests {
  typealias Decision = AuthorizationDecision

  private func permissions(_ reporting: Bool...) -> SourcePermissions {
    SourcePermissions(reporting.enumerated().map { ("source \($0)", $1) })
  }

  private func reports(_ steps: [SourcePermissions.Step]) -> [Decision] {
    steps.compactMap { if case .report(.decision(let decision)) = $0 { decision } else { nil } }
  }

  /// Two decisions, and the one in force for both.
  @Test(arguments: [
    (Decision.authorizedAlways, Decision.authorizedAlways, Decision.authorizedAlways),
    (.authorizedAlways, .authorizedWhenInUse, .authorizedWhenInUse),
    (.authorizedOnce, .authorizedWhenInUse, .authorizedOnce),
    (.provisionallyAuthorizedAlways, .authorizedAlways, .provisionallyAuthorizedAlways),
    (.denied, .authorizedAlways, .authorizedAlways),
    (.notDetermined, .authorizedAlways, .authorizedAlways),
    (.denied, .notDetermined, .notDetermined), (.denied, .restricted, .denied),
    (.restricted, .restricted, .restricted),
    (
      .authorizedAlways.limited(to: .reduced), .authorizedWhenInUse,
      .authorizedWhenInUse.limited(to: .reduced)
    ),
    (.denied.limited(to: .reduced), .authorizedWhenInUse, .authorizedWhenInUse),
  ])
  func weakestGrantIsInForce(_ first: Decision, _ second: Decision, _ expected: Decision) {
    for (left, right) in [(first, second), (second, first)] {
      var permissions = permissions(false, false)
      _ = permissions.changed(.decision(left), of: 0)
      _ = permissions.changed(.decision(right), of: 1)
      #expect(permissions.combined.decision == expected)
    }
  }

  @Test func sourceIsAdmittedAfterTheReportAndExcludedBeforeIt() {
    var permissions = permissions(false, false)
    let steps = permissions.changed(.decision(.authorizedWhenInUse), of: 0)
    #expect(steps == [.report(.decision(.authorizedWhenInUse)), .admit([0])])
    #expect(permissions.deliver([0, 1]) == [0])
    let joining = permissions.changed(
      .decision(.authorizedAlways.limited(to: .reduced)), of: 1)
    #expect(permissions.deliver([1]) == [])
    #expect(reports(joining) == [.authorizedWhenInUse.limited(to: .reduced)])
    permissions.admit([0, 1])
    #expect(permissions.deliver([1]) == [1])
    let leaving = permissions.changed(.decision(.denied), of: 1)
    #expect(permissions.deliver([0, 1]) == [0])
    #expect(
      leaving == [.report(.withdrawal), .report(.decision(.authorizedWhenInUse)), .admit([0])])
    #expect(permissions.withdrawals == 1)
  }

  @Test func sourceThatDeliveredNothingLeavesWithoutAWithdrawal() {
    var permissions = permissions(false, false)
    for source in 0...1 { _ = permissions.changed(.decision(.authorizedAlways), of: source) }
    permissions.admit([0, 1])
    _ = permissions.deliver([0])
    #expect(reports(permissions.changed(.decision(.denied), of: 1)) == [])
    #expect(permissions.withdrawals == 0)
  }

  @Test func refusalOfTheLastSourceIsReported() {
    var permissions = permissions(false)
    _ = permissions.changed(.decision(.authorizedAlways), of: 0)
    #expect(
      permissions.changed(.decision(.denied.withReason("Closed.")), of: 0) == [
        .report(.decision(.denied.withReason("source 0: Closed."))), .admit([]),
      ])
  }

  /// Permission for one use may have ended, so it is not granted again; if it has not, it goes on.
  @Test func withdrawalLeavesPermissionForOnce() {
    var permissions = permissions(false, false)
    for source in 0...1 { _ = permissions.changed(.decision(.authorizedOnce), of: source) }
    permissions.admit([0, 1])
    _ = permissions.deliver([0])
    #expect(
      permissions.changed(.decision(.denied), of: 0) == [.report(.withdrawal), .admit([1])])
    #expect(permissions.deliver([0, 1]) == [1])
  }

  /// A source may combine several itself.
  @Test func withdrawalOfASourceIsPassedOn() {
    var permissions = permissions(false, false)
    for source in 0...1 { _ = permissions.changed(.decision(.authorizedAlways), of: source) }
    permissions.admit([0, 1])
    _ = permissions.deliver([0])
    #expect(permissions.changed(.withdrawal, of: 1) == [])
    #expect(permissions.changed(.withdrawal, of: 0) == [.report(.withdrawal)])
    #expect(permissions.withdrawals == 1)
  }

  @Test func aWithdrawalIsNoFirstReport() {
    var permissions = permissions(true, true)
    #expect(permissions.changed(.withdrawal, of: 0) == [])
    #expect(permissions.changed(.decision(.authorizedAlways), of: 1) == [])
    #expect(reports(permissions.changed(.decision(.authorizedAlways), of: 0)).count == 1)
  }

  @Test func nothingIsReportedBeforeEveryFirstReport() {
    var permissions = permissions(true, true)
    #expect(permissions.changed(.decision(.authorizedAlways), of: 0) == [])
    #expect(
      permissions.changed(.decision(.authorizedAlways), of: 1) == [
        .report(.decision(.authorizedAlways)), .admit([0, 1]),
      ])
  }

  @Test func servicesAreOffWhenTheyAreOffForAll() {
    var permissions = permissions(false, false)
    for source in 0...1 { _ = permissions.changed(.decision(.authorizedAlways), of: source) }
    permissions.admit([0, 1])
    let off = AuthorizationChange.locationServices(enabled: false)
    #expect(reports(permissions.changed(off, of: 0)) == [])
    #expect(permissions.deliver([0, 1]) == [1])
    #expect(permissions.changed(off, of: 1) == [.report(off), .admit([])])
    let on = permissions.changed(.locationServices(enabled: true), of: 1)
    #expect(on == [.report(.locationServices(enabled: true)), .admit([1])])
  }

  @Test func totalWithdrawalIsCounted() {
    var permissions = permissions(false)
    _ = permissions.changed(.decision(.authorizedAlways), of: 0)
    _ = permissions.deliver([0])
    #expect(reports(permissions.changed(.decision(.denied), of: 0)) == [.denied])
    #expect(permissions.withdrawals == 1)
  }

  /// An equal decision ends temporary full accuracy, which another source has not granted.
  @Test func equalReductionIsReported() {
    var permissions = permissions(false, false)
    let reduced = Decision.authorizedWhenInUse.limited(to: .reduced)
    _ = permissions.changed(.decision(reduced), of: 0)
    #expect(reports(permissions.changed(.decision(.authorizedWhenInUse), of: 1)) == [])
    #expect(reports(permissions.changed(.decision(reduced), of: 1)) == [reduced])
    #expect(reports(permissions.changed(.decision(reduced), of: 1)) == [reduced])
    #expect(reports(permissions.changed(.locationServices(enabled: true), of: 1)) == [])
    #expect(reports(permissions.changed(.decision(.authorizedWhenInUse), of: 1)) == [reduced])
    #expect(reports(permissions.changed(.decision(.authorizedWhenInUse), of: 1)) == [])
  }

  /// Without a manager nobody asks, and every source may run.
  @Test func allAreAdmittedUntilAPolicyDecides() {
    var permissions = permissions(false, false)
    #expect(permissions.deliver([0, 1]) == [0, 1])
    permissions.requestBegan()
    #expect(permissions.requested(.whenInUse, of: 0) == .whenInUse)
    _ = permissions.answered(.authorizedWhenInUse, by: 0)
    #expect(permissions.deliver([0, 1]) == [0])
  }
}
