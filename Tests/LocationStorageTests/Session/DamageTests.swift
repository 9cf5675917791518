import CSQLite
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation
@testable import LocationStorage
@testable import monitor_writer

/// A damaged file is set aside, and never yields content that was not committed.
@Suite(.inTurn)
struct DamageTests {
  private static let environment = ProcessInfo.processInfo.environment
  /// Whether a bit of every byte is changed, as by `scripts/faults`.
  static let changesEveryByte = environment["ASYNC_LOCATION_FAULTS"] != nil || changesEveryBit
  /// Whether every bit is changed and files are cut at every length, as by `scripts/crash-storage`.
  static let changesEveryBit = environment["ASYNC_LOCATION_EVERY_BIT"] != nil
  static let seed = environment["ASYNC_LOCATION_FAULT_SEED"].flatMap { UInt64($0) } ?? 37

  /// A closed file, and its content.
  static func sample() async throws -> (bytes: [UInt8], content: StoredMonitor) {
    let folder = try StorageFolder(isInMemory: true)
    let (session, _) = try await folder.storage.open("m")
    var changes = RandomChanges(seed: 3)
    for _ in 0..<12 { try await session.commit(try changes.next()) }
    await session.close()
    let content = try await folder.storage.content()
    #expect(content.conditions.count > 4)
    #expect(!content.events.isEmpty)
    return (try folder.bytes("m.sqlite"), content)
  }

