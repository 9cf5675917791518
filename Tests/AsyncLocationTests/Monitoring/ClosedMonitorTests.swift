import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// What a monitor has stored, when permission is withdrawn while it does not look.
@Suite(.inTurn) struct ClosedMonitorTests {
  private static let withdrawals: [AuthorizationDecision] = [
    AuthorizationDecision(.denied), AuthorizationDecision(.always, accuracy: .reduced),
  ]

  private static func withdrawAndGrant(
    _ fixture: MonitorFixture, _ withdrawal: AuthorizationDecision
  ) async {
    fixture.backend.setAuthorization(withdrawal)
    await fixture.manager.reaches { $0.status == .denied || $0.accuracy == .reduced }
    fixture.backend.setAuthorization(AuthorizationDecision(.always))
    await fixture.manager.reaches { $0.status == .authorizedAlways && $0.accuracy == .full }
  }

  @Test(arguments: withdrawals)
  func whatWasClosedBefore(_ withdrawal: AuthorizationDecision) async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await fixture.enter(monitor)
    await monitor.close()
    _ = try await fixture.manager.requestAlwaysAuthorization()
    await Self.withdrawAndGrant(fixture, withdrawal)
    var events = try await fixture.monitor().events.makeAsyncIterator()
    let event = try #require(await events.next())
    #expect(event.location == nil)
    #expect(event.diagnostics.contains(.locationWithheld))
  }

  @Test(arguments: withdrawals)
  func whatAnEarlierProcessStored(_ withdrawal: AuthorizationDecision) async throws {
    let first = MonitorFixture()
    let monitor = try await first.monitor()
    try await first.enter(monitor)
    await monitor.close()
    let fixture = MonitorFixture(authorization: .answering(withdrawal))
    _ = try await fixture.manager.requestAlwaysAuthorization()
    await Self.withdrawAndGrant(fixture, withdrawal)
    var events = try await fixture.monitor(storage: first.storage).events.makeAsyncIterator()
    #expect(try #require(await events.next()).location == nil)
  }

  @Test func withoutAWithdrawalItIsKept() async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await fixture.enter(monitor)
    await monitor.close()
    var events = try await fixture.monitor().events.makeAsyncIterator()
    #expect(try #require(await events.next()).location != nil)
  }

  /// The monitor of a manager that was shut down still notices, also in its storage.
  @Test(arguments: withdrawals)
  func afterShutdown(_ withdrawal: AuthorizationDecision) async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await fixture.enter(monitor)
    while fixture.storage.lastNumber("test") < 1 { await Task.yield() }
    await fixture.manager.shutdown()
    fixture.backend.setAuthorization(withdrawal)
    var events = monitor.events.makeAsyncIterator()
    #expect(try #require(await events.next()).location == nil)
    while fixture.storage.keepsLocations("test") { await Task.yield() }
  }
}
