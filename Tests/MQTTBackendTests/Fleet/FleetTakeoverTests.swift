import AsyncLocation
import LocationFleet
import MockBackend
import PostgreSQLStorage
import TestSupport
import Testing

@testable import MQTTBackend

/// A fleet whose storage is shared by several servers.
@Suite(.inTurn)
struct FleetTakeoverTests {
  @Test("a fleet that has nothing to store renews its lease")
  func renewsItsLease() async throws {
    let storage = GatedStorage(longestPause: .seconds(2))
    let test = try await TestFleet(storage: storage)
    storage.set(.broken)
    var attempts = storage.attempts.makeAsyncIterator()
    await test.clock.step()
    await attempts.next()
    storage.set(.open)
    await test.fleet.shutdown()
  }

  @Test("a fleet whose storage has no lease commits only changes")
  func commitsOnlyChangesWithoutALease() async throws {
    let storage = GatedStorage()
    let test = try await TestFleet(storage: storage)
    test.hub.wakeWriter()
    test.hub.receive("a/a", "100 47")
    test.hub.flush()
    try await test.fleet.waitUntilStored()
    #expect(storage.commits.allSatisfy { !$0.isEmpty })
    await test.fleet.shutdown()
  }

  @Test("F79 a fleet that another server has taken over ends, and no event of it is delivered")
  func superseded() async throws {
    let storage = GatedStorage(longestPause: .seconds(2))
    let test = try await TestFleet(storage: storage)
    try test.fleet.add(depot, identifier: "depot")
    test.hub.receive("a/a", "100 47")
    test.hub.flush()
    try await test.fleet.waitUntilStored()
    let (updates, live) = (test.fleet.updates, test.fleet.events)
    storage.set(.superseded)
    // The first event is stored already, and this second one is not.
    test.hub.receive("a/a", "900 48")
    test.hub.flush()
    var unfinished = test.fleet.unfinishedEvents.makeAsyncIterator()
    #expect(await Self.errorCode { _ = try await unfinished.next() } == .superseded)
    #expect(
      await Self.errorCode { for try await _ in live { Issue.record("an event") } } == .superseded)
    #expect(await Self.errorCode { for try await _ in updates {} } == .superseded)
    #expect(await Self.errorCode { try await test.fleet.waitUntilStored() } == .superseded)
    await test.fleet.lifetime.writer?.waitUntilEnded()
    #expect(test.stops.withLock(\.self) == 1)
    #expect(test.fleet.statistics.unstored == 1)
    // The other server gets both events, from the storage and from the broker.
    await test.fleet.shutdown()
  }

  /// Runs a closure, and returns the code of the error that it throws.
  private static func errorCode(_ body: () async throws -> Void) async -> LocationError.Code? {
    do { try await body() } catch { return (error as? LocationError)?.code }
    return nil
  }

  @Test("F79 a server that resumes after another took over delivers no event", .needsDatabase)
  func thawed() async throws {
    let connection = try await RealDatabase.shared().database()
    let frozen = try await TestFleet(storage: PostgreSQLFleetStorage(connection))
    try frozen.fleet.add(depot, identifier: "depot")
    frozen.hub.receive("a/a", "100 47")
    frozen.hub.flush()
    try await frozen.fleet.waitUntilStored()
    var storage = PostgreSQLFleetStorage(connection)
    storage.waitsForOwner = true
    // The clock of the frozen server does not advance, so its lease ends.
    let owner = try await TestFleet(storage: storage)
    var events = owner.fleet.unfinishedEvents.makeAsyncIterator()
    #expect(try await events.next()?.number == 1)
    owner.hub.receive("a/a", "900 48")
    owner.hub.flush()
    #expect(try await events.next()?.number == 2)
    frozen.hub.receive("a/a", "950 48")
    frozen.hub.flush()
    var late = frozen.fleet.unfinishedEvents.makeAsyncIterator()
    // The other server has ended this server's connection. Besides its heartbeat, this server now
    // waits before it connects again. Then it learns that it was superseded.
    await frozen.clock.waitForSleepers(atLeast: 2)
    frozen.clock.advance(by: FleetWriter.pause)
    #expect(await Self.errorCode { _ = try await late.next() } == .superseded)
    await frozen.fleet.shutdown()
    await owner.fleet.shutdown()
  }
}