  /// Opens a file with some bytes, and checks that it has the given content, is set aside, or is
  /// refused and stays as it is. Returns whether it has the given content.
  static func survives(
    _ bytes: [UInt8], in folder: StorageFolder, content: StoredMonitor, _ comment: Comment
  ) async throws -> Bool {
    try folder.removeAll()
    try folder.write(bytes, to: "m.sqlite")
    do {
      let stored = try await folder.storage.content()
      guard let problem = stored.problem else {
        try #require(stored.sorted == content.sorted, comment)
        return true
      }
      let aside = folder.names().filter { $0.hasPrefix("m.sqlite.corrupt-") }
      #expect(problem.code == .storageUnavailable, comment)
      #expect(stored.sorted == StoredMonitor(), comment)
      guard !bytes.isEmpty else {
        // The file has no content that could be set aside.
        #expect(aside.isEmpty, comment)
        return false
      }
      try #require(aside.count == 1, comment)
      #expect(problem.message.contains(aside[0]), comment)
      #expect(try folder.bytes(aside[0]) == bytes, comment)
    } catch let error as LocationError {
      // The version or the application ID of the file is damaged.
      try #require(error.code == .unsupported, comment)
      let isForeign = error.message.contains("is not the file of a monitor")
      #expect(isForeign || error.message.contains("version"), comment)
      #expect(try folder.bytes("m.sqlite") == bytes, comment)
      #expect(
        folder.names() == (isForeign ? ["m.sqlite"] : ["m.sqlite", "m.sqlite.lock"]), comment)
    }
    return false
  }

  @Test("F37 F51 every flipped bit is detected or changes nothing")
  func flippedBits() async throws {
    let (bytes, content) = try await Self.sample()
    let folder = try StorageFolder(isInMemory: true)
    var random = SplitMix64(seed: Self.seed)
    var (count, detected) = (0, 0)
    for index in bytes.indices {
      // Most bytes are zero and unused, so a sample of them is enough.
      guard
        Self.changesEveryByte || index < 100 || bytes[index] != 0
          || Int.random(in: 0..<16, using: &random) == 0
      else { continue }
      guard Self.changesEveryByte || index < 100 || Bool.random(using: &random) else { continue }
      let randomBit = Int.random(in: 0..<8, using: &random)
      for bit in Self.changesEveryBit || index < 100 ? 0...7 : randomBit...randomBit {
        var flipped = bytes
        flipped[index] ^= 1 << UInt8(bit)
        count += 1
        let isSame = try await Self.survives(
          flipped, in: folder, content: content, "bit \(bit) of byte \(index), seed \(Self.seed)")
        if !isSame { detected += 1 }
      }
    }
    print("F37: \(detected) of \(count) flipped bits detected, the others change nothing")
    #expect(detected > 1_000, "nothing is detected")
  }

  @Test("F37 F51 a file cut at any length is set aside")
  func cutFiles() async throws {
    let (bytes, content) = try await Self.sample()
    let folder = try StorageFolder(isInMemory: true)
    var lengths = Set(stride(from: 0, to: bytes.count, by: Self.changesEveryBit ? 1 : 97))
    for page in stride(from: 0, through: bytes.count, by: 4_096) {
      lengths.formUnion([page - 1, page, page + 1].filter { (0..<bytes.count).contains($0) })
    }
    lengths.formUnion(0..<120)
    for length in lengths.sorted() {
      let isSame = try await Self.survives(
        Array(bytes[..<length]), in: folder, content: content, "length \(length)")
      #expect(!isSame, "length \(length)")
    }
  }

  @Test("F37 F49 a log that is cut or changed gives a prefix of the commits")
  func damagedLog() async throws {
    let source = try StorageFolder(isInMemory: true)
    let (session, _) = try await source.storage.open("m")
    var changes = RandomChanges(seed: 5)
    var model = MonitorContent()
    var contents = [model.stored.sorted]
    for _ in 0..<6 {
      let commit = try changes.next()
      try await session.commit(commit)
      model.apply(commit)
      contents.append(model.stored.sorted)
    }
    let file = try source.bytes("m.sqlite")
    let log = try source.bytes("m.sqlite-wal")
    await session.close()
    let folder = try StorageFolder(isInMemory: true)
    var found: Set<Int> = []
    func check(_ damaged: [UInt8], _ comment: Comment) async throws {
      try folder.removeAll()
      try folder.write(file, to: "m.sqlite")
      try folder.write(damaged, to: "m.sqlite-wal")
      let stored = try await folder.storage.content()
      #expect(stored.problem == nil, comment)
      found.insert(try #require(contents.firstIndex(of: stored.sorted), comment))
    }
    for index in stride(from: 0, to: log.count, by: Self.changesEveryBit ? 1 : 97) {
      try await check(Array(log[..<index]), "length \(index)")
      var flipped = log
      flipped[index] ^= 1 << UInt8(index % 8)
      try await check(flipped, "byte \(index)")
    }
    try await check(log, "whole")
    #expect(found == Set(0...6))
  }

  @Test(
    "F37 F51 rows that no monitor writes are set aside",
    arguments: [
      "UPDATE condition SET latitude = 91",
      "UPDATE condition SET checksum = checksum + 1",
      "UPDATE condition SET state = 3 - state",
      "UPDATE condition SET state = 9",
      "UPDATE condition SET candidate = 1",
      "UPDATE condition SET last_number = 1",
      "UPDATE condition SET identifier = identifier || 'x'",
      "UPDATE condition SET shape = zeroblob(100000), kind = 1",
      "UPDATE monitor SET last_number = 0",
      "DELETE FROM monitor",
      "DROP TABLE event",
      "ALTER TABLE condition ADD COLUMN other INTEGER",
      "DROP TABLE monitor; CREATE VIEW monitor AS SELECT 1 AS id, 2 AS last_number, 3 AS checksum",
      "PRAGMA user_version = 0",
      "PRAGMA user_version = -1",
    ])
  func badRows(_ sql: String) async throws {
    let folder = try StorageFolder(isInMemory: true)
    let (bytes, _) = try await Self.sample()
    try folder.write(bytes, to: "m.sqlite")
    try Self.execute(sql, in: folder("m.sqlite"))
    let changed = try folder.bytes("m.sqlite")
    #expect(changed != bytes)
    let stored = try await folder.storage.content()
    #expect(stored.problem?.code == .storageUnavailable)
    #expect(stored.sorted == StoredMonitor())
    let aside = folder.names().filter { $0.hasPrefix("m.sqlite.corrupt-") }
    #expect(aside.count == 1)
    if let aside = aside.first { #expect(try folder.bytes(aside) == changed) }
    #expect(try await folder.storage.content().problem == nil, "reported once")
  }

  @Test("F51 damaged files are set aside with their logs, each under a free name")
  func freeNames() async throws {
    let folder = try StorageFolder(isInMemory: true)
    var file = try folder.storage.file(of: "m")
    file.now = { Date(timeIntervalSince1970: 1_800_000_000) }
    let beginning = try await Self.sample().bytes.prefix(100)
    for count in 1...3 {
      try folder.write(beginning + "no database \(count)".utf8, to: "m.sqlite")
      try folder.write("log \(count)".utf8, to: "m.sqlite-wal")
      let session = StorageSession(file)
      #expect(try await session.open().problem != nil)
      await session.close()
    }
    let aside = "m.sqlite.corrupt-20270115T080000Z"
    #expect(
      folder.names()
        == [
          "m.sqlite", aside, aside + "-2", aside + "-2-wal", aside + "-3", aside + "-3-wal",
          aside + "-wal", "m.sqlite.lock",
        ].sorted())
    #expect(try folder.bytes(aside + "-3") == beginning + Array("no database 3".utf8))
    #expect(try folder.bytes(aside + "-2-wal") == Array("log 2".utf8))
    for name in folder.names() { #expect(folder.mode(name) == 0o600, "\(name)") }
  }

  @Test("F62 files that were set aside are deleted on demand, and no other file")
  func deletesFilesSetAside() async throws {
    let folder = try StorageFolder(isInMemory: true)
    let beginning = try await Self.sample().bytes.prefix(100)
    try folder.write(beginning + "no database".utf8, to: "m.sqlite")
    try folder.write("log".utf8, to: "m.sqlite-wal")
    let others = ["m.sqlite.corrupt-notes", "n.sqlite.corrupt-20261122T101848Z"]
    for name in others { try folder.write("kept".utf8, to: name) }
    let (session, stored) = try await folder.storage.open("m")
    #expect(stored.problem != nil)
    #expect(folder.names().count { $0.hasPrefix("m.sqlite.corrupt-2") } == 2)
    try await session.deleteRemains()
    #expect(Set(folder.names()).isSuperset(of: others + ["m.sqlite", "m.sqlite.lock"]))
    #expect(folder.names().filter { $0.hasPrefix("m.sqlite.corrupt-2") } == [])
    try await session.commit([.add(try RoundTripTests.condition("a"))])
    await session.close()
    await #expect(throws: LocationError.self) { try await session.deleteRemains() }
    #expect(try await folder.storage.content().conditions.count == 1)
  }

  @Test("F51 a file that is damaged while it is open is set aside by the replacement")
  func damagedWhileOpen() async throws {
    let folder = try StorageFolder(isInMemory: true)
    let (session, _) = try await folder.storage.open("m")
    try await session.commit([.add(try RoundTripTests.condition("a"))])
    await session.close()
    let (reopened, _) = try await folder.storage.open("m")
    // Another program truncates the file despite the locks.
    #expect(truncate(folder("m.sqlite"), 0) == 0)
    #expect(truncate(folder("m.sqlite-wal"), 0) == 0)
    let content = StoredMonitor(conditions: [try RoundTripTests.condition("b")], lastNumber: 4)
    // SQLite may have the pages in memory, or may detect the truncation.
    try? await reopened.commit([.add(try RoundTripTests.condition("c"))])
    try? await reopened.replace(with: content)
    try await reopened.replace(with: content)
    await reopened.close()
    let stored = try await folder.storage.content()
    #expect(stored.sorted == content || stored.problem != nil)
  }

  @Test("F51 a log without its file is set aside")
  func logWithoutFile() async throws {
    let folder = try StorageFolder(isInMemory: true)
    try folder.write([0x37, 0x7F, 0x06, 0x82] + Array("log".utf8), to: "m.sqlite-wal")
    let stored = try await folder.storage.content()
    #expect(stored.problem?.message.contains("log") == true)
    #expect(folder.names().filter { $0.contains("corrupt") }.count == 1)
  }

  static func execute(_ sql: String, in path: String) throws {
    var connection: OpaquePointer?
    defer { sqlite3_close(connection) }
    try #require(sqlite3_open(path, &connection) == SQLITE_OK)
    let status = sqlite3_exec(connection, sql, nil, nil, nil)
    try #require(status == SQLITE_OK, "\(String(cString: sqlite3_errmsg(connection)))")
  }
}
