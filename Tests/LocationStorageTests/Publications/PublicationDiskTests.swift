import AsyncLocation
import Foundation
import Glibc
import MockBackend
import TestSupport
import Testing

@testable import LocationStorage

/// Full disks and read-only file systems. The disk is a mounted tmpfs, which needs root.
@Suite(
  .serialized,
  .enabled(if: SmallDisk.isPossible, "a tmpfs cannot be mounted: run as root"),
  .inTurn)
struct PublicationDiskTests {
  private let disk: SmallDisk
  private var storage: SQLitePublicationStorage {
    SQLitePublicationStorage(file: disk.path + "/q.sqlite")
  }

  init() throws { disk = try SmallDisk(kibibytes: 400) }

  private func open() async throws -> (any PublicationSession, StoredPublications) {
    try await storage.open(PublicationLimits())
  }

  /// Publications with the current date and a payload of a kilobyte.
  private func publications(_ count: Int) -> [PendingPublication] {
    (0..<count).map { number in
      PendingPublication(
        topic: "t", payload: [UInt8](repeating: UInt8(number % 256), count: 1_000), date: Date())
    }
  }

  @Test(
    "F55 F51 a full disk refuses an append as a whole, and takes it when there is space",
    arguments: [0, 4_096, 20_480, 65_536])
  func fullDisk(_ free: Int) async throws {
    let (session, _) = try await open()
    let first = publications(10)
    let before = try await session.append(first).backlog
    try await disk.fill(leaving: free)
    for _ in 1...3 {
      let error = await #expect(throws: LocationError.self) {
        _ = try await session.append(publications(500))
      }
      #expect(error?.code == .storageUnavailable)
      #expect(error?.isTransient == true)
      #expect(error?.message.contains("\(disk.path)/q.sqlite") == true)
      #expect(error?.message.contains("full") == true)
      // Waiting publications are still read.
      let kept = try await session.publications(after: 0, count: .max, bytes: .max)
      #expect(kept.map(\.publication) == first)
    }
    try disk.empty()
    let second = publications(20)
    let change = try await session.append(second)
    #expect(change.numbers == 11..<31)
    #expect(change.problem == nil)
    #expect(change.backlog.bytes == before.bytes + second.map(\.byteCount).reduce(0, +))
    #expect(try await session.remove([1, 11]).count == 28)
    await session.close()
    let (reopened, stored) = try await open()
    #expect(
      stored
        == StoredPublications(
          backlog: .init(count: 28, bytes: 28 * 1_001), lastNumber: 30, accuracy: .full))
    await reopened.close()
  }

  /// The bytes of the file and its log.
  private func size() throws -> Int {
    try ["q.sqlite", "q.sqlite-wal"].map { name in
      let path = disk.path + "/" + name
      guard FileManager.default.fileExists(atPath: path) else { return 0 }
      return try Data(contentsOf: URL(fileURLWithPath: path)).count
    }
    .reduce(0, +)
  }

  @Test("F72 while nothing waits, the file and its log stay below 64 KiB")
  func nothingWaits() async throws {
    let (session, _) = try await open()
    for number in 1...2_000 as ClosedRange<UInt64> {
      _ = try await session.append([publication(bytes: 220)])
      try await session.remove([number])
      if number % 50 == 0 { #expect(try size() <= 65_536, "after \(number)") }
    }
    await session.close()
    #expect(try size() <= 16_384)
    let (reopened, stored) = try await open()
    #expect(stored == StoredPublications(lastNumber: 2_000, accuracy: .full))
    await reopened.close()
  }

  @Test("F72 the file has at most twice the backlog and 64 KiB, also when the backlog shrinks")
  func fileSizeFollowsTheBacklog() async throws {
    let (session, _) = try await open()
    var backlog = PublicationBacklog()
    func check(_ step: String) throws {
      #expect(try size() <= 2 * backlog.bytes + 65_536, "\(step): \(backlog.bytes) bytes wait")
    }
    for number in 1...500 {
      backlog = try await session.append([publication(bytes: 220)]).backlog
      if number % 20 == 0 { try check("append \(number)") }
    }
    for number in 1...500 as ClosedRange<UInt64> {
      backlog = try await session.remove([number])
      if number % 20 == 0 { try check("removal \(number)") }
    }
    #expect(backlog == PublicationBacklog())
    await session.close()
  }

  @Test("F72 beside a recording on a disk of 400 kB, what fits is kept, and its space is freed")
  func besideARecording() async throws {
    let (session, _) = try await open()
    let recording = disk.path + "/track.gpx"
    #expect(FileManager.default.createFile(atPath: recording, contents: nil))
    let handle = try #require(FileHandle(forWritingAtPath: recording))
    let point = Data(repeating: 7, count: 100)
    func record(_ count: Int) throws {
      for _ in 0..<count { try handle.write(contentsOf: point) }
    }
    var lastRemoved: UInt64 = 0
    for _ in 1...1_000 {
      lastRemoved = try await session.append([publication(bytes: 220)]).numbers.upperBound - 1
      try await session.remove([lastRemoved])
      try record(1)
    }
    // The broker is unavailable until the disk is full.
    var waiting = PublicationBacklog()
    let error = await #expect(throws: LocationError.self) {
      for _ in 1...2_000 { waiting = try await session.append([publication(bytes: 220)]).backlog }
    }
    #expect(error?.code == .storageUnavailable)
    #expect(waiting.bytes >= (300_000 - 65_536) / 2, "\(waiting)")
    let numbers = try await session.numbers()
    #expect(numbers == Array(lastRemoved + 1..<lastRemoved + 1 + UInt64(waiting.count)))
    for start in stride(from: 0, to: numbers.count, by: 50) {
      waiting = try await session.remove(Array(numbers[start..<min(start + 50, numbers.count)]))
    }
    #expect(waiting == PublicationBacklog())
    // 100 kB are recorded so far, and the queue uses 64 KiB.
    try record(2_000)
    try handle.close()
    await session.close()
  }

  /// The batch needs more space in the file and in the log at once than the disk has.
  @Test("F72 a batch that does not fit leaves its space for smaller ones")
  func smallerBatches() async throws {
    let (session, _) = try await open()
    for count in [2_000, 340] {
      await #expect(throws: LocationError.self) {
        _ = try await session.append(publications(count))
      }
    }
    for _ in 0..<10 { _ = try await session.append(publications(20)) }
    #expect(try await session.publications(after: 0, count: .max, bytes: .max).count == 200)
    await session.close()
  }

  @Test("F55 F51 a full disk does not open the file again")
  func fullDiskKeepsTheFileOpen() async throws {
    let session = StorageSession(try storage.file())
    _ = try await session.open()
    try await disk.fill()
    await #expect(throws: LocationError.self) {
      try await session.access("write") { (database) throws(SQLiteFailure) in
        _ = try database.append(
          publications(500), accuracy: .full, after: 0, PublicationLimits(), now: Date())
      }
    }
    #expect(try await session.reopen() == nil)
    await session.close()
  }

  /// Runs in a separate process: a child of another test has copies of all descriptors until it
  /// executes its program, and these copies keep the space of a deleted file.
  @Test("F58 a revocation deletes everything also on a full disk", .exitTest)
  func revocationOnAFullDisk() async {
    await #expect(processExitsWith: .success) {
      try await PublicationDiskTests().revokeOnAFullDisk()
    }
  }

  private func revokeOnAFullDisk() async throws {
    for hasLog in [false, true] {
      let (first, _) = try await open()
      _ = try await first.append(publications(100))
      if !hasLog { await first.close() }
      let session = hasLog ? first : try await open().0
      try await disk.fill()
      try await session.removeAll()
      #expect(try await session.publications(after: 0, count: .max, bytes: .max).isEmpty)
      var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: disk.path)) ?? []
      }
      for name in names where name != "filler" {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: disk.path + "/" + name))
        #expect(bytes.range(of: Data(repeating: 9, count: 100)) == nil, "\(name)")
      }
      try disk.empty()
      #expect(try await session.append(publications(1)).backlog.count == 1)
      // The new publication has the number 101 in the first round and 202 in the second.
      try await session.remove([101, 202])
      await session.close()
    }
  }

  /// Runs in a separate process, as above. A folder prevents the creation of the new file.
  @Test("F65 a deletion completes its mark when there is room", .exitTest)
  func markOfAFullDisk() async {
    await #expect(processExitsWith: .success) {
      try await PublicationDiskTests().completeTheMark()
    }
  }

  private func completeTheMark() async throws {
    let (session, _) = try await open()
    _ = try await session.append(publications(100))
    let draft = disk.path + "/q.sqlite.async-location-new"
    try FileManager.default.createDirectory(
      atPath: draft + "/kept", withIntermediateDirectories: true)
    try await disk.fill()
    await #expect(throws: LocationError.self) { try await session.removeAll() }
    let mark = try String(contentsOfFile: disk.path + "/q.sqlite.delete", encoding: .utf8)
    #expect(mark.hasPrefix("async-location deletion, last number 100"))
    await session.close()
  }

  @Test("F51 a read-only file system reports the backlog, and refuses all else until writable")
  func readOnly() async throws {
    let (session, _) = try await open()
    _ = try await session.append(publications(10))
    await session.close()
    try await disk.setReadOnly(true)
    let (reopened, stored) = try await open()
    #expect(stored.backlog.count == 10)
    #expect(stored.problem == nil)
    let calls: [() async throws -> Void] = [
      { _ = try await reopened.append([]) }, { try await reopened.remove([1]) },
      { _ = try await reopened.publications(after: 0, count: 1, bytes: 1) },
      { try await reopened.removeAll() },
    ]
    for call in calls + calls {
      let error = await #expect(throws: LocationError.self) { try await call() }
      #expect(error?.code == .storageUnavailable)
      #expect(error?.message.contains("\(disk.path)/q.sqlite") == true)
    }
    await #expect(throws: LocationError.self) { _ = try await open() }
    try await disk.setReadOnly(false)
    #expect(try await reopened.publications(after: 0, count: .max, bytes: .max).count == 10)
    #expect(try await reopened.append(publications(1)).numbers == 11..<12)
    await reopened.close()
  }
}
