import AsyncLocation
import Foundation
import LocationFleet
import LocationStorage
import MockBackend
import TestSupport
import Testing

@testable import MQTTBackend

/// A fleet whose storage fails, blocks, or has lost its content.
@Suite(.inTurn)
struct FailingFleetStorageTests {
  @Test("F77 a storage that fails: everything waits, and is stored once when it can be written")
  func failure() async throws {
    let storage = GatedStorage()
    let test = try await TestFleet(storage: storage)
    try test.fleet.add(depot, identifier: "depot")
    try await test.fleet.waitUntilStored()
    var changes = test.fleet.changes.makeAsyncIterator()
    storage.set(.broken)
    var attempts = storage.attempts.makeAsyncIterator()
    test.hub.receive("a/a", "100 47")
    test.hub.flush()
    await attempts.next()
    #expect(try await changes.next() == .added(id("a/a")))
    #expect(try await changes.next() == .online(id("a/a")))
    #expect(try await changes.next() == .storageFailed)
    #expect(test.fleet.storageProblem?.code == .storageUnavailable)
    test.hub.receive("a/a", "900 48")
    test.hub.flush()
    #expect(test.hub.decide { state, _ in state.storing.queue.isEmpty })
    await test.clock.step()
    await attempts.next()
    storage.set(.open)
    await test.clock.step()
    var events = test.fleet.unfinishedEvents.makeAsyncIterator()
    #expect(try await events.next()?.state == .satisfied)
    #expect(try await events.next()?.state == .unsatisfied)
    #expect(try await changes.next() == .storageRecovered)
    #expect(test.fleet.storageProblem == nil)
    await test.fleet.shutdown()
  }

  @Test("waiting until events are finished returns while the storage fails")
  func waitingForConsumers() async throws {
    let storage = GatedStorage()
    let test = try await TestFleet(storage: storage)
    try test.fleet.add(depot, identifier: "depot")
    try await test.fleet.waitUntilStored()
    storage.set(.broken)
    test.hub.receive("a/a", "100 47")
    test.hub.flush()
    await test.fleet.waitUntilEventsAreFinished()
    #expect(test.fleet.storageProblem?.code == .storageUnavailable)
    storage.set(.open)
    await test.fleet.shutdown()
  }

  @Test("another reason for a failure is reported")
  func anotherReason() async throws {
    let storage = GatedStorage()
    let test = try await TestFleet(storage: storage)
    var changes = test.fleet.changes.makeAsyncIterator()
    storage.set(.broken, because: "one")
    var attempts = storage.attempts.makeAsyncIterator()
    test.hub.receive("a/a", "100 47")
    test.hub.flush()
    for expected in [FleetChange.added(id("a/a")), .online(id("a/a")), .storageFailed] {
      #expect(try await changes.next() == expected)
    }
    await attempts.next()
    #expect(test.fleet.storageProblem?.message == "one")
    // The same reason is not reported again, but another one is.
    await test.clock.step()
    await attempts.next()
    storage.set(.broken, because: "two")
    await test.clock.step()
    await attempts.next()
    #expect(try await changes.next() == .storageFailed)
    #expect(test.fleet.storageProblem?.message == "two")
    storage.set(.open)
    await test.clock.step()
    #expect(try await changes.next() == .storageRecovered)
    await test.fleet.shutdown()
  }

  @Test("a storage that lost its content receives everything but the history")
  func loss() async throws {
    let storage = GatedStorage()
    let test = try await TestFleet(storage: storage)
    try test.fleet.add(depot, identifier: "depot", for: .users(["a"]))
    test.hub.receive("a/a", "100 47")
    test.hub.flush()
    try await test.fleet.waitUntilStored()
    storage.set(.broken)
    storage.lose()
    var attempts = storage.attempts.makeAsyncIterator()
    test.hub.receive("b/b", "100 47")
    test.hub.flush()
    await attempts.next()
    storage.set(.open)
    await test.clock.step()
    try await test.fleet.waitUntilStored()
    // The commit after the loss contains all that another process needs.
    let fullCommit = try #require(storage.commits.last)
    let copy = MemoryFleetStorage()
    let (session, _) = try await copy.open()
    try await session.commit(fullCommit)
    await session.close()
    let (_, stored) = try await copy.open()
    #expect(Set(stored.devices.map(\.id)) == [id("a/a"), id("b/b")])
    #expect(stored.conditions.map(\.condition.audience) == [.users(["a"])])
    #expect(stored.events.map(\.number) == [1])
    #expect(stored.devices.contains { $0.states != nil })
    await test.fleet.shutdown()
  }

