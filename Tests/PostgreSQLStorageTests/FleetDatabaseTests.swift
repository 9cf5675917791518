import AsyncLocation
import FleetChecks
import Foundation
import LocationFleet
import MockBackend
import TestSupport
import Testing

@testable import PostgreSQLStorage

/// A fleet in PostgreSQL compared with the storage in memory.
@Suite(.needsDatabase, .inTurn)
struct FleetDatabaseTests {
  private static func storage() async throws -> PostgreSQLFleetStorage {
    PostgreSQLFleetStorage(try await RealDatabase.shared().database())
  }

  @Test("a database has the same content and the same answers as the memory", .longWork)
  func answers() async throws {
    let storage = try await Self.storage()
    var (session, stored) = try await storage.open()
    var random = SplitMix64(seed: 33)
    for number in 1...UInt64(400) {
      try await session.commit(FleetCommits.changes(number))
      // A repeated commit changes nothing.
      if number % 17 == 0 { try await session.commit(FleetCommits.changes(number)) }
      guard Int.random(in: 0..<25, using: &random) == 0 else { continue }
      await session.close()
      (session, stored) = try await storage.open()
      try await FleetComparison.compare(session, stored, number, "commit \(number)")
    }
    await session.close()
    (session, stored) = try await storage.open()
    try await FleetComparison.compare(session, stored, 400, "at the end")
    await session.close()
  }

  @Test("a location of the history takes at most 16 bytes", .longWork)
  func size() async throws {
    let connection = try await RealDatabase.shared().database()
    let storage = PostgreSQLFleetStorage(connection)
    let (session, _) = try await storage.open()
    var random = SplitMix64(seed: 1)
    var (latitude, longitude) = (48.137154, 11.576124)
    let (count, step) = (100 * PackedChunk.length, 1_000)
    for start in stride(from: 0, to: count, by: step) {
      let changes = (start..<min(count, start + step)).map { index in
        latitude = ((latitude + .random(in: -2e-4...2e-4, using: &random)) * 1e6).rounded() / 1e6
        longitude =
          ((longitude + .random(in: -2e-4...2e-4, using: &random)) * 1e6).rounded() / 1e6
        let location = try! Location(
          latitude: latitude, longitude: longitude,
          timestamp: Date(timeIntervalSinceReferenceDate: Double(800_000_000 + index)),
          altitude: Double(Int.random(in: 500...520, using: &random)),
          horizontalAccuracy: Double(Int.random(in: 3...12, using: &random)),
          speed: Double(Int.random(in: 0...120, using: &random)) / 3.6,
          course: Double(Int.random(in: 0..<360, using: &random)))
        return FleetStorageChange.location(FleetCommits.devices[0], location, isLast: true)
      }
      try await session.commit(changes)
    }
    await session.close()
    let (bytes, packed) = try await onThread {
      let database = try Connection(connection, responseTimeout: .seconds(60))
      let bytes = try database.number(
        "SELECT pg_total_relation_size('async_location.chunk')")
      return (bytes, try database.number("SELECT sum(count)::bigint FROM async_location.chunk"))
    }
    #expect(packed > Int64(count) - 1_000)
    #expect(Double(bytes) / Double(packed) <= 16)
    print("a location takes \(Double(bytes) / Double(packed)) bytes")
  }

