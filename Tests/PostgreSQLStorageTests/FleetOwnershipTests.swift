import AsyncLocation
import FleetChecks
import Foundation
import Glibc
import LocationFleet
import MockBackend
import TestSupport
import Testing

@testable import PostgreSQLStorage
@testable import monitor_writer

/// Servers that share a fleet, and a database that fails.
@Suite(.needsDatabase, .inTurn)
struct FleetOwnershipTests {
  private static let device = FleetCommits.devices[0]

  private static func location(_ time: Int) throws -> FleetStorageChange {
    .location(
      device,
      try Location(
        latitude: 47, longitude: 8,
        timestamp: Date(timeIntervalSinceReferenceDate: Double(time))), isLast: true)
  }

  /// A storage with a lease that no busy machine exceeds.
  private static func storage(
    _ connection: String, part: String = "all", clock: any Clock<Duration> = ManualClock()
  ) -> PostgreSQLFleetStorage {
    var storage = PostgreSQLFleetStorage(
      connection, fleet: "fleet", part: part, retention: nil, now: { Date() }, clock: clock)
    storage.lease = .seconds(3_600)
    return storage
  }

  @Test("a part has one owner at a time, and parts have different ones")
  func oneOwner() async throws {
    let connection = try await RealDatabase.shared().database()
    let (first, _) = try await Self.storage(connection, part: "1").open()
    let refused = await #expect(throws: LocationError.self) {
      _ = try await Self.storage(connection, part: "1").open()
    }
    #expect(refused?.code == .storageUnavailable)
    #expect(refused?.message.contains("\"1\"") == true)
    let (second, _) = try await Self.storage(connection, part: "2").open()
    try await first.commit([try Self.location(1)])
    try await second.commit([try Self.location(2)])
    await first.close()
    let (third, stored) = try await Self.storage(connection, part: "1").open()
    #expect(stored.devices.map(\.location.timestampSeconds) == [1])
    await second.close()
    await third.close()
  }

  @Test("servers that begin at once create the tables once, and one owns the part")
  func race() async throws {
    let connection = try await RealDatabase.shared().database()
    let errors = Locked<[String]>([])
    let sessions = await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask { () -> (any FleetSession)? in
          do {
            return try await Self.storage(connection).open().0
          } catch {
            errors.withLock { $0.append("\(error)") }
            return nil
          }
        }
      }
      var sessions: [any FleetSession] = []
      for await case let session? in group { sessions.append(session) }
      return sessions
    }
    #expect(sessions.count == 1, "\(errors.withLock(\.self))")
    for session in sessions { await session.close() }
  }

  @Test("a server that is claiming a new part is not taken for an owner that has stopped")
  func unfinishedClaim() async throws {
    let connection = try await RealDatabase.shared().database()
    await (try Self.storage(connection, part: "other").open().0).close()
    let claimer = try await onThread {
      let claimer = try Connection(connection, responseTimeout: .seconds(60))
      try claimer.script(
        "INSERT INTO async_location.part (fleet, name) VALUES ('fleet', 'all')")
      try claimer.script(
        """
        BEGIN;
        SELECT pg_advisory_lock(\(Connection.lockKey) + id) FROM async_location.part
          WHERE name = 'all' FOR UPDATE
        """)
      return UncheckedBox(claimer)
    }
    await #expect(throws: LocationError.self) {
      await (try Self.storage(connection).open().0).close()
    }
    try await onThread { try claimer.value.script("COMMIT") }
  }

  @Test("a server that waits while another one creates the tables uses them")
  func creationByAnother() async throws {
    let connection = try await RealDatabase.shared().database()
    let creator = try await onThread {
      let creator = try Connection(connection, responseTimeout: .seconds(60))
      try creator.script("SELECT pg_advisory_lock(\(Connection.lockKey))")
      return UncheckedBox(creator)
    }
    let opening = Task { try await Self.storage(connection).open().0 }
    let waiters = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    while try await Statements.number(waiters, connection) == 0 { await Task.yield() }
    try await onThread {
      try creator.value.script(FleetSchema.creation)
      try creator.value.script("SELECT pg_advisory_unlock(\(Connection.lockKey))")
    }
    await (try opening.value).close()
  }

  @Test("a waiting server opens the part as soon as the owner has closed")
  func waiting() async throws {
    let connection = try await RealDatabase.shared().database()
    let clock = ManualClock()
    let (owner, _) = try await Self.storage(connection).open()
    try await owner.commit([try Self.location(1)])
    var storage = Self.storage(connection, clock: clock)
    storage.waitsForOwner = true
    let waiting = Task { [storage] in try await storage.open() }
    await clock.waitForSleepers()
    await owner.close()
    clock.advance(by: .milliseconds(500))
    let (session, stored) = try await waiting.value
    #expect(stored.devices.count == 1)
    await session.close()
  }

  @Test("a server continues to wait while the database is away")
  func waitingWithoutDatabase() async throws {
    let server = try await RealDatabase()
    let connection = try await server.database()
    let clock = ManualClock()
    let (owner, _) = try await Self.storage(connection).open()
    try await owner.commit([try Self.location(1)])
    var storage = Self.storage(connection, clock: clock)
    storage.waitsForOwner = true
    let reasons = Locked<[String]>([])
    storage.didBeginWaiting = { reason in reasons.withLock { $0.append(reason.message) } }
    let waiting = Task { [storage] in try await storage.open() }
    await clock.waitForSleepers()
    try await server.stop()
    // The waiting server retries while PostgreSQL is stopped.
    for _ in 0..<3 {
      await clock.step()
      await clock.waitForSleepers()
    }
    // Each reason is reported once.
    let reported = reasons.withLock(\.self)
    try #require(reported.count == 2, "\(reported)")
    #expect(reported[0] == "Another server owns the part \"all\" of the fleet \"fleet\".")
    #expect(reported[1].hasPrefix("The fleet's database cannot be opened: "))
    try await server.start()
    // The owner's connection ended when PostgreSQL stopped.
    clock.advance(by: .milliseconds(500))
    let (session, stored) = try await waiting.value
    #expect(stored.devices.count == 1)
    await session.close()
    await owner.close()
    try await server.stop()
  }

  @Test("a server that waits ends when it may not use the database any more")
  func waitingWithoutRights() async throws {
    let connection = try await RealDatabase.shared().database()
    let clock = ManualClock()
    let (owner, _) = try await Self.storage(connection).open()
    try await Statements.run(
      """
      CREATE ROLE guest LOGIN;
      GRANT USAGE ON SCHEMA async_location TO guest;
      GRANT ALL ON ALL TABLES IN SCHEMA async_location TO guest
      """, connection)
    var storage = Self.storage(
      connection.replacing("user=postgres", with: "user=guest"), clock: clock)
    storage.waitsForOwner = true
    let waiting = Task { [storage] in try await storage.open() }
    await clock.waitForSleepers()
    try await Statements.run("REVOKE USAGE ON SCHEMA async_location FROM guest", connection)
    await clock.step()
    let error = await #expect(throws: LocationError.self) { _ = try await waiting.value }
    #expect(error?.message.contains("permission denied") == true)
    await owner.close()
  }

  @Test(
    "a text is a database or a file",
    arguments: [
      ("fleet.db", false), ("/var/lib/a=1/fleet.db", false), ("./postgres:a", false), ("", false),
      ("postgresql://u@h/d", true), ("postgres:///d", true), ("host=h dbname=d", true),
      ("PostgreSQL://u:sesame@/d", true), ("postgresql:/u:sesame@h/d", true),
      (" postgresql://u:sesame@h/d", true), ("mysql://u:sesame@h/d", true),
      ("postgres//u:sesame@h/d", true), ("u:sesame@h", true), ("./fleet@home.db", false),
    ])
  func connections(text: String, isConnection: Bool) {
    #expect(PostgreSQLFleetStorage.isConnection(text) == isConnection)
  }

  @Test(
    "an error does not repeat the password of a mistyped connection",
    arguments: [
      "PostgreSQL://u:sesame@/d", "postgresql:/u:sesame@h/d", " postgresql://u:sesame@h/d",
      "mysql://u:sesame@h/d", "postgres sesame=",
    ])
  func mistyped(text: String) async {
    let error = await #expect(throws: LocationError.self) {
      _ = try await PostgreSQLFleetStorage(text).open()
    }
    #expect(error?.code == .invalidValue)
    #expect(error?.message.contains("sesame") == false)
  }

  @Test("waiting for an owner ends with its task")
  func cancelled() async throws {
    let connection = try await RealDatabase.shared().database()
    let clock = ManualClock()
    let (owner, _) = try await Self.storage(connection).open()
    var storage = Self.storage(connection, clock: clock)
    storage.waitsForOwner = true
    let waiting = Task { [storage] in try await storage.open() }
    await clock.waitForSleepers()
    waiting.cancel()
    await #expect(throws: LocationError.self) { _ = try await waiting.value }
    await owner.close()
  }

  @Test("F79 the earlier of two owners stores nothing more, and ends as superseded")
  func superseded() async throws {
    let connection = try await RealDatabase.shared().database()
    let (frozen, _) = try await Self.storage(connection).open()
    try await frozen.commit([try Self.location(1)])
    // Simulates a server that was inactive for longer than its lease.
    try await Statements.run("UPDATE async_location.part SET renewed = 'epoch'", connection)
    let (owner, stored) = try await Self.storage(connection).open()
    #expect(stored.devices.count == 1)
    try await owner.commit([try Self.location(2)])
    // The takeover ended the first owner's connection. Its next connection reports the reason.
    await #expect(throws: LocationError.self) { try await frozen.commit([try Self.location(3)]) }
    let error = await #expect(throws: LocationError.self) { _ = try await frozen.recover() }
    #expect(error?.code == .superseded)
    await frozen.close()
    try await owner.commit([try Self.location(4)])
    let whole = try await owner.locations(
      of: Self.device, from: .distantPast, to: .distantFuture, count: .max)
    #expect(whole.map(\.timestampSeconds) == [1, 2, 4])
    await owner.close()
  }

  @Test("a commit of an owner whose claim has passed is refused")
  func passedClaim() async throws {
    let connection = try await RealDatabase.shared().database()
    let (session, _) = try await Self.storage(connection).open()
    try await session.commit([try Self.location(1)])
    try await Statements.run("UPDATE async_location.part SET claim = claim + 1", connection)
    let error = await #expect(throws: LocationError.self) {
      try await session.commit([try Self.location(2)])
    }
    #expect(error?.code == .superseded)
    await session.close()
    #expect(
      try await Statements.number("SELECT sum(count)::bigint FROM async_location.run", connection)
        == 1)
  }

  @Test("F76 after kill -9 at any moment, a database has all commits that returned")
  func kills() async throws {
    let connection = try await RealDatabase.shared().database()
    let rounds = Rounds.environment("ASYNC_LOCATION_CRASHES", otherwise: 12)
    var random = SplitMix64(seed: 76)
    var last: UInt64 = 0
    // Each open waits until PostgreSQL has detected the end of the killed process's connection.
    var storage = PostgreSQLFleetStorage(connection)
    storage.waitsForOwner = true
    for round in 1...rounds {
      let writer = try WriterProcess("monitor-writer", ["--fleet-database", connection, "none"])
      var lines: [String] = []
      for _ in 0..<Int.random(in: 1...30, using: &random) {
        if let line = await writer.line() { lines.append(line) }
      }
      writer.kill()
      lines += await writer.finish()
      last = lines.compactMap { $0.split(separator: " ").last.flatMap { UInt64($0) } }.last ?? last
      let (session, stored) = try await storage.open()
      try #require([last, last + 1].contains(stored.lastNumber), "round \(round)")
      try await FleetComparison.compare(session, stored, stored.lastNumber, "round \(round)")
      await session.close()
      last = stored.lastNumber
    }
    print("F76: \(rounds) times killed, \(last) commits, none lost or torn")
  }

  // MARK: Failures of the database

  @Test("F77 after a restart of the server, only the failed commit is repeated")
  func restart() async throws {
    let server = try await RealDatabase()
    let (session, _) = try await Self.storage(server.database()).open()
    try await session.commit(FleetCommits.changes(1))
    try await server.stop()
    await #expect(throws: LocationError.self) { try await session.commit(FleetCommits.changes(2)) }
    await #expect(throws: LocationError.self) { _ = try await session.recover() }
    try await server.start()
    #expect(try await session.recover() == nil)
    for number in 2...UInt64(5) { try await session.commit(FleetCommits.changes(number)) }
    await session.close()
    try await server.stop()
  }

  @Test("F77 a database that lacks commits receives everything but the history again")
  func loss() async throws {
    let connection = try await RealDatabase.shared().database()
    let (session, _) = try await Self.storage(connection).open()
    for number in 1...UInt64(5) { try await session.commit(FleetCommits.changes(number)) }
    // The database is like a standby that was behind.
    try await Statements.run("UPDATE async_location.part SET commits = 2", connection)
    try await Statements.endConnections(connection)
    await #expect(throws: LocationError.self) { try await session.commit(FleetCommits.changes(6)) }
    #expect(try await session.recover()?.code == .storageUnavailable)
    // The database keeps its content until everything is stored again.
    #expect(
      try await Statements.number("SELECT count(*) FROM async_location.event", connection) == 5)
    try await session.commit(FleetCommits.changes(6))
    #expect(
      try await Statements.number("SELECT count(*) FROM async_location.event", connection) == 1)
    await session.close()
  }

  @Test("F77 a database that was dropped is created again")
  func dropped() async throws {
    let connection = try await RealDatabase.shared().database()
    let (session, _) = try await Self.storage(connection).open()
    try await session.commit(FleetCommits.changes(1))
    try await Statements.run("DROP SCHEMA async_location CASCADE", connection)
    await #expect(throws: LocationError.self) { try await session.commit(FleetCommits.changes(2)) }
    #expect(try await session.recover() != nil)
    try await session.commit(FleetCommits.changes(2))
    await session.close()
  }

  @Test("a history is read again after its connection has ended")
  func endedReader() async throws {
    let connection = try await RealDatabase.shared().database()
    let (session, _) = try await Self.storage(connection).open()
    try await session.commit([try Self.location(1)])
    let history = try await Self.storage(connection).history()
    try await Statements.endConnections(connection)
    #expect(try await history.location(of: Self.device, at: .distantFuture) != nil)
    await session.close()
  }
}
