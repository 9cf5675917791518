import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import LocationStorage

/// The file of a queue: links, other files, later versions, damage.
@Suite(.inTurn)
struct PublicationFileTests {
  private let bench: PublicationBench
  private var folder: StorageFolder { bench.folder }

  init() throws { bench = try PublicationBench() }

  private func fill(_ count: Int = 3) async throws {
    let (session, _) = try await bench.open()
    _ = try await session.append((1...count).map { publication("payload \($0)") })
    await session.close()
  }

  @Test("F35 no symbolic link is followed", arguments: ["", "-wal", "-shm", "-journal", ".lock"])
  func links(_ suffix: String) async throws {
    try await fill()
    try? FileManager.default.removeItem(atPath: bench.path + suffix)
    try folder.write("target".utf8, to: "target")
    try FileManager.default.createSymbolicLink(
      atPath: bench.path + suffix, withDestinationPath: folder("target"))
    let error = await #expect(throws: LocationError.self) { _ = try await bench.open() }
    #expect(error?.code == .storageUnavailable)
    #expect(error?.message.contains("symbolic link") == true)
    #expect(try folder.bytes("target") == Array("target".utf8))
  }

  /// Only the library's own files are used or deleted, even if others have similar names.
  @Test(
    "F69 the file of another program beside ours stays",
    arguments: [
      ".new", ".new-wal", "-wal", "-shm", "-journal", ".delete.new",
      ".corrupt-20261122T101848Z.tar.gz", ".corrupt-20261122T101848Z-old",
    ])
  func otherFiles(_ suffix: String) async throws {
    let name = "q.sqlite" + suffix
    try folder.write("my notes".utf8, to: name)
    do {
      let (session, _) = try await bench.open()
      _ = try await session.append([publication("a")])
      // Deletes everything, as after a denial.
      try await session.removeAll()
      await session.close()
    } catch {
      // SQLite would use the file as its own.
      #expect(["-wal", "-shm", "-journal"].contains(suffix))
      #expect(error.code == .unsupported)
      #expect(error.message.contains(name))
    }
    #expect(try folder.bytes(name) == Array("my notes".utf8))
  }

  /// Files that a user may name by mistake: a database made by `sql`, or none, followed by `bytes`.
  static let foreignFiles: [(name: String, sql: String?, bytes: [UInt8])] = [
    ("credentials", nil, Array("user: jane\npassword: secret\n".utf8)),
    ("a compressed backup", nil, [0x1F, 0x8B, 8, 0] + Array(repeating: 7, count: 5_000)),
    ("zeros", nil, Array(repeating: 0, count: 4_096)),
    ("a database", "CREATE TABLE note (text); PRAGMA user_version = 7", []),
    ("a database with a table of that name", "CREATE TABLE publication (text)", []),
    ("a damaged database", "CREATE TABLE publication (text)", [1, 2, 3]),
  ]

  @Test(
    "F51 F69 the file of another program is refused, and stays as it is", arguments: foreignFiles)
  func foreignFile(_ name: String, sql: String?, bytes: [UInt8]) async throws {
    if let sql { try DamageTests.execute(sql, in: bench.path) }
    let content = (sql == nil ? [] : try folder.bytes("q.sqlite")) + bytes
    try folder.write(content, to: "q.sqlite")
    chmod(bench.path, 0o600)
    let error = await #expect(throws: LocationError.self) { _ = try await bench.open() }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("not the file of a publication queue") == true)
    #expect(try folder.bytes("q.sqlite") == content)
    #expect(folder.names() == ["q.sqlite"])
  }

  /// The file has no content, so it is used. It may have been truncated, so it is reported.
  @Test("F51 an empty file is used and reported, and nothing is set aside")
  func emptyFile() async throws {
    try folder.write([], to: "q.sqlite")
    chmod(bench.path, 0o600)
    let (session, stored) = try await bench.open()
    #expect(stored.problem?.message.contains("was empty") == true)
    _ = try await session.append([publication("a")])
    await session.close()
    let (reopened, kept) = try await bench.open()
    #expect(kept.problem == nil)
    #expect(kept.backlog.count == 1)
    await reopened.close()
    #expect(!folder.names().contains { $0.contains("corrupt") })
  }

