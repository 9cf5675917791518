import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import LocationStorage

/// A deleted publication leaves no byte in any file.
@Suite(.inTurn)
struct PublicationErasureTests {
  private let bench: PublicationBench
  private var folder: StorageFolder { bench.folder }
  private static let secret = "47.1410 9.5209"

  init() throws { bench = try PublicationBench(isInMemory: false) }

  /// Publications of less and more than a page, with the secret in each page.
  private static func secrets(_ count: Int) -> [PendingPublication] {
    (0..<count).map { number in
      publication(
        String(repeating: secret + " ", count: number % 10 == 0 ? 2_000 : 1 + number % 5),
        topic: "owntracks/\(secret)/car")
    }
  }

  /// The files that contain the secret.
  private func leaks() throws -> [String] {
    try folder.names().filter {
      try Data(folder.bytes($0)).range(of: Data(Self.secret.utf8)) != nil
    }
  }

  @Test("F58 after a revocation no file contains a waiting or an acknowledged publication")
  func revocation() async throws {
    let (session, _) = try await bench.open()
    for _ in 0..<10 { _ = try await session.append(Self.secrets(100)) }
    try await session.remove((1...300).map { UInt64($0) })
    #expect(try leaks().contains("q.sqlite-wal"))
    try await session.removeAll()
    #expect(try leaks() == [])
    #expect(try folder.bytes("q.sqlite").count < 65_536)
    // The session continues.
    #expect(try await session.append([publication("new")]).numbers == 1_001..<1_002)
    await session.close()
    #expect(try leaks() == [])
    #expect(try await bench.content().1.map(\.number) == [1_001])
  }

  @Test("F58 a revocation deletes what an earlier run stored, also after a crash")
  func earlierRun() async throws {
    let (session, _) = try await bench.open()
    _ = try await session.append(Self.secrets(100))
    // The files are as after a crash: the log is not merged.
    let files = try ["q.sqlite", "q.sqlite-wal"].map { ($0, try folder.bytes($0)) }
    await session.close()
    for (name, bytes) in files { try folder.write(bytes, to: name) }
    let (reopened, stored) = try await bench.open()
    #expect(stored.backlog.count == 100)
    try await reopened.removeAll()
    #expect(try leaks() == [])
    await reopened.close()
  }

  @Test("F58 a revocation deletes damaged files that were set aside, and no other file")
  func filesSetAside() async throws {
    for round in 1...2 {
      let (session, _) = try await bench.open()
      _ = try await session.append(Self.secrets(20))
      await session.close()
      var bytes = try folder.bytes("q.sqlite")
      bytes[100] = 99  // The kind of the first page.
      try folder.write(bytes, to: "q.sqlite")
      let (reopened, stored) = try await bench.open()
      #expect(stored.problem != nil)
      await reopened.close()
      #expect(folder.names().filter { $0.contains("corrupt") }.count == round)
    }
    #expect(try leaks().count == 2)
    // Files of other programs whose names are similar to those of files that were set aside.
    let others = [
      "q.sqlite.corrupt-notes", "other.sqlite.corrupt-20261122T101848Z", "q.sqlite.corrupt-",
      "q.sqlite.corrupt-20261122T101848Z", "q.sqlite.corrupt-20261122T101848Z-2-wal",
    ]
    for name in others { try folder.write("kept".utf8, to: name) }
    let (session, _) = try await bench.open()
    try await session.removeAll()
    await session.close()
    #expect(try leaks() == [])
    #expect(folder.names() == (others + ["q.sqlite", "q.sqlite.lock"]).sorted())
  }

