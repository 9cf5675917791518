import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// A storage that refuses every write while a test says so.
private final class RefusingStorage: MonitorStorage {
  let base = MemoryMonitorStorage()
  let refuses = Locked(false)

  func open(_ name: String) async throws(LocationError) -> (any MonitorSession, StoredMonitor) {
    let (session, stored) = try await base.open(name)
    return (Session(storage: self, session: session), stored)
  }

  private struct Session: MonitorSession {
    let storage: RefusingStorage
    let session: any MonitorSession

    private func check() throws(LocationError) {
      if storage.refuses.withLock({ $0 }) {
        throw LocationError(.storageUnavailable, "The disk is full.")
      }
    }
    func commit(_ changes: [MonitorChange]) async throws(LocationError) {
      try check()
      try await session.commit(changes)
    }
    func replace(with monitor: StoredMonitor) async throws(LocationError) {
      try check()
      try await session.replace(with: monitor)
    }
    func close() async { await session.close() }
  }
}

/// F62: the storage of a monitor when permission goes, whatever the disk does.
@Suite(.inTurn) struct WithdrawnStorageTests {
  private static func enter(_ fixture: MonitorFixture, _ monitor: Monitor) async throws {
    let circle = try #require(MonitorFixture.circles["first"])
    try await monitor.add(circle, identifier: "first", assuming: .unsatisfied)
    try fixture.drive([10])
    while await monitor.state(for: "first") != .satisfied { await Task.yield() }
  }

  private static func reaches(
    _ fixture: MonitorFixture, _ isReached: (Authorization) -> Bool
  ) async {
    for await authorization in fixture.manager.authorizationUpdates where isReached(authorization) {
      return
    }
  }

  @Test("F62 a write under way at the withdrawal hides nothing")
  func aWriteUnderWay() async throws {
    let fixture = MonitorFixture()
    let storage = HeldStorage(fixture.storage)
    let monitor = try await fixture.monitor(storage: storage)
    try await Self.enter(fixture, monitor)
    while fixture.storage.lastNumber("test") < 1 { await Task.yield() }
    // An unrelated write is under way on a slow disk.
    storage.hold()
    let second = try #require(MonitorFixture.circles["second"])
    let adding = Task { try await monitor.add(second, identifier: "second") }
    await storage.waitForHeld()
    fixture.backend.setAuthorization(.denied)
    await Self.reaches(fixture) { $0.status == .denied }
    while await monitor.state(for: "first") != .unmonitored { await Task.yield() }
    storage.release()
    try await adding.value
    await monitor.close()
    let (session, stored) = try await fixture.storage.open("test")
    #expect(stored.events.allSatisfy { $0.event.location == nil })
    await session.close()
    // The next process has permission again.
    let next = MonitorFixture()
    let again = try await next.monitor(storage: fixture.storage)
    var events = again.events.makeAsyncIterator()
    let told = await events.next()
    #expect(told?.location == nil)
  }

  /// Nothing changes any more without permission.
  @Test("F62 a replacement that failed is tried again", arguments: [false, true])
  func aFailedReplacement(_ isClosedFirst: Bool) async throws {
    let fixture = MonitorFixture()
    let storage = RefusingStorage()
    let monitor = try await fixture.monitor(storage: storage)
    try await Self.enter(fixture, monitor)
    while storage.base.lastNumber("test") < 1 { await Task.yield() }
    storage.refuses.withLock { $0 = true }
    fixture.backend.setAuthorization(.denied)
    await Self.reaches(fixture) { $0.status == .denied }
    while await monitor.storageProblem == nil { await Task.yield() }
    // The disk is well again: for a while, or when the process ends.
    storage.refuses.withLock { $0 = false }
    if !isClosedFirst {
      await fixture.clock.waitForSleepers()
      fixture.clock.advance(by: MonitorJournal.retryInterval)
      while await monitor.storageProblem != nil { await Task.yield() }
    }
    await monitor.close()
    let (session, stored) = try await storage.base.open("test")
    #expect(stored.events.allSatisfy { $0.event.location == nil })
    await session.close()
    let next = MonitorFixture()
    let again = try await next.monitor(storage: storage.base)
    var events = again.events.makeAsyncIterator()
    let told = await events.next()
    #expect(told?.location == nil)
  }

  /// Nothing asks for permission then.
  @Test("events are delivered after the last condition expired", arguments: [true, false])
  func theLastConditionExpires(_ expiresWhileClosed: Bool) async throws {
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
