import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// F62: the storage of a monitor when permission is withdrawn, on slow and failing disks.
@Suite(.inTurn) struct WithdrawnStorageTests {
  /// Checks that no exact location is stored, or reported by the next process with permission.
  private static func expectNoLocation(in storage: MemoryMonitorStorage) async throws {
    let (session, stored) = try await storage.open("test")
    #expect(stored.events.allSatisfy { $0.event.location == nil })
    await session.close()
    let monitor = try await MonitorFixture().monitor(storage: storage)
    var events = monitor.events.makeAsyncIterator()
    let event = await events.next()
    #expect(event?.location == nil)
  }

  @Test("F62 a withdrawal during a write removes stored locations")
  func withdrawalDuringAWriteRemovesLocations() async throws {
    let fixture = MonitorFixture()
    let storage = HeldStorage(fixture.storage)
    let monitor = try await fixture.monitor(storage: storage)
    try await fixture.enter(monitor)
    while fixture.storage.lastNumber("test") < 1 { await Task.yield() }
    // An unrelated write is in progress on a slow disk.
    storage.hold()
    let second = try #require(MonitorFixture.circles["second"])
    let adding = Task { try await monitor.add(second, identifier: "second") }
    await storage.waitForHeld()
    fixture.backend.setAuthorization(.denied)
    await fixture.manager.waitForAuthorization { $0.status == .denied }
    while await monitor.state(for: "first") != .unmonitored { await Task.yield() }
    storage.release()
    try await adding.value
    await monitor.close()
    try await Self.expectNoLocation(in: fixture.storage)
  }

  /// A process that ends before the replacement leaves the mark of the withdrawal in the storage.
  @Test("F62 a withdrawal keeps the locations of the next permission")
  func theNextPermissionIsNotWithdrawn() async throws {
    let (fixture, storage) = (MonitorFixture(), TracedStorage())
    let monitor = try await fixture.monitor(storage: storage)
    let circle = try #require(MonitorFixture.circles["first"])
    try await monitor.add(circle, identifier: "first", assuming: .unsatisfied)
    let hasActionEnded = Locked(false)
    storage.during("commit") {
      for decision in [AuthorizationDecision.denied, .authorizedAlways] {
        fixture.backend.setAuthorization(decision)
        await fixture.manager.waitForAuthorization { $0.isAuthorized == (decision != .denied) }
      }
      while await monitor.state(for: "first") != .unmonitored { await Task.yield() }
      while (try? fixture.drive([11])) == nil { await Task.yield() }
      while await monitor.state(for: "first") != .satisfied { await Task.yield() }
      hasActionEnded.withLock { $0 = true }
    }
    try fixture.drive([10])
    while !hasActionEnded.withLock(\.self) { await Task.yield() }
    await monitor.close()
    let events = try await storage.base.open("test").1.events.map(\.event)
    #expect(events.map { $0.location != nil } == [false, false, true])
    #expect(storage.withheldNumbers.allSatisfy { $0 < 3 }, "\(storage.withheldNumbers)")
    #expect(!storage.withheldNumbers.isEmpty)
  }

  /// Without permission, no later event causes a write.
  @Test("F62 a replacement that failed is tried again", arguments: [false, true])
  func failedReplacementIsTriedAgain(_ isClosedFirst: Bool) async throws {
    let fixture = MonitorFixture()
    let storage = FailingStorage()
    let monitor = try await fixture.monitor(storage: storage)
    try await fixture.enter(monitor)
    while storage.base.lastNumber("test") < 1 { await Task.yield() }
    storage.fails = true
    fixture.backend.setAuthorization(.denied)
    await fixture.manager.waitForAuthorization { $0.status == .denied }
    while await monitor.storageProblem == nil { await Task.yield() }
    // The replacement is tried again after the retry interval, or when the monitor closes.
    storage.fails = false
    if !isClosedFirst {
      await fixture.clock.waitForSleepers()
      fixture.clock.advance(by: MonitorJournal.retryInterval)
      while await monitor.storageProblem != nil { await Task.yield() }
    }
    await monitor.close()
    try await Self.expectNoLocation(in: storage.base)
    #expect(storage.deletions.withLock(\.self) > 0)
  }

  /// The process may end before the storage works again.
  @Test("F62 F65 a storage that has just failed is notified of each withdrawal at once")
  func failingStorageIsNotifiedOfEachWithdrawal() async throws {
    let fixture = MonitorFixture()
    let storage = FailingStorage()
    let monitor = try await fixture.monitor(storage: storage)
    try await fixture.enter(monitor)
    while storage.base.lastNumber("test") < 1 { await Task.yield() }
    #expect(storage.withdrawals.withLock(\.self) == 0)
    storage.fails = true
    for round in 1...2 {
      let before = storage.withdrawals.withLock(\.self)
      await Self.deny(fixture, monitor)
      await monitor.remove("none")
      #expect(storage.withdrawals.withLock(\.self) > before)
      #expect(storage.base.keepsLocations("test"))
      await Self.grant(fixture, monitor, fix: 10 + round)
    }
    #expect(storage.deletions.withLock(\.self) == 0)
    await monitor.close()
  }

  /// Withdraws permission, and waits until the monitor has applied the withdrawal.
  private static func deny(_ fixture: MonitorFixture, _ monitor: Monitor) async {
    fixture.backend.setAuthorization(.denied)
    while await monitor.state(for: "first") != .unmonitored { await Task.yield() }
  }

