import AsyncLocation
import FleetChecks
import Foundation
import Glibc
import LocationFleet
import MockBackend
import TestSupport
import Testing

@testable import PostgreSQLStorage

/// Combined failures of servers and databases.
@Suite(.needsDatabase, .inTurn)
struct FleetFailoverTests {
  private static let device = FleetCommits.devices[0]

  private static func location(_ time: Int, isLast: Bool = true) throws -> FleetStorageChange {
    .location(
      device,
      try Location(
        latitude: 47, longitude: 8,
        timestamp: Date(timeIntervalSinceReferenceDate: Double(time))), isLast: isLast)
  }

  /// Makes each insertion into, or deletion from, the table of events fail.
  private static func refuse(_ action: String, _ connection: String) async throws {
    try await Statements.run(
      """
      CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE 'full'; END $$;
      CREATE TRIGGER refuse BEFORE \(action) ON async_location.event FOR EACH ROW
        EXECUTE FUNCTION public.refuse()
      """, connection)
  }

  private static func stopRefusing(_ connection: String) async throws {
    try await Statements.run("DROP TRIGGER refuse ON async_location.event", connection)
  }

  private static func storage(
    _ connection: String, part: String = "all", lease: Duration = .seconds(3_600),
    waits: Bool = false
  ) -> PostgreSQLFleetStorage {
    var storage = PostgreSQLFleetStorage(connection, part: part)
    (storage.lease, storage.waitsForOwner) = (lease, waits)
    return storage
  }

  // MARK: Takeovers

  @Test("a statement that is refused does not cost the part")
  func refusedStatement() async throws {
    let connection = try await RealDatabase.shared().database()
    let (session, _) = try await Self.storage(connection).open()
    try await session.commit(FleetCommits.changes(1))
    try await Self.refuse("INSERT", connection)
    await #expect(throws: LocationError.self) { try await session.commit(FleetCommits.changes(2)) }
    await #expect(throws: LocationError.self) { _ = try await Self.storage(connection).open() }
    try await Self.stopRefusing(connection)
    #expect(try await session.recover() == nil)
    for number in 2...UInt64(4) { try await session.commit(FleetCommits.changes(number)) }
    await session.close()
    let (reopened, stored) = try await Self.storage(connection).open()
    try await FleetComparison.compare(reopened, stored, 4, "after a refusal")
    await reopened.close()
  }