  @Test("a storage that lost its content receives the numbers and decisions of the failure")
  func lossWhileDeciding() async throws {
    let storage = GatedStorage()
    let test = try await TestFleet(storage: storage)
    try test.fleet.add(depot, identifier: "depot")
    try test.fleet.add(depot, identifier: "gone")
    test.hub.receive("a/a", "100 47")
    test.hub.flush()
    // Finishes both events of a/a.
    var events = test.fleet.unfinishedEvents.makeAsyncIterator()
    for _ in 0..<2 { _ = try await events.next() }
    test.fleet.remove("gone")
    storage.set(.broken)
    storage.lose()
    var attempts = storage.attempts.makeAsyncIterator()
    test.hub.receive("b/b", "100 48")
    test.hub.flush()
    await attempts.next()
    // The location waits behind the failing commit.
    test.hub.receive("a/a", "900 48")
    test.hub.flush()
    storage.set(.open)
    await test.clock.step()
    #expect(try await events.next()?.number == 3)
    #expect(test.fleet.storageLoss != nil)
    // The commit after the loss contains all that another process needs.
    let fullCommit = try #require(
      storage.commits.first { $0.contains { if case .numbers = $0 { true } else { false } } })
    let copy = MemoryFleetStorage()
    let (session, _) = try await copy.open()
    try await session.commit(fullCommit)
    await session.close()
    let (_, stored) = try await copy.open()
    #expect(stored.lastNumber == 3)
    #expect(stored.lastRevision == 2)
    #expect(stored.events.contains { $0.number == 3 })
    #expect(
      stored.devices.first { $0.id == id("a/a") }?.location == location(at: 900, latitude: 48))
    await test.fleet.shutdown()
  }

  @Test("a loss of earlier content is reported")
  func lossAtTheStart() async throws {
    let folder = try TestFolder()
    let path = try folder.write(
      Array("SQLite format 3\0".utf8) + Array(repeating: 0, count: 52) + Array("ALFl".utf8)
        + Array(repeating: 7, count: 9_000), to: "fleet.sqlite")
    let test = try await TestFleet(storage: SQLiteFleetStorage(file: path))
    #expect(test.fleet.storageLoss?.message.contains("corrupt-") == true)
    await test.fleet.shutdown()
  }

  @Test("beyond the limit the history loses locations, and the last states stay")
  func condensing() async throws {
    var limits = FleetLimits()
    limits.unstoredChanges = 50
    let storage = GatedStorage()
    let test = try await TestFleet(limits: limits, storage: storage)
    try test.fleet.add(depot, identifier: "depot")
    try await test.fleet.waitUntilStored()
    storage.set(.closed)
    var attempts = storage.attempts.makeAsyncIterator()
    test.hub.receive("a/a", "1 47")
    test.hub.flush()
    await attempts.next()
    for time in 2...200 { test.hub.receive("a/a", "\(time * 10) \(time % 50 < 25 ? 47 : 48)") }
    test.hub.flush()
    storage.set(.open)
    try await test.fleet.waitUntilStored()
    let dropped = test.fleet.statistics.unstored
    #expect(dropped > 0)
    let history = try #require(test.fleet.history)
    let kept = try await history.track(of: id("a/a")).locations
    #expect(kept.count + Int(dropped) == 200)
    #expect(kept.last == test.fleet.device(id("a/a"))?.location)
    #expect(test.fleet.statistics.discardedEvents == 0)
    await test.fleet.shutdown()
  }

  @Test("a fleet that ends while its storage fails counts the changes that are not stored")
  func endOfAFailure() async throws {
    let storage = GatedStorage()
    let test = try await TestFleet(storage: storage)
    storage.set(.broken)
    var attempts = storage.attempts.makeAsyncIterator()
    test.hub.receive("a/a", "100 47")
    test.hub.flush()
    await attempts.next()
    test.hub.receive("a/a", "200 47")
    test.hub.flush()
    await test.fleet.shutdown()
    #expect(test.fleet.statistics.unstored == 2)
    #expect(test.fleet.storageProblem != nil)
  }

  @Test(
    "a file that is removed or cut while it is in use receives everything again",
    arguments: [false, true])
  func removedFile(isCut: Bool) async throws {
    let folder = try TestFolder()
    let file = "\(folder.path)/fleet.sqlite"
    let test = try await TestFleet(storage: SQLiteFleetStorage(file: file))
    try test.fleet.add(depot, identifier: "depot")
    test.hub.receive("a/a", "100 47")
    test.hub.flush()
    try await test.fleet.waitUntilStored()
    var changes = test.fleet.changes.makeAsyncIterator()
    if isCut {
      try Data().write(to: URL(fileURLWithPath: file))
    } else {
      for name in try folder.names() where !name.hasSuffix(".lock") {
        try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
      }
    }
    test.hub.receive("a/a", "200 47")
    test.hub.flush()
    #expect(try await changes.next() == .storageFailed)
    await test.clock.step()
    try await test.fleet.waitUntilStored()
    #expect(test.fleet.storageLoss != nil)
    await test.fleet.shutdown()
    let next = try await TestFleet(storage: SQLiteFleetStorage(file: file))
    #expect(next.fleet.conditions(satisfiedBy: id("a/a")) == ["depot"])
    #expect(next.fleet.device(id("a/a"))?.location == location(at: 200))
    await next.fleet.shutdown()
  }

  @Test("a fleet that is released stores what it has received")
  func release() async throws {
    let storage = MemoryFleetStorage()
    var test: TestFleet? = try await TestFleet(storage: storage)
    test?.hub.receive("a/a", "100 47")
    test?.hub.flush()
    test = nil
    while true {
      // The storage is in use until everything is stored.
      guard let (session, stored) = try? await storage.open() else {
        await Task.yield()
        continue
      }
      #expect(stored.devices.map(\.id) == [id("a/a")])
      await session.close()
      return
    }
  }
}
