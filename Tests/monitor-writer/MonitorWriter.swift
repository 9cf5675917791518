import AsyncLocation
import CSQLite
import FleetChecks
import FoundationEssentials
import Glibc
import LocationStorage
import PostgreSQLStorage

/// Commits to the monitor `m` of a directory, or writes to another storage, for tests that kill
/// this process.
///
/// - `monitor-writer DIRECTORY SEED [COMMITS [LAST_CALL [torn]]]` continues where the content ends,
///   and prints the number of each commit that returned.
/// - `monitor-writer --withdrawal DIRECTORY waiting|finished [LAST_CALL [torn]]` stores an event
///   with its location, and withholds the location.
/// - `monitor-writer --cache FILE COUNT [LAST_CALL [torn]]` continues the answers of a geocoding
///   cache in the same way as the first form.
/// - `monitor-writer --publications FILE LAST_NUMBER [LAST_CALL [torn]]` continues a publication
///   queue in the same way.
/// - `monitor-writer --publication-removal FILE 0 [LAST_CALL [torn]]` deletes a queue, and stores
///   the removal of its retained message.
/// - `monitor-writer --fleet FILE COMMITS [LAST_CALL [torn]]` continues a fleet in the same way.
/// - `monitor-writer --fleet-database CONNECTION COMMITS` continues a fleet in PostgreSQL.
/// - `monitor-writer --lock FILE` locks a database until the input ends.
/// - `monitor-writer --syncs DIRECTORY` prints for each kind of change how often a file was
///   synchronized to the disk before the commit returned.
/// - `monitor-writer --publication-syncs FILE` does so for the calls of a publication queue.
/// - `monitor-writer --measure DIRECTORY` prints the seconds for 100,000 conditions.
/// - `monitor-writer --measure-publications FILE` prints the times of a publication queue.
@main
struct MonitorWriter {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "--lock": lock(arguments[1])
    case "--syncs": try await countSyncs(arguments[1])
    case "--measure": try await measure(arguments[1])
    case "--publication-syncs": try await PublicationWriter.countSyncs(arguments[1])
    case "--measure-publications": try await PublicationMeasurement.run(arguments[1])
    case "--withdrawal":
      installFatalCall(arguments)
      try await writeWithdrawal(in: arguments[1], isFinished: arguments[2] == "finished")
    case "--cache":
      installFatalCall(arguments)
      try await CacheWriter.write(to: arguments[1], count: Int(arguments[2]) ?? .max)
    case "--publications":
      installFatalCall(arguments)
      try await PublicationWriter.write(to: arguments[1], count: UInt64(arguments[2]) ?? .max)
    case "--fleet":
      installFatalCall(arguments)
      try await FleetCommits.write(
        to: SQLiteFleetStorage(file: arguments[1]), count: UInt64(arguments[2]) ?? .max,
        report: report)
    case "--fleet-database":
      try await FleetCommits.write(
        to: PostgreSQLFleetStorage(arguments[1]), count: UInt64(arguments[2]) ?? .max,
        report: report)
    case "--publication-removal":
      installFatalCall(arguments)
      try await PublicationWriter.writeRemoval(to: arguments[1])
    default:
      installFatalCall(arguments)
      try await write(
        to: arguments[0], seed: UInt64(arguments[1]) ?? 1,
        count: arguments.count > 2 ? Int(arguments[2]) ?? .max : .max)
    }
  }

  private static func installFatalCall(_ arguments: [String]) {
    guard arguments.count > 3, let call = Int(arguments[3]) else { return }
    FatalCalls.install(at: call, tearsWrites: arguments.count > 4)
  }

  private static func write(to directory: String, seed: UInt64, count: Int) async throws {
    let session: any MonitorSession
    let stored: StoredMonitor
    do {
      (session, stored) = try await SQLiteMonitorStorage(directory: directory).open("m")
    } catch {
      return report("refused \(error.code)")
    }
    let done = RandomChanges.commits(in: stored) ?? 0
    report("open \(done)")
    var changes = RandomChanges(seed: seed)
    while changes.commits < done { _ = try changes.next() }
    while changes.commits < count {
      try await session.commit(try changes.next())
      report("\(changes.commits)")
    }
    await session.close()
    report("closed")
  }

  private static func writeWithdrawal(in directory: String, isFinished: Bool) async throws {
    let (session, _) = try await SQLiteMonitorStorage(directory: directory).open("m")
    let stored = try WithdrawnContent.stored
    if isFinished {
      // Only the log contains a place.
      try await session.replace(
        with: StoredMonitor(conditions: stored.withheld(through: 2).conditions))
      let event = try WithdrawnContent.event
      try await session.commit([.event(event)])
      try await session.commit([.finish(number: event.number)])
      try await session.withhold(through: 2)
      report("withheld")
    } else {
      try await session.replace(with: stored)
      try await session.withhold(through: 2)
      report("withheld")
      try await session.replace(with: stored.withheld(through: stored.lastNumber))
    }
    try await session.deleteRemains()
    report("deleted")
    await session.close()
    report("closed")
  }

  /// Writes a line to the standard output without a buffer, so that no line is lost at a kill.
  static func report(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = Glibc.write(1, bytes, bytes.count)
  }

  private static func lock(_ file: String) {
    var connection: OpaquePointer?
    let statement = "BEGIN IMMEDIATE"
    guard sqlite3_open(file, &connection) == SQLITE_OK,
      sqlite3_exec(connection, statement, nil, nil, nil) == SQLITE_OK
    else {
      report("failed")
      return
    }
    report("locked")
    while readLine() != nil {}
  }

  private static func countSyncs(_ directory: String) async throws {
    SyncCount.install()
    let (session, _) = try await SQLiteMonitorStorage(directory: directory).open("m")
    let condition = StoredCondition(
      identifier: "a",
      condition: try .circle(center: Coordinate(latitude: 0, longitude: 0), radius: 1))
    let date = Date(timeIntervalSinceReferenceDate: 1)
    func event(_ number: UInt64) -> MonitorChange {
      .event(
        Monitor.Event(
          identifier: "a", number: number, state: .satisfied, previousState: .unknown, date: date))
    }
    let changes: [(String, MonitorChange)] = [
      ("add", .add(condition)), ("event", event(1)),
      (
        "candidate",
        .candidate(identifier: "a", .init(isInside: true, isCertain: true, since: date))
      ),
      ("offer", .offer(number: 1)), ("finish", .finish(number: 1)),
      ("event", event(2)), ("discard", .discard(through: 2)), ("remove", .remove(identifier: "a")),
    ]
    // The first turn creates files, so only the second one is reported.
    for turn in 1...2 {
      for (name, change) in changes {
        let before = SyncCount.count
        try await session.commit([change])
        if turn == 2 { report("\(name) \(SyncCount.count - before)") }
      }
    }
    let before = SyncCount.count
    try await session.replace(with: StoredMonitor(conditions: [condition]))
    report("replace \(SyncCount.count - before)")
    await session.close()
  }

  private static func measure(_ directory: String) async throws {
    let storage = SQLiteMonitorStorage(directory: directory)
    let clock = ContinuousClock()
    var random = RandomChanges(seed: 1)
    for isRandom in [false, true] {
      var conditions: [StoredCondition] = []
      for index in 0..<100_000 {
        conditions.append(
          StoredCondition(
            identifier: "condition-\(index)",
            condition: isRandom
              ? try random.condition()
              : try .circle(
                center: Coordinate(
                  latitude: Double(index % 900) / 10, longitude: Double(index % 1799) / 10 + 0.05),
                radius: 100 + Double(index % 100)),
            state: .unsatisfied))
      }
      let changes = conditions.map { MonitorChange.add($0) }
      let name = isRandom ? "all-kinds" : "circles"
      let (session, _) = try await storage.open(name)
      let added = try await clock.measure { try await session.commit(changes) }
      let event = try await measureEvents(session, clock)
      let closed = await clock.measure { await session.close() }
      var opened = Duration.zero
      for turn in 1...3 {
        let start = clock.now
        let (reopened, stored) = try await storage.open(name)
        opened = turn == 1 ? clock.now - start : min(opened, clock.now - start)
        guard stored.conditions.count == conditions.count else { fatalError("lost conditions") }
        await reopened.close()
      }
      let (reopened, stored) = try await storage.open(name)
      let replaced = try await clock.measure { try await reopened.replace(with: stored) }
      await reopened.close()
      report(
        "100000 \(name): add \(added), event, offer and finish \(event), close \(closed), "
          + "open \(opened), replace \(replaced)")
    }
  }

  /// The mean time of an event's three commits.
  private static func measureEvents(
    _ session: any MonitorSession, _ clock: ContinuousClock
  ) async throws -> Duration {
    let count: UInt64 = 500
    return try await clock.measure {
      for number in 1...count {
        try await session.commit([
          .event(
            Monitor.Event(
              identifier: "condition-\(number)", number: number, state: .satisfied,
              previousState: .unsatisfied, date: Date(timeIntervalSinceReferenceDate: 1)))
        ])
        try await session.commit([.offer(number: number)])
        try await session.commit([.finish(number: number)])
      }
    } / Int(count)
  }
}
