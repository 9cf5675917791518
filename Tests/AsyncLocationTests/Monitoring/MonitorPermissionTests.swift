import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// The content of events that a program receives after permission for their fix was withdrawn.
@Suite(.inTurn) struct MonitorPermissionTests {
  /// Decisions that withdraw permission for a test's fixes.
  static let withdrawals: [AuthorizationDecision] = [
    AuthorizationDecision(.denied), AuthorizationDecision(.restricted),
    AuthorizationDecision(.always, accuracy: .reduced),
  ]

  private static func isWithheld(_ event: Monitor.Event?) -> Bool {
    event?.location == nil && event?.refinement == nil
      && event?.diagnostics.contains(.locationWithheld) == true
  }

  private static func withdraw(
    _ decision: AuthorizationDecision, _ fixture: MonitorFixture
  ) async {
    fixture.backend.setAuthorization(decision)
    await fixture.manager.waitForAuthorization { $0.status.refuses || $0.accuracy == .reduced }
  }

  private static func grant(_ fixture: MonitorFixture) async {
    fixture.backend.setAuthorization(AuthorizationDecision(.always))
    await fixture.manager.waitForAuthorization { $0.status.isAuthorized && $0.accuracy == .full }
  }

  @Test("F62 a queued event loses its location with permission", arguments: withdrawals)
  func queuedEventLosesItsLocation(_ withdrawal: AuthorizationDecision) async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await fixture.enter(monitor)
    await Self.withdraw(withdrawal, fixture)
    var events = monitor.events.makeAsyncIterator()
    let entry = await events.next()
    #expect(entry?.state == .satisfied, "\(String(describing: entry))")
    #expect(Self.isWithheld(entry), "\(String(describing: entry))")
    #expect(await events.next()?.state == .unmonitored)
  }

  @Test("F62 a later grant restores no withdrawn location", arguments: withdrawals)
  func laterGrantRestoresNoLocation(_ withdrawal: AuthorizationDecision) async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await fixture.enter(monitor)
    await Self.withdraw(withdrawal, fixture)
    await Self.grant(fixture)
    var events = monitor.events.makeAsyncIterator()
    #expect(Self.isWithheld(await events.next()))
  }

  @Test("F62 events that an earlier process stored need permission", arguments: withdrawals)
  func storedEventsNeedPermission(_ permission: AuthorizationDecision) async throws {
    let storage = try await Self.storageWithAnEntry()
    let fixture = MonitorFixture(authorization: .answering(permission))
    let monitor = try await fixture.monitor(storage: storage)
    var events = monitor.events.makeAsyncIterator()
    let entry = await events.next()
    #expect(entry?.state == .satisfied, "\(String(describing: entry))")
    #expect(Self.isWithheld(entry), "\(String(describing: entry))")
  }

  @Test func aStoredEventKeepsItsLocationWithPermission() async throws {
    let storage = try await Self.storageWithAnEntry()
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor(storage: storage)
    var events = monitor.events.makeAsyncIterator()
    let entry = await events.next()
    #expect(entry?.state == .satisfied)
    #expect(entry?.location != nil)
    #expect(entry?.diagnostics.contains(.locationWithheld) == false)
  }

  /// Without conditions nothing requests permission, so nothing waits for it.
  @Test func eventsDoNotWaitForPermissionWithoutConditions() async throws {
    let storage = try await Self.storageWithAnEntry()
    let fixture = MonitorFixture(authorization: .asking)
    let monitor = try await fixture.monitor(storage: storage)
    await monitor.remove("first")
    var events = monitor.events.makeAsyncIterator()
    let entry = await events.next()
    #expect(entry?.state == .satisfied)
    #expect(Self.isWithheld(entry))
  }

  @Test("F62 a withdrawal removes stored locations", arguments: withdrawals)
  func withdrawalRemovesStoredLocations(_ withdrawal: AuthorizationDecision) async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await fixture.enter(monitor)
    while fixture.storage.lastNumber("test") < 1 { await Task.yield() }
    await Self.withdraw(withdrawal, fixture)
    while await monitor.state(for: "first") != .unmonitored { await Task.yield() }
    await monitor.close()
    let stored = try await fixture.storage.open("test").1
    #expect(stored.events.count == 2)
    #expect(stored.events.allSatisfy { $0.event.location == nil })
  }

  @Test("F62 a slow storage reveals no location after a withdrawal", arguments: withdrawals)
  func slowStorageRevealsNoLocation(_ withdrawal: AuthorizationDecision) async throws {
    let fixture = MonitorFixture()
    let storage = HeldStorage(fixture.storage)
    let monitor = try await fixture.monitor(storage: storage)
    let circle = try #require(MonitorFixture.circles["first"])
    try await monitor.add(circle, identifier: "first", assuming: .unsatisfied)
    var all = fixture.manager.events.makeAsyncIterator()
    storage.hold()
    try fixture.drive([10])
    await storage.waitForHeld()
    await Self.withdraw(withdrawal, fixture)
    await Self.grant(fixture)
    storage.release()
    var events = monitor.events.makeAsyncIterator()
    #expect(Self.isWithheld(await events.next()))
    await fixture.manager.shutdown()
    while let event = await all.next() {
      guard case .didChangeCondition(let event, _) = event else { continue }
      #expect(event.state == .unmonitored, "\(event)")
    }
    await monitor.close()
    #expect(
      try await fixture.storage.open("test").1.events.allSatisfy { $0.event.location == nil })
  }

  /// An event queued behind a pending write keeps its location until permission is withdrawn.
  @Test("F62 an event behind a slow write loses its location", arguments: withdrawals)
  func eventsBehindASlowWriteLoseTheirLocation(_ withdrawal: AuthorizationDecision) async throws {
    let fixture = MonitorFixture()
    let storage = HeldStorage(fixture.storage)
    let monitor = try await fixture.monitor(storage: storage)
    try await monitor.add(contentsOf: MonitorFixture.circles, assuming: .unsatisfied)
    storage.hold()
    try fixture.drive([10])
    await storage.waitForHeld()
    try fixture.drive([20])
    while await monitor.state(for: "second") != .satisfied { await Task.yield() }
    await Self.withdraw(withdrawal, fixture)
    storage.release()
    var events = monitor.events.makeAsyncIterator()
    for identifier in ["first", "first", "second"] {
      let event = await events.next()
      #expect(event?.identifier == identifier)
      #expect(Self.isWithheld(event))
    }
    await monitor.close()
    #expect(
      try await fixture.storage.open("test").1.events.allSatisfy { $0.event.location == nil })
  }

  /// The event that reported the earlier state is discarded.
  @Test("F62 the end of monitoring reveals no earlier state", arguments: withdrawals)
  func formerState(_ withdrawal: AuthorizationDecision) async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    let unread = fixture.manager.events
    try await fixture.enter(monitor)
    await Self.withdraw(withdrawal, fixture)
    while await monitor.state(for: "first") != .unmonitored { await Task.yield() }
    await monitor.close()
    await fixture.manager.shutdown()
    var states: [Monitor.State] = []
    for await case .didChangeCondition(let event, _) in unread {
      states += [event.state, event.previousState]
    }
    #expect(states == [.unmonitored, .unknown])
  }

  @Test("F64 an event is checked where its loop resumes", arguments: withdrawals)
  func eventIsCheckedWhereItsLoopResumes(_ withdrawal: AuthorizationDecision) async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    let reader = Reader()
    let read = Task { await reader.first(of: monitor.events) }
    await reader.executor.waitForJobs(1)
    await reader.executor.step()
    try await fixture.enter(monitor)
    // The event is on its way to the reader, whose actor is busy.
    await reader.executor.waitForJobs(1)
    await Self.withdraw(withdrawal, fixture)
    reader.executor.finish()
    #expect(Self.isWithheld(await read.value))
  }

  /// Monitors read only the latest authorization; missing an earlier one is no loss.
  @Test func aReplacedAuthorizationIsNotCountedAsDropped() async throws {
    let backend = MockBackend(authorization: .answering(.authorizedWhenInUse))
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let latest = manager.lifetime.latestPermission()
    for decision in [AuthorizationDecision.authorizedAlways, .denied, .authorizedWhenInUse] {
      backend.setAuthorization(decision)
    }
    #expect(try await latest.next()?.authorization.status == .authorizedWhenInUse)
    #expect(await manager.statistics.elementsDropped == 0)
    #expect(latest.channel.dropped == 0)
  }

  @Test func reducedAccuracyEndsMonitoringWithoutAnotherFix() async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await monitor.add(contentsOf: MonitorFixture.circles, assuming: .unsatisfied)
    try fixture.drive([0])
    // The request is answered before the reduction.
    await fixture.backend.waitUntilRunning()
    fixture.backend.setAuthorization(AuthorizationDecision(.always, accuracy: .reduced))
    var events = monitor.events.makeAsyncIterator()
    for _ in 0..<2 {
      let event = await events.next()
      #expect(event?.state == .unmonitored)
      #expect(event?.diagnostics == .accuracyLimited)
    }
  }

  @Test("F62 a crossing of a region is not reported after a withdrawal", arguments: withdrawals)
  func noCrossingIsReportedAfterAWithdrawal(_ withdrawal: AuthorizationDecision) async throws {
    let fixture = MonitorFixture()
    let circle = CircularRegion(center: at(0.010, 0), radius: 200, identifier: "first")
    let region = Region.circular(circle)
    var read = fixture.manager.regionEvents.makeAsyncIterator()
    let unread = fixture.manager.regionEvents
    try await fixture.manager.startMonitoring(for: region)
    #expect(await read.next() == .didStartMonitoring(region))
    for fix in stops(at: 0, 10) { try fixture.backend.emit(.location(fix)) }
    #expect(await read.next() == .didEnter(region))
    await Self.withdraw(withdrawal, fixture)
    await fixture.manager.shutdown()
    for await event in unread {
      switch event {
      case .didEnter, .didExit, .didDetermineState(.inside, _), .didDetermineState(.outside, _):
        Issue.record("\(event)")
      case .didStartMonitoring, .didDetermineState, .monitoringDidFail: break
      }
    }
  }

  /// Returns a storage with an unread event.
  private static func storageWithAnEntry() async throws -> MemoryMonitorStorage {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await fixture.enter(monitor)
    await monitor.close()
    return fixture.storage
  }
}

/// Reads events on an executor that a test steps.
private actor Reader {
  nonisolated let executor = SteppedExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func first(of events: Monitor.Events) async -> Monitor.Event? {
    var events = events.makeAsyncIterator()
    return await events.next()
  }
}