  /// A folder with the name of the journal makes the deletion fail, as a failing disk does. The
  /// process ends, and permission is granted again.
  @Test("F65 a deletion that failed is made by the next open, before anything is read")
  func failedDeletion() async throws {
    let (session, _) = try await bench.open()
    _ = try await session.append(Self.secrets(100))
    _ = try await session.append([publication("x", topic: "boat", isRetained: true)])
    try FileManager.default.createDirectory(
      atPath: folder("q.sqlite-journal"), withIntermediateDirectories: false)
    await #expect(throws: LocationError.self) { try await session.removeAll() }
    await #expect(throws: LocationError.self) {
      _ = try await session.publications(after: 0, count: 1, bytes: .max)
    }
    await session.close()
    let kept = try Data(folder.bytes("q.sqlite"))
    #expect(kept.range(of: Data(Self.secret.utf8)) != nil, "the deletion did not reach its end")
    await #expect(throws: LocationError.self) { _ = try await bench.open() }
    try FileManager.default.removeItem(atPath: folder("q.sqlite-journal"))
    let (reopened, stored) = try await bench.open()
    #expect(stored.backlog == PublicationBacklog())
    #expect(stored.retainedTopics == ["boat"])
    #expect(try leaks() == [])
    #expect(folder.names() == ["q.sqlite", "q.sqlite-wal", "q.sqlite.lock"])
    await reopened.close()
  }

  /// A full disk had room for the name of a mark only, and the process ends after the next attempt.
  @Test("F65 an empty mark is completed by the next deletion")
  func emptyMark() async throws {
    let (session, _) = try await bench.open()
    _ = try await session.append(Self.secrets(100))
    try folder.write("".utf8, to: "q.sqlite.delete")
    try FileManager.default.createDirectory(
      atPath: folder("q.sqlite-journal"), withIntermediateDirectories: false)
    await #expect(throws: LocationError.self) { try await session.removeAll() }
    await session.close()
    try FileManager.default.removeItem(atPath: folder("q.sqlite-journal"))
    let (reopened, stored) = try await bench.open()
    #expect(stored.lastNumber == 100)
    #expect(stored.backlog == PublicationBacklog())
    await reopened.close()
  }

  /// The mark has no room for more than its name, and the waiting publications are read before the
  /// next attempt.
  @Test("F65 an empty mark loses no removal to a reader")
  func emptyMarkIsRead() async throws {
    let (session, _) = try await bench.open()
    _ = try await session.append([publication("x", topic: "boat/event", isRetained: true)])
    for name in ["q.sqlite-journal", "q.sqlite.delete.async-location-new"] {
      try FileManager.default.createDirectory(
        atPath: folder(name) + "/kept", withIntermediateDirectories: true)
    }
    await #expect(throws: LocationError.self) {
      try await session.removeAll(then: [publication("", topic: "boat/event", isRetained: true)])
    }
    #expect(try folder.bytes("q.sqlite.delete").isEmpty)
    try FileManager.default.removeItem(atPath: folder("q.sqlite-journal"))
    let waiting = try await session.publications(after: 0, count: 10, bytes: .max)
    #expect(waiting.map(\.number) == [2])
    #expect(waiting.first?.publication.isRemoval == true)
    await session.close()
    let (stored, _) = try await bench.content()
    #expect(stored.lastNumber == 2)
    #expect(stored.retainedTopics.contains("boat/event"))
  }

  /// The files are as after `kill -9` or a loss of power, between any two steps.
  @Test("F65 a deletion that was interrupted is made by the next open", arguments: 0..<4)
  func interruptedDeletion(_ step: Int) async throws {
    let (session, _) = try await bench.open()
    _ = try await session.append(Self.secrets(100))
    let files = try ["q.sqlite", "q.sqlite-wal"].map { ($0, try folder.bytes($0)) }
    await session.close()
    for (name, bytes) in files { try folder.write(bytes, to: name) }
    let mark = step == 3 ? "" : "async-location deletion, last number 100"
    try folder.write(mark.utf8, to: "q.sqlite.delete")
    let removed = ["q.sqlite-wal", "q.sqlite-shm", "q.sqlite"].prefix(step)
    for name in removed { try? FileManager.default.removeItem(atPath: folder(name)) }
    let (reopened, stored) = try await bench.open()
    #expect(stored.backlog == PublicationBacklog())
    #expect(stored.problem == nil)
    // The numbers continue, except if a full disk had no room for the last one.
    #expect(stored.lastNumber == (step == 3 ? 0 : 100))
    // The accuracy of the broker's messages is unknown, so it may be full.
    #expect(stored.accuracy == .full)
    #expect(try leaks() == [])
    #expect(!folder.names().contains("q.sqlite.delete"))
    await reopened.close()
  }

  /// The first mark is of an earlier version, which does not state what is to be removed.
  @Test(
    "F65 an interrupted deletion keeps its removals",
    arguments: [
      "7\nowntracks/jane/tender", "7\nowntracks/jane/tender/waypoints\n\nowntracks/jane/tender",
    ])
  func interruptedRemoval(_ remainder: String) async throws {
    let mark = "async-location deletion, last number \(remainder)"
    try folder.write(mark.utf8, to: "q.sqlite.delete")
    for _ in 0..<2 {
      let (stored, waiting) = try await bench.content()
      #expect(stored.lastNumber == 8)
      #expect(stored.backlog.count == 1)
      #expect(waiting.map(\.number) == [8])
      #expect(waiting.first?.publication.isRemoval == true)
      #expect(waiting.first?.publication.topic == "owntracks/jane/tender")
      #expect(stored.retainedTopics.contains("owntracks/jane/tender"))
    }
  }

  /// More topics than fit into a mark, and some that a mark cannot contain.
  @Test("F65 removals beyond the mark follow it")
  func manyRemovals() async throws {
    let topics =
      (0..<2_000).map { "owntracks/jane/a device with a long name \($0)" } + ["a\nb", "c"]
    let (session, _) = try await bench.open()
    _ = try await session.append(topics.map { publication("x", topic: $0, isRetained: true) })
    let change = try await session.removeAll(
      then: topics.map { publication("", topic: $0, isRetained: true) } + [publication("status")])
    #expect(change.numbers == 2_003..<4_006)
    #expect(change.backlog.count == 2_003)
    await session.close()
    let (stored, waiting) = try await bench.content()
    #expect(waiting.map(\.number) == Array(2_003..<4_006))
    #expect(waiting.dropLast().map(\.publication.topic) == topics)
    #expect(waiting.last?.publication.payload == Array("status".utf8))
    #expect(stored.accuracy == nil)
    #expect(stored.retainedTopics.count == topics.count)
  }

  /// - Parameter text: The text of the mark; nil for a pipe in its place.
  @Test("F65 an invalid mark deletes nothing", arguments: ["my own notes", nil])
  func noMark(_ text: String?) async throws {
    let (session, _) = try await bench.open()
    _ = try await session.append(Self.secrets(1))
    await session.close()
    if let text {
      try folder.write(text.utf8, to: "q.sqlite.delete")
    } else {
      #expect(mkfifo(folder("q.sqlite.delete"), 0o600) == 0)
    }
    let error = await #expect(throws: LocationError.self) { _ = try await bench.open() }
    #expect(error?.message.contains("q.sqlite.delete") == true)
    try FileManager.default.removeItem(atPath: folder("q.sqlite.delete"))
    #expect(try await bench.content().1.count == 1)
  }

  @Test("F65 a mark beside a database of something else deletes nothing")
  func foreignDatabase() async throws {
    try DamageTests.execute("CREATE TABLE note (text); PRAGMA user_version = 7", in: bench.path)
    chmod(bench.path, 0o600)
    let bytes = try folder.bytes("q.sqlite")
    try folder.write("".utf8, to: "q.sqlite.delete")
    await #expect(throws: LocationError.self) { _ = try await bench.open() }
    #expect(try folder.bytes("q.sqlite") == bytes)
  }

  @Test("F65 after an invalid number in the mark, numbers begin at one")
  func damagedMark() async throws {
    for number in ["18446744073709551615", "9223372036854775807", "-5"] {
      try folder.write(
        "async-location deletion, last number \(number)".utf8, to: "q.sqlite.delete")
      let (session, stored) = try await bench.open()
      #expect(stored.lastNumber == 0)
      _ = try await session.append(Self.secrets(1))
      try await session.removeAll()
      await session.close()
      try folder.removeAll()
    }
  }

  @Test("acknowledged publications are overwritten in the file")
  func acknowledged() async throws {
    let (session, _) = try await bench.open()
    _ = try await session.append(Self.secrets(100))
    _ = try await session.append([publication("other")])
    try await session.remove((1...100).map { UInt64($0) })
    await session.close()
    #expect(try leaks() == [])
    #expect(try await bench.content().1.map(\.number) == [101])
  }

  @Test("dropped publications are overwritten in the file")
  func dropped() async throws {
    let (session, _) = try await bench.open(PublicationLimits(count: 5))
    _ = try await session.append(Self.secrets(100))
    _ = try await session.append((1...5).map { publication("other \($0)") })
    await session.close()
    #expect(try leaks() == [])
  }
}
