import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// Permission is withdrawn while a monitor is being closed, after it was closed, or after its
/// manager was shut down.
@Suite(.inTurn) struct ClosedMonitorTests {
  private static let withdrawals: [AuthorizationDecision] = [
    AuthorizationDecision(.denied), AuthorizationDecision(.always, accuracy: .reduced),
  ]

  private static func withdrawAndGrant(
    _ fixture: MonitorFixture, _ withdrawal: AuthorizationDecision
  ) async {
    fixture.backend.setAuthorization(withdrawal)
    await fixture.manager.waitForAuthorization { $0.status == .denied || $0.accuracy == .reduced }
    fixture.backend.setAuthorization(AuthorizationDecision(.always))
    await fixture.manager.waitForAuthorization {
      $0.status == .authorizedAlways && $0.accuracy == .full
    }
  }

  @Test(arguments: withdrawals)
  func eventsOfAClosedMonitorLoseTheirLocation(_ withdrawal: AuthorizationDecision) async throws {
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
  func eventsOfAnEarlierProcessLoseTheirLocation(_ withdrawal: AuthorizationDecision) async throws {
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

  @Test func anEventKeepsItsLocationWithoutAWithdrawal() async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await fixture.enter(monitor)
    await monitor.close()
    var events = try await fixture.monitor().events.makeAsyncIterator()
    #expect(try #require(await events.next()).location != nil)
  }

  /// The denial is in force, but the monitor may not have read it when it closes. The order of the
  /// tasks varies, hence the rounds.
  @Test func closingAfterADenialDeletesLocations() async throws {
    var roundsWithLocations = 0
    for _ in 0..<50 {
      let fixture = MonitorFixture()
      let monitor = try await fixture.monitor()
      try await fixture.enter(monitor)
      while fixture.storage.lastNumber("test") < 1 { await Task.yield() }
      fixture.backend.setAuthorization(.denied)
      await monitor.close()
      if fixture.storage.keepsLocations("test") { roundsWithLocations += 1 }
    }
    #expect(roundsWithLocations == 0)
  }

  @Test func noEventFollowsTheEnd() async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await fixture.enter(monitor)
    await fixture.manager.shutdown()
    var events = monitor.events.makeAsyncIterator()
    #expect(await events.next() != nil)
    #expect(await events.next() == nil)
    fixture.backend.setAuthorization(.denied)
    try await fixture.backend.settle()
    #expect(await monitor.state(for: "first") == .unmonitored)
    #expect(await events.next() == nil)
    // The event of the denial is stored, and delivered when the monitor is opened again.
    #expect(fixture.storage.lastNumber("test") == 2)
  }

  @Test func aMonitorIsNoSubscriberAfterShutdown() async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await fixture.enter(monitor)
    await fixture.manager.shutdown()
    #expect(await fixture.manager.statistics.subscribers == 0)
    withExtendedLifetime(monitor) {}
  }

  /// Going out of use does not change the authorization.
  @Test func goingOutOfUseAfterShutdownDeletesLocations() async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await fixture.enter(monitor)
    while fixture.storage.lastNumber("test") < 1 { await Task.yield() }
    await fixture.manager.shutdown()
    await fixture.manager.setInUse(false)
    try await fixture.backend.settle()
    #expect(!fixture.storage.keepsLocations("test"))
  }

  /// The monitor of a manager that was shut down still applies a withdrawal, also to its storage.
  @Test(arguments: withdrawals)
  func aWithdrawalAfterShutdownDeletesLocations(_ withdrawal: AuthorizationDecision) async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await fixture.enter(monitor)
    while fixture.storage.lastNumber("test") < 1 { await Task.yield() }
    await fixture.manager.shutdown()
    fixture.backend.setAuthorization(withdrawal)
    var events = monitor.events.makeAsyncIterator()
    #expect(try #require(await events.next()).location == nil)
    try await fixture.backend.settle()
    #expect(!fixture.storage.keepsLocations("test"))
  }
}