  @Test("a part is claimed by the lease of its owner, not by that of the claimant")
  func leases() async throws {
    let connection = try await RealDatabase.shared().database()
    let (owner, _) = try await Self.storage(connection, lease: .seconds(3_600)).open()
    try await Statements.run(
      "UPDATE async_location.part SET renewed = renewed - interval '1 minute'", connection)
    await #expect(throws: LocationError.self) {
      _ = try await Self.storage(connection, lease: .seconds(1)).open()
    }
    await owner.close()
  }

  @Test("F79 an owner that stops within a commit is replaced")
  func stoppedWithinCommit() async throws {
    let connection = try await RealDatabase.shared().database()
    let frozen = try await onThread {
      let ownerConnection = try Connection(connection, responseTimeout: .seconds(60))
      try ownerConnection.prepareFleets()
      let part = try #require(
        try ownerConnection.claim(fleet: "fleet", part: "all", as: 1, lease: 1))
      let tables = try FleetTables(ownerConnection, part)
      try ownerConnection.script("BEGIN")
      #expect(try tables.begin())
      return UncheckedBox(tables)
    }
    // The owner's lease ends while its transaction still waits for its client.
    let (session, _) = try await Self.storage(connection, waits: true).open()
    try await session.commit([try Self.location(1)])
    await #expect(throws: PostgreSQLFailure.self) {
      try await onThread { try frozen.value.connection.script("COMMIT") }
    }
    await session.close()
  }

  @Test("F79 a part that was taken after its lease is not taken again at once")
  func thirdServer() async throws {
    let connection = try await RealDatabase.shared().database()
    for _ in 0..<5 {
      let (first, _) = try await Self.storage(connection, waits: true).open()
      try await Statements.run("UPDATE async_location.part SET renewed = 'epoch'", connection)
      let (second, _) = try await Self.storage(connection).open()
      await #expect(throws: LocationError.self) { _ = try await Self.storage(connection).open() }
      await second.close()
      await first.close()
    }
  }

  @Test("a server of another role takes over")
  func otherRole() async throws {
    let connection = try await RealDatabase.shared().database()
    let (owner, _) = try await Self.storage(connection).open()
    try await owner.commit(FleetCommits.changes(1))
    try await Statements.run(
      """
      CREATE ROLE other LOGIN;
      GRANT USAGE ON SCHEMA async_location TO other;
      GRANT ALL ON ALL TABLES IN SCHEMA async_location TO other
      """, connection)
    let other = connection.replacing("user=postgres", with: "user=other")
    for _ in 0..<2 {
      try await Statements.run("UPDATE async_location.part SET renewed = 'epoch'", connection)
      let (session, _) = try await Self.storage(other).open()
      try await session.commit([try Self.location(1)])
      await session.close()
    }
    await owner.close()
  }

  // MARK: Databases that lack something

  @Test("F79 an owner whose claim the database lacks yields to a later owner")
  func lostClaim() async throws {
    let connection = try await RealDatabase.shared().database()
    let (first, _) = try await Self.storage(connection).open()
    try await first.commit([try Self.location(1)])
    // The database is like a promoted standby that lacks the claim and the commit.
    try await Statements.run(
      "UPDATE async_location.part SET claim = NULL, commits = 0, renewed = NULL", connection)
    try await Statements.endConnections(connection)
    let (second, _) = try await Self.storage(connection).open()
    for time in 2...4 { try await second.commit([try Self.location(time)]) }
    await #expect(throws: LocationError.self) { try await first.commit([try Self.location(5)]) }
    let error = await #expect(throws: LocationError.self) { _ = try await first.recover() }
    #expect(error?.code == .superseded)
    try await second.commit([try Self.location(6)])
    await first.close()
    await second.close()
  }

  @Test("F79 an owner of a dropped database yields to the owner of the new one")
  func createdAgain() async throws {
    let connection = try await RealDatabase.shared().database()
    let (first, _) = try await Self.storage(connection).open()
    try await first.commit([try Self.location(1)])
    try await Statements.run("DROP SCHEMA async_location CASCADE", connection)
    try await Statements.endConnections(connection)
    let (second, _) = try await Self.storage(connection).open()
    try await second.commit(FleetCommits.changes(9))
    await second.close()
    await #expect(throws: LocationError.self) { try await first.commit([try Self.location(2)]) }
    let error = await #expect(throws: LocationError.self) { _ = try await first.recover() }
    #expect(error?.code == .superseded)
    await first.close()
    #expect(
      try await Statements.number("SELECT count(*) FROM async_location.event", connection) == 1)
  }

  @Test("F77 a loss is reported until everything is stored again")
  func lossIsReported() async throws {
    let connection = try await RealDatabase.shared().database()
    let (session, _) = try await Self.storage(connection).open()
    for number in 1...UInt64(5) { try await session.commit(FleetCommits.changes(number)) }
    try await Statements.run("UPDATE async_location.part SET commits = 2", connection)
    try await Statements.endConnections(connection)
    await #expect(throws: LocationError.self) { try await session.commit(FleetCommits.changes(6)) }
    #expect(try await session.recover() != nil)
    try await Self.refuse("DELETE", connection)
    await #expect(throws: LocationError.self) { try await session.commit(FleetCommits.changes(6)) }
    #expect(try await session.recover() != nil)
    try await Self.stopRefusing(connection)
    try await session.commit(FleetCommits.changes(6))
    #expect(
      try await Statements.number("SELECT count(*) FROM async_location.event", connection) == 1)
    await session.close()
  }

  @Test("F77 a loss is also reported after a failed recovery")
  func lossAndFailure() async throws {
    let connection = try await RealDatabase.shared().database()
    let (session, _) = try await Self.storage(connection).open()
    for number in 1...UInt64(5) { try await session.commit(FleetCommits.changes(number)) }
    try await Statements.run(
      """
      UPDATE async_location.part SET commits = 2;
      ALTER TABLE async_location.device RENAME TO gone
      """, connection)
    try await Statements.endConnections(connection)
    await #expect(throws: LocationError.self) { try await session.commit(FleetCommits.changes(6)) }
    await #expect(throws: LocationError.self) { _ = try await session.recover() }
    try await Statements.run("ALTER TABLE async_location.gone RENAME TO device", connection)
    #expect(try await session.recover() != nil)
    await session.close()
    // The database keeps its content until everything is stored again.
    let (next, stored) = try await Self.storage(connection).open()
    #expect(!stored.devices.isEmpty)
    #expect(!stored.events.isEmpty)
    await next.close()
  }

  @Test("F77 a commit that becomes visible after the recovery is not stored twice")
  func lateCommit() async throws {
    let connection = try await RealDatabase.shared().database()
    let batch = try (300..<700).map { try Self.location($0) }
    let (runs, chunks) = try await onThread { () throws -> (Int64, Int64) in
      func tables(claimsPart: Bool) throws -> FleetTables {
        let newConnection = try Connection(connection, responseTimeout: .seconds(60))
        try newConnection.prepareFleets()
        let part =
          claimsPart
          ? try #require(try newConnection.claim(fleet: "fleet", part: "all", as: 7, lease: 60))
          : FleetPart(row: 1, claim: 7, formerClaim: nil, commits: 1, erasures: 0)
        let tables = try FleetTables(newConnection, part)
        try tables.reloadDevices()
        return tables
      }
      let old = try tables(claimsPart: true)
      #expect(
        try old.commit(try (0..<300).map { try Self.location($0) }, expiry: nil))
      // The tables as the recovery reads them, before the old connection's COMMIT is visible.
      let new = try tables(claimsPart: false)
      #expect(try old.commit(batch, expiry: nil))
      #expect(try new.commit(batch, expiry: nil))
      return (
        try new.connection.number("SELECT coalesce(sum(count), 0)::bigint FROM async_location.run"),
        try new.connection.number(
          "SELECT coalesce(sum(count), 0)::bigint FROM async_location.chunk")
      )
    }
    #expect(runs + chunks == 700)
  }

  @Test("a damaged row does not stop the storing", arguments: [true, false])
  func damagedRow(expires: Bool) async throws {
    let connection = try await RealDatabase.shared().database()
    let (session, _) = try await Self.storage(connection).open()
    try await session.commit([try Self.location(1)])
    await session.close()
    try await Statements.run("UPDATE async_location.run SET locations = '\\x00'", connection)
    let (reopened, stored) = try await PostgreSQLFleetStorage(
      connection, retention: expires ? .seconds(3_600) : nil
    ).open()
    #expect(stored.problem != nil)
    try await reopened.commit([try Self.location(1), try Self.location(2, isLast: false)])
    await reopened.close()
  }

  // MARK: Parts

  @Test("F82 two parts erase a device at once", arguments: ["read committed", "serializable"])
  func erasuresAtOnce(isolation: String) async throws {
    let connection = try await RealDatabase.shared().database()
    let name = connection.split(separator: "=").last ?? ""
    try await Statements.run(
      "ALTER DATABASE \(name) SET default_transaction_isolation = '\(isolation)'", connection)
    let (left, _) = try await Self.storage(connection, part: "left").open()
    let (right, _) = try await Self.storage(connection, part: "right").open()
    try await withThrowingTaskGroup { group in
      for session in [left, right] {
        group.addTask {
          for number in 0..<30 {
            try await session.commit([try Self.location(number)])
            try await session.commit([.erase(Self.device)])
          }
        }
      }
      try await group.waitForAll()
    }
    for table in ["device", "run"] {
      #expect(
        try await Statements.number("SELECT count(*) FROM async_location.\(table)", connection) == 0
      )
    }
    await left.close()
    await right.close()
  }

  @Test("F82 an erasure waits for the other part's commit")
  func erasureRace() async throws {
    let connection = try await RealDatabase.shared().database()
    let (left, _) = try await Self.storage(connection, part: "left").open()
    let (right, _) = try await Self.storage(connection, part: "right").open()
    try await right.commit([try Self.location(1)])
    // Runs the statements of a commit of the right part, without its end.
    let commit = try await onThread {
      let commit = try Connection(connection, responseTimeout: .seconds(60))
      try commit.script(
        """
        BEGIN;
        SELECT FROM async_location.part WHERE name = 'right' FOR UPDATE;
        INSERT INTO async_location.run SELECT device, 2, 2, south, north, west, east, count, locations
          FROM async_location.run
        """)
      return UncheckedBox(commit)
    }
    // The erasure waits for a lock that the commit holds.
    let erasing = Task { try await left.commit([.erase(Self.device)]) }
    let waiterCount = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    while try await Statements.number(waiterCount, connection) == 0 { await Task.yield() }
    try await onThread { try commit.value.script("COMMIT") }
    try await erasing.value
    #expect(try await Statements.number("SELECT count(*) FROM async_location.run", connection) == 0)
    await left.close()
    await right.close()
  }

  // MARK: Connections

  @Test("the second host is used if the first does not answer")
  func silentHost() async throws {
    let listener = try await onThread { try SilentHost() }
    let connection = try await RealDatabase.shared().database()
    let host = connection.split(separator: " ").first { $0.hasPrefix("host=") }?.dropFirst(5) ?? ""
    let twoHosts =
      connection.replacing("host=\(host)", with: "host=\(listener.folder),\(host)")
      .replacing("connect_timeout=600", with: "connect_timeout=2")
    try await onThread { _ = try Connection(twoHosts, responseTimeout: .seconds(60)) }
  }

  /// A socket in place of PostgreSQL's that accepts connections and sends nothing.
  private final class SilentHost: Sendable {
    let folder: String
    private let descriptor: Int32

    init() throws {
      folder = "/tmp/silent-\(UUID().uuidString)"
      mkdir(folder, 0o755)
      descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { path in
        path.copyBytes(from: Array("\(folder)/.s.PGSQL.5432".utf8))
      }
      let size = socklen_t(MemoryLayout<sockaddr_un>.size)
      let status = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
      }
      guard status == 0, listen(descriptor, 8) == 0 else { throw SystemFailure(number: errno) }
    }

    struct SystemFailure: Error { let number: Int32 }

    deinit {
      close(descriptor)
      try? FileManager.default.removeItem(atPath: folder)
    }
  }

  @Test("closing does not wait for a query")
  func closingBesideQuery() async throws {
    let connection = try await RealDatabase.shared().database()
    let (session, _) = try await Self.storage(connection).open()
    try await session.commit(FleetCommits.changes(1))
    let lock = try await onThread {
      let lock = try Connection(connection, responseTimeout: .seconds(60))
      try lock.script("BEGIN; LOCK TABLE async_location.chunk IN ACCESS EXCLUSIVE MODE")
      return UncheckedBox(lock)
    }
    let query = Task {
      try await session.location(of: Self.device, at: .distantFuture)
    }
    let waiterCount = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    while try await Statements.number(waiterCount, connection) == 0 { await Task.yield() }
    await session.close()
    // Only now can the query be answered.
    try await onThread { try lock.value.script("COMMIT") }
    _ = try await query.value
    await #expect(throws: LocationError.self) {
      _ = try await session.location(of: Self.device, at: .distantFuture)
    }
  }
}