  @Test("F51 a monitor and a queue refuse each other's files")
  func filesOfTheOther() async throws {
    try await fill()
    let monitors = SQLiteMonitorStorage(file: bench.path)
    let error = await #expect(throws: LocationError.self) { _ = try await monitors.open("m") }
    #expect(error?.code == .unsupported)
    #expect(try await bench.content().1.count == 3)
    let (session, _) = try await SQLiteMonitorStorage(file: folder("m.sqlite")).open("m")
    await session.close()
    let other = await #expect(throws: LocationError.self) {
      _ = try await SQLitePublicationStorage(file: folder("m.sqlite")).open(PublicationLimits())
    }
    #expect(other?.code == .unsupported)
  }

  @Test("F51 a file of a later version is refused, and stays as it is")
  func laterVersion() async throws {
    var file = try SQLitePublicationStorage(file: bench.path).file()
    file.schema.steps.append("CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT")
    let session = StorageSession(file)
    _ = try await session.open()
    await session.close()
    let bytes = try folder.bytes("q.sqlite")
    let error = await #expect(throws: LocationError.self) { _ = try await bench.open() }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("up to version 4") == true)
    #expect(try folder.bytes("q.sqlite") == bytes)
  }

  @Test("a file of an earlier version returns its space, too")
  func earlierVersion() async throws {
    var file = try SQLitePublicationStorage(file: bench.path).file()
    file.schema.layout = DatabaseSchema.Layout()
    let earlier = StorageSession(file)
    _ = try await earlier.open()
    await earlier.close()
    try DamageTests.execute("DROP TABLE retained; PRAGMA user_version = 2", in: bench.path)
    let (session, _) = try await bench.open()
    _ = try await session.append((1...200).map { publication(bytes: 5_000, at: Double($0)) })
    try await session.remove(Array(1...200))
    await session.close()
    #expect(try folder.bytes("q.sqlite").count < 400_000)
    #expect(try await bench.content().0.lastNumber == 200)
  }

  @Test("F51 with any bit flipped, a file is read completely, or set aside and reported")
  func damage() async throws {
    try await fill()
    let (_, expected) = try await bench.content()
    let bytes = try folder.bytes("q.sqlite")
    var random = SplitMix64(seed: 51)
    var problems = 0
    for round in 0..<200 {
      var damaged = bytes
      if round % 4 == 0 {
        damaged.removeLast(Int.random(in: 1...bytes.count, using: &random))
      } else {
        // With another application ID (four bytes from 68), the file would be another program's.
        var index = Int.random(in: 0..<bytes.count, using: &random)
        if (68..<72).contains(index) { index = 0 }
        damaged[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      try folder.removeAll()
      try folder.write(damaged, to: "q.sqlite")
      let (stored, kept) = try await bench.content()
      let aside = folder.names().filter { $0.contains("corrupt") }
      if let problem = stored.problem {
        problems += 1
        #expect(problem.code == .storageUnavailable)
        #expect(kept.isEmpty)
        #expect(stored.backlog.count == 0, "round \(round)")
        #expect(aside.count == 1, "round \(round)")
        #expect(stored.accuracy == .full, "round \(round)")
        if let aside = aside.first { #expect(try folder.bytes(aside) == damaged) }
      } else {
        #expect(kept == expected, "round \(round)")
        #expect(aside.isEmpty, "round \(round)")
      }
    }
    // Most of a small file is free space for later publications.
    #expect(problems > 10)
  }

  @Test("F51 every bit of a payload, a topic and a date is checked")
  func damagedContent() async throws {
    try await fill(1)
    let bytes = try folder.bytes("q.sqlite")
    let topic = Array("owntracks/fleet/car".utf8)
    let start = try #require(
      bytes.indices.last { bytes[$0...].starts(with: topic) }, "the topic is not in the file")
    // The date precedes the topic, and the payload follows it.
    for index in start - 8..<start + topic.count + "payload 1".utf8.count {
      var damaged = bytes
      damaged[index] ^= 4
      try folder.removeAll()
      try folder.write(damaged, to: "q.sqlite")
      #expect(try await bench.content().0.problem != nil, "byte \(index - start)")
    }
  }

  @Test("F51 a file damaged after a failure is set aside and reported, and numbers continue")
  func damagedAfterAFailure() async throws {
    try await fill()
    let file = StorageSession(try SQLitePublicationStorage(file: bench.path).file())
    let stored = try await file.open()
    let session = SQLitePublicationSession(
      file, PublicationLimits(), stored, now: { PublicationBench.start })
    let failure = await #expect(throws: LocationError.self) {
      try await file.access("read") { (_) throws(SQLiteFailure) in throw .corrupt("a test") }
    }
    #expect(failure?.message.contains("Cannot read the publication queue file") == true)
    // The next call opens the file again.
    var bytes = try folder.bytes("q.sqlite")
    bytes[100] = 99  // The kind of the first page.
    try folder.write(bytes, to: "q.sqlite")
    #expect(try await session.publications(after: 0, count: 9, bytes: 999).isEmpty)
    let change = try await session.append([publication("new")])
    #expect(change.problem?.message.contains("It was renamed to q.sqlite.corrupt-") == true)
    #expect(change.numbers == 4..<5)
    #expect(change.backlog.count == 1)
    #expect(try await session.append([publication("newer")]).problem == nil)
    await session.close()
    #expect(try await bench.content().1.map(\.number) == [4, 5])
  }

  /// A file that was set aside may contain exact locations, so the accuracy may be full, also in
  /// the next run.
  @Test("F58 the accuracy of a file that was set aside is not known, until it is deleted")
  func accuracyAfterDamage() async throws {
    try await fill()
    var bytes = try folder.bytes("q.sqlite")
    bytes[100] = 99  // The kind of the first page.
    try folder.write(bytes, to: "q.sqlite")
    for _ in 1...2 { #expect(try await bench.content().0.accuracy == .full) }
    let (session, _) = try await bench.open()
    try await session.removeAll()
    await session.close()
    #expect(try await bench.content().0.accuracy == nil)
    #expect(!folder.names().contains { $0.contains("corrupt") })
  }

  @Test("F51 a file of the first version keeps its content, and knows no accuracy")
  func firstVersion() async throws {
    try await fill()
    try DamageTests.execute(
      "DROP TABLE told; DROP TABLE retained; PRAGMA user_version = 1", in: bench.path)
    let (session, stored) = try await bench.open()
    #expect(stored.accuracy == .full)
    #expect(stored.backlog.count == 3)
    #expect(stored.problem == nil)
    try await session.removeAll()
    await session.close()
    #expect(try await bench.content().0.accuracy == nil)
  }

  @Test(arguments: ["", "/", "a/", "..", "a\0b", String(repeating: "x", count: 201)])
  func invalidPaths(_ path: String) async {
    let error = await #expect(throws: LocationError.self) {
      _ = try await SQLitePublicationStorage(file: path).open(PublicationLimits())
    }
    #expect(error?.code == .invalidValue)
  }
}
