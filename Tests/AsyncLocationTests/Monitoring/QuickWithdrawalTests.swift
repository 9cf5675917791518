import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// Requests a record on an executor that a test steps, like a busy main actor.
private actor RecordReader {
  nonisolated let executor = SteppedExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let monitor: Monitor

  init(_ monitor: Monitor) { self.monitor = monitor }

  func refinement() async -> Condition? {
    await monitor.record(for: "any")?.lastEvent.refinement
  }
}

/// Permission is withdrawn and granted again before a monitor notices, or is withdrawn before the
/// monitor is opened.
@Suite(.inTurn) struct QuickWithdrawalTests {
  /// Returns a monitor of beacons with an unread event of one beacon.
  private static func monitorOfBeacons(_ fixture: MonitorFixture) async throws -> Monitor {
    let uuid = MonitorTests.uuid
    let monitor = try await fixture.monitor()
    try await monitor.add(
      .beacon(BeaconIdentityConstraint(uuid: uuid)), identifier: "any", assuming: .unsatisfied)
    await fixture.manager.until { $0.subscribers == 3 }
    let beacon = try Beacon(uuid: uuid, major: 3, minor: 7, timestamp: MonitorFixture.start)
    try fixture.backend.emit(.beacons(BeaconReport(beacons: [beacon])))
    return monitor
  }

  /// Returns a monitor of beacons whose event was handled.
  private static func monitorWithARecord(_ fixture: MonitorFixture) async throws -> Monitor {
    let monitor = try await monitorOfBeacons(fixture)
    // The loop requests the next event, which finishes the first.
    let reading = Task { for await _ in monitor.events {} }
    while await monitor.record(for: "any")?.lastEvent.number != 1 { await Task.yield() }
    reading.cancel()
    await reading.value
    return monitor
  }

  /// Indoors, the location that would resume monitoring may never arrive.
  @Test func aBeaconResumesMonitoringAfterAGrant() async throws {
    let fixture = MonitorFixture()
    let monitor = try await Self.monitorOfBeacons(fixture)
    var events = monitor.events.makeAsyncIterator()
    #expect(await events.next()?.state == .satisfied)
    fixture.backend.setAuthorization(.denied)
    #expect(await events.next()?.state == .unmonitored)
    fixture.backend.setAuthorization(.authorizedWhenInUse)
    await fixture.manager.until { $0.subscribers == 3 }
    try await fixture.backend.settle()
    let beacon = try Beacon(
      uuid: MonitorTests.uuid, major: 3, minor: 7, timestamp: MonitorFixture.start)
    try fixture.backend.emit(.beacons(BeaconReport(beacons: [beacon])))
    try await fixture.backend.settle()
    #expect(await monitor.state(for: "any") == .satisfied)
    await monitor.close()
  }

  /// The caller's actor is busy when permission is withdrawn.
  @Test func aBusyCallerGetsARecordWithoutItsBeacon() async throws {
    let fixture = MonitorFixture()
    let caller = RecordReader(try await Self.monitorWithARecord(fixture))
    let reading = Task { await caller.refinement() }
    await caller.executor.waitForJobs(1)
    await caller.executor.step()
    await caller.executor.waitForJobs(1)
    fixture.backend.setAuthorization(.denied)
    await fixture.manager.waitForAuthorization { $0.status == .denied }
    caller.executor.finish()
    #expect(await reading.value == nil)
    await fixture.manager.shutdown()
  }

  private static func refinement(in monitor: Monitor) async throws -> Condition? {
    try #require(await monitor.record(for: "any")).lastEvent.refinement
  }

  @Test("A record has no beacon after a denial", arguments: [false, true])
  func recordHasNoBeaconAfterADenial(_ isRestarted: Bool) async throws {
    let first = MonitorFixture()
    var monitor = try await Self.monitorWithARecord(first)
    var fixture = first
    if isRestarted {
      await monitor.close()
      fixture = MonitorFixture(authorization: .answering(AuthorizationDecision(.denied)))
      monitor = try await fixture.monitor(storage: first.storage)
    } else {
      first.backend.setAuthorization(.denied)
    }
    await fixture.manager.waitForAuthorization { $0.status == .denied }
    while await monitor.state(for: "any") != .unmonitored { await Task.yield() }
    #expect(await fixture.manager.authorization().status == .denied)
    let event = try #require(await monitor.record(for: "any")).lastEvent
    #expect(event.refinement == nil, "\(event)")
    await monitor.close()
    let stored = try await first.storage.open("test").1
    #expect(stored.conditions.allSatisfy { $0.lastEvent?.refinement == nil }, "stored")
  }

  @Test("A record that an earlier process stored has no beacon before permission is determined")
  func storedRecordHasNoBeaconBeforePermission() async throws {
    let first = MonitorFixture()
    await (try Self.monitorWithARecord(first)).close()
    let fixture = MonitorFixture(authorization: .asking)
    let monitor = try await fixture.monitor(storage: first.storage)
    #expect(await fixture.manager.authorization().status == .notDetermined)
    #expect(try await Self.refinement(in: monitor) == nil)
    fixture.backend.setAuthorization(AuthorizationDecision(.always))
    await fixture.manager.waitForAuthorization { $0.isAuthorized }
    #expect(try await Self.refinement(in: monitor) != nil, "the permission covers it")
    await monitor.close()
  }