  @Test("locations beyond the retention are deleted, and no others")
  func retention() async throws {
    let now = Locked(Date(timeIntervalSinceReferenceDate: 1_000))
    let storage = PostgreSQLFleetStorage(
      try await RealDatabase.shared().database(), fleet: "f", part: "p", retention: .seconds(500),
      now: { now.withLock(\.self) }, clock: ManualClock())
    let (session, _) = try await storage.open()
    let devices = FleetCommits.devices
    func times(_ device: FleetDevice.ID) async throws -> [Double] {
      try await session.locations(
        of: device, from: .distantPast, to: .distantFuture, count: .max
      ).map(\.timestampSeconds)
    }
    // One device has chunks, one has runs alone, one has an old last location, and one is
    // forgotten.
    try await session.commit(
      try (0..<1_000).map { .location(devices[0], try Self.location($0), isLast: true) })
    try await session.commit(
      try (400..<600).map { .location(devices[1], try Self.location($0), isLast: true) }
        + [
          .location(devices[2], try Self.location(10), isLast: true),
          .location(devices[3], try Self.location(11), isLast: true), .forget(devices[3]),
        ])
    now.withLock { $0 += 51 }
    try await session.commit([.location(devices[1], try Self.location(1_050), isLast: true)])
    #expect(try await times(devices[0]) == (551..<1_000).map(Double.init))
    #expect(try await times(devices[1]) == (551..<600).map(Double.init) + [1_050])
    #expect(try await times(devices[2]) == [])
    await session.close()
    let (reopened, stored) = try await storage.open()
    #expect(stored.devices.count == 3)
    #expect(
      stored.devices.first { $0.id == devices[2] }?.location == (try Self.location(10)))
    await reopened.close()
  }

  private static func location(_ time: Int, _ latitude: Double = 47) throws -> Location {
    try Location(
      latitude: latitude, longitude: 8,
      timestamp: Date(timeIntervalSinceReferenceDate: Double(time)))
  }

  // MARK: Parts

  @Test("F82 a device that was erased has no row, whatever part it was in")
  func erasure() async throws {
    let connection = try await RealDatabase.shared().database()
    let (left, _) = try await PostgreSQLFleetStorage(connection, part: "left").open()
    let (right, _) = try await PostgreSQLFleetStorage(connection, part: "right").open()
    let device = FleetCommits.devices[0]
    func event(_ number: UInt64) throws -> FleetStorageChange {
      .event(
        FleetEvent(
          device: device, identifier: "a", previousState: .unknown, state: .satisfied,
          location: try Self.location(1), number: number))
    }
    for session in [left, right] {
      try await session.commit(
        try (0..<1_000).map { .location(device, try Self.location($0), isLast: true) }
          + [event(1), .states(device, [1])])
    }
    try await left.commit([.erase(device)])
    func rows(_ table: String) async throws -> Int64 {
      try await onThread {
        try Connection(connection, responseTimeout: .seconds(60)).number(
          "SELECT count(*) FROM async_location.\(table)")
      }
    }
    for table in ["device", "run", "chunk", "event"] {
      #expect(try await rows(table) == 0, "\(table)")
    }
    // The other server adds the device again, and stores it.
    try await right.commit([.location(device, try Self.location(2_000), isLast: true)])
    let whole = try await left.locations(
      of: device, from: .distantPast, to: .distantFuture, count: .max)
    #expect(whole.map(\.timestampSeconds) == [2_000])
    await left.close()
    await right.close()
  }

  @Test("a device that moved from one part to another has one history")
  func movedDevice() async throws {
    let connection = try await RealDatabase.shared().database()
    let device = FleetCommits.devices[0]
    for (part, times) in [("left", 0..<500), ("right", 490..<1_000)] {
      let (session, _) = try await PostgreSQLFleetStorage(connection, part: part).open()
      try await session.commit(
        try times.map { .location(device, try Self.location($0), isLast: true) })
      await session.close()
    }
    let history = try await PostgreSQLFleetStorage(connection).history()
    var times: [Double] = []
    for try await location in history.track(of: device) { times.append(location.timestampSeconds) }
    #expect(times == (0..<1_000).map(Double.init))
    let last = try await history.location(of: device, at: .distantFuture)
    #expect(last?.timestampSeconds == 999)
    let area = try Condition.circle(center: Coordinate(latitude: 47, longitude: 8), radius: 10)
    var counts: [Int] = []
    for try await visit in history.devices(in: area, from: .distantPast, to: .distantFuture) {
      counts.append(visit.count)
    }
    #expect(counts == [1_000])
    // The history of another fleet contains nothing.
    let other = try await PostgreSQLFleetStorage(connection, fleet: "other").history()
    #expect(try await other.location(of: device, at: .distantFuture) == nil)
  }

  @Test(
    "a database that cannot be opened is refused with a typed error",
    arguments: [
      ("hast=a", "fleet", LocationError.Code.invalidValue),
      ("postgresql:///\u{0}", "fleet", .invalidValue),
      ("host=/nowhere", "fleet", .storageUnavailable),
      ("host=/nowhere", "", .invalidValue), ("host=/nowhere", "a\u{0}", .invalidValue),
    ])
  func refused(connection: String, fleet: String, code: LocationError.Code) async throws {
    let error = await #expect(throws: LocationError.self) {
      _ = try await PostgreSQLFleetStorage(connection, fleet: fleet).open()
    }
    #expect(error?.code == code)
  }

  @Test("an error does not show the password")
  func password() async throws {
    for connection in [
      "postgresql://user:sesame@/nowhere?host=/nowhere", "host=/nowhere password=sesame",
      "host=/nowhere password='sesame", "postgresql://user:sesame@[nowhere",
      "postgresql://user:sesame/x@host/db", "postgresql://user:x@sesame@host/db",
    ] {
      let error = await #expect(throws: LocationError.self) {
        _ = try await PostgreSQLFleetStorage(connection).open()
      }
      #expect(error?.message.contains("sesame") == false)
    }
  }
}