  /// Grants permission again, and emits a fix until it has determined a state.
  private static func grant(_ fixture: MonitorFixture, _ monitor: Monitor, fix: Int) async {
    fixture.backend.setAuthorization(.authorizedAlways)
    await fixture.manager.waitForAuthorization { $0.status == .authorizedAlways }
    // Fixes of a run that is stopping are discarded.
    while await monitor.state(for: "first") == .unmonitored {
      try? fixture.drive([fix])
      await Task.yield()
    }
  }

  /// An event waits behind a write when the storage is notified of the earlier withdrawal.
  @Test("F62 F65 a withdrawal during the notification of an earlier one stores no place")
  func withdrawalDuringNotificationStoresNoPlace() async throws {
    let (fixture, storage) = (MonitorFixture(), TracedStorage())
    let monitor = try await fixture.monitor(storage: storage)
    try await fixture.enter(monitor)
    while !storage.trace.contains("commit a place") { await Task.yield() }
    storage.during("commit") {
      await Self.deny(fixture, monitor)
      await Self.grant(fixture, monitor, fix: 11)
    }
    storage.during("withhold") {
      await Self.deny(fixture, monitor)
      storage.mark("denied")
    }
    try await monitor.add(try #require(MonitorFixture.circles["second"]), identifier: "second")
    await monitor.close()
    let trace = storage.trace.drop { $0 != "denied" }
    #expect(!trace.isEmpty)
    #expect(!trace.contains { $0.hasSuffix("a place") }, "\(storage.trace)")
  }

  @Test("F62 F65 a withdrawal during a replacement keeps the mark of the earlier one")
  func withdrawalDuringAReplacementKeepsTheEarlierMark() async throws {
    let (fixture, storage) = (MonitorFixture(), TracedStorage())
    let monitor = try await fixture.monitor(storage: storage)
    try await fixture.enter(monitor)
    while !storage.trace.contains("commit a place") { await Task.yield() }
    storage.during("replace") {
      await Self.grant(fixture, monitor, fix: 11)
      await Self.deny(fixture, monitor)
      storage.mark("denied")
    }
    await Self.deny(fixture, monitor)
    while storage.trace.last != "delete" { await Task.yield() }
    await monitor.close()
    let trace = storage.trace.drop { $0 != "denied" }
    #expect(trace.dropFirst().first == "withhold", "\(storage.trace)")
    #expect(trace.last == "delete", "\(storage.trace)")
  }

  /// The closing monitor no longer observes permission, and only the log has a location.
  @Test("F62 F65 a withdrawal while the monitor closes")
  func withdrawalWhileTheMonitorClosesIsApplied() async throws {
    let (fixture, storage) = (MonitorFixture(), TracedStorage())
    let monitor = try await fixture.monitor(storage: storage)
    try await fixture.enter(monitor)
    let reader = Task { for await _ in monitor.events {} }
    while storage.base.lastNumber("test") < 1 { await Task.yield() }
    while storage.base.keepsLocations("test") { await Task.yield() }
    let closing = Locked<Task<Void, Never>?>(nil)
    storage.during("commit") {
      closing.withLock { $0 = Task { await monitor.close() } }
      while await !monitor.isClosed { await Task.yield() }
      fixture.backend.setAuthorization(.denied)
      await fixture.manager.waitForAuthorization { $0.status == .denied }
      storage.mark("denied")
    }
    try await monitor.add(try #require(MonitorFixture.circles["second"]), identifier: "second")
    await closing.withLock(\.self)?.value
    await reader.value
    let trace = Array(storage.trace.drop { $0 != "denied" })
    #expect(trace.contains("withhold"), "\(storage.trace)")
    #expect(trace.last == "delete", "\(storage.trace)")
  }

  @Test(
    "F62 remains of earlier contents are deleted when permission covers no location",
    arguments: [AuthorizationDecision.denied, AuthorizationDecision(.always, accuracy: .reduced)])
  func remainsAreDeletedWithoutPermission(_ decision: AuthorizationDecision) async throws {
    let storage = FailingStorage()
    for isFromTheStart in [false, true] {
      let fixture = MonitorFixture()
      let before = storage.deletions.withLock(\.self)
      if isFromTheStart { fixture.backend.setAuthorization(decision) }
      let monitor = try await fixture.monitor(storage: storage)
      if !isFromTheStart {
        try await fixture.enter(monitor)
        #expect(storage.deletions.withLock(\.self) == 0)
        fixture.backend.setAuthorization(decision)
      }
      while storage.deletions.withLock(\.self) == before { await Task.yield() }
      await monitor.close()
    }
  }

  /// Without a condition, nothing requests permission.
  @Test("events are delivered after the last condition expired", arguments: [true, false])
  func eventsOutlastTheLastCondition(_ expiresWhileClosed: Bool) async throws {
    let storage = MemoryMonitorStorage()
    do {
      let fixture = MonitorFixture()
      let monitor = try await fixture.monitor(storage: storage)
      let circle = try #require(MonitorFixture.circles["first"])
        .expiring(at: MonitorFixture.start + 100)
      try await monitor.add(circle, identifier: "first", assuming: .unsatisfied)
      try fixture.drive([10])
      while await monitor.state(for: "first") != .satisfied { await Task.yield() }
      await monitor.close()
    }
    let fixture = MonitorFixture(authorization: .asking)
    let clock = fixture.clock
    let origin = clock.now
    let monitor = try await Monitor(
      "test", manager: fixture.manager, storage: storage,
      now: {
        MonitorFixture.start + ExactSeconds.number(origin.duration(to: clock.now))
          + (expiresWhileClosed ? 1_000 : 0)
      })
    if !expiresWhileClosed {
      clock.advance(by: .seconds(200))
    }
    while await !monitor.identifiers.isEmpty { await Task.yield() }
    var events = monitor.events.makeAsyncIterator()
    #expect(await events.next()?.state == .satisfied)
  }
}