  @Test(
    "A record has no beacon once a withdrawal is visible",
    arguments: [AuthorizationDecision.denied, AuthorizationDecision(.always, accuracy: .reduced)],
    [false, true])
  func recordHasNoBeaconOnceAWithdrawalIsVisible(
    _ withdrawal: AuthorizationDecision, isGrantedAgain: Bool
  ) async throws {
    let executor = HeldExecutor()
    let fixture = MonitorFixture(executor: executor)
    let monitor = try await Self.monitorWithARecord(fixture)
    #expect(try await Self.refinement(in: monitor) != nil)
    // The monitor's task, which follows permission, does not run.
    executor.hold()
    fixture.backend.setAuthorization(withdrawal)
    if isGrantedAgain { fixture.backend.setAuthorization(AuthorizationDecision(.always)) }
    #expect(try await Self.refinement(in: monitor) == nil)
    executor.release()
    await monitor.close()
  }

  @Test("A record has no beacon once the application is out of use")
  func recordHasNoBeaconOutOfUse() async throws {
    let executor = HeldExecutor()
    let fixture = MonitorFixture(executor: executor)
    let monitor = try await Self.monitorWithARecord(fixture)
    executor.hold()
    await fixture.manager.setInUse(false)
    #expect(try await Self.refinement(in: monitor) == nil)
    executor.release()
    await monitor.close()
  }

  @Test("An event that is handled during a withdrawal leaves no beacon in its record")
  func eventBeingHandledLeavesNoRefinement() async throws {
    let fixture = MonitorFixture()
    let monitor = try await Self.monitorOfBeacons(fixture)
    let reading = Task {
      for await event in monitor.events where event.state == .satisfied {
        #expect(event.refinement != nil)
        fixture.backend.setAuthorization(.denied)
        while await monitor.state(for: "any") != .unmonitored { await Task.yield() }
        fixture.backend.setAuthorization(AuthorizationDecision(.always))
        await fixture.manager.waitForAuthorization { $0.isAuthorized }
      }
    }
    while await monitor.record(for: "any")?.lastEvent.number ?? 0 < 1 { await Task.yield() }
    #expect(await fixture.manager.authorization().isAuthorized)
    #expect(try await Self.refinement(in: monitor) == nil)
    reading.cancel()
    await reading.value
    await monitor.close()
  }

  /// The monitor reads only the latest change.
  @Test("Stored events have no location if a process begins without permission")
  func storedEventsLoseTheirLocationWithoutPermission() async throws {
    var disclosures = 0
    for _ in 0..<20 {
      let first = MonitorFixture()
      let monitor = try await first.monitor()
      try await first.enter(monitor)
      await monitor.close()
      let fixture = MonitorFixture(authorization: .answering(AuthorizationDecision(.denied)))
      _ = try await fixture.manager.requestAlwaysAuthorization()
      await fixture.manager.waitForAuthorization { $0.status == .denied }
      let reopened = try await fixture.monitor(storage: first.storage)
      fixture.backend.setAuthorization(AuthorizationDecision(.always))
      var events = reopened.events.makeAsyncIterator()
      if await events.next()?.location != nil { disclosures += 1 }
      await reopened.close()
      await fixture.manager.shutdown()
    }
    #expect(disclosures == 0, "of 20")
  }

  /// Permission changes while the monitor handles a location, when it reads its clock.
  @Test("A location from before a denial determines no state after it")
  func aLocationDeterminesNoStateAfterADenial() async throws {
    let fixture = MonitorFixture()
    let isArmed = Locked(false)
    let monitor = try await Monitor(
      "test", manager: fixture.manager, storage: fixture.storage,
      options: CrossingOptions(confirmation: .zero),
      now: {
        if isArmed.withLock({ exchange(&$0, with: false) }) {
          fixture.backend.setAuthorization(.denied)
          fixture.backend.setAuthorization(AuthorizationDecision(.always))
        }
        return MonitorFixture.start
      })
    let circle = try #require(MonitorFixture.circles["first"])
    try await monitor.add(circle, identifier: "first", assuming: .unsatisfied)
    await fixture.backend.waitUntilRunning()
    try fixture.drive([0])
    try await fixture.backend.settle()
    isArmed.withLock { $0 = true }
    try fixture.drive([10])
    try await fixture.backend.settle()
    #expect(isArmed.withLock { !$0 })
    #expect(await monitor.state(for: "first") == .unmonitored)
    // Only the suspension was stored.
    #expect(fixture.storage.lastNumber("test") == 1)
  }

  @Test("A region's state from before a denial is not reported under the next permission")
  func aRegionStateIsNotReportedUnderALaterGrant() async throws {
    var disclosures = 0
    let rounds = 20
    for _ in 0..<rounds {
      let backend = MockBackend()
      let clock = ManualClock()
      let manager = LocationManager(backend: backend, clock: clock)
      let region = Region.circular(
        CircularRegion(center: fix(10).coordinate, radius: 200, identifier: "home"))
      let regionEvents = manager.regionEvents
      try await manager.startMonitoring(for: region)
      await backend.waitUntilRunning()
      for location in stops(at: 10) {
        clock.advance(by: .seconds(20))
        try backend.emit(.location(location))
      }
      let seen = Locked<[RegionEvent]>([])
      let reading = Task {
        for await event in regionEvents { seen.withLock { $0.append(event) } }
      }
      await manager.requestState(for: region)
      while !seen.withLock({ $0.contains(.didDetermineState(.inside, region)) }) {
        await Task.yield()
      }
      seen.withLock { $0 = [] }
      backend.setAuthorization(.denied)
      #expect(await manager.authorization().status == .denied)
      backend.setAuthorization(AuthorizationDecision(.always))
      await manager.requestState(for: region)
      // A state that is wrongly reported would arrive during these yields.
      for _ in 0..<500 { await Task.yield() }
      await manager.shutdown()
      await reading.value
      if seen.withLock({ $0.contains(.didDetermineState(.inside, region)) }) { disclosures += 1 }
    }
    #expect(disclosures == 0, "of \(rounds)")
  }
}
