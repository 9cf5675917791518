import AsyncLocation
import Foundation
import Glibc
import MockBackend
import TestSupport
import Testing

@testable import LocationStorage

/// Full disks and file systems that cannot be written. A mount needs root.
@Suite(
  .serialized,
  .enabled(if: UnwritableTests.Disk.isPossible, "a tmpfs cannot be mounted: run as root"),
  .inTurn)
struct PublicationDiskTests {
  private let disk: UnwritableTests.Disk
  private var storage: SQLitePublicationStorage {
    SQLitePublicationStorage(file: disk.path + "/q.sqlite")
  }

  init() throws { disk = try UnwritableTests.Disk() }

  private func open() async throws -> (any PublicationSession, StoredPublications) {
    try await storage.open(PublicationLimits())
  }

  /// Publications made now, with a payload of a kilobyte.
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
    try disk.fill(leaving: free)
    for _ in 1...3 {
      let error = await #expect(throws: LocationError.self) {
        _ = try await session.append(publications(500))
      }
      #expect(error?.code == .storageUnavailable && error?.isTransient == true)
      #expect(error?.message.contains("\(disk.path)/q.sqlite") == true)
      #expect(error?.message.contains("full") == true)
      // What waits is still read.
      let kept = try await session.publications(after: 0, count: .max, bytes: .max)
      #expect(kept.map(\.publication) == first)
    }
    try disk.empty()
    let second = publications(20)
    let change = try await session.append(second)
    #expect(change.numbers == 11..<31 && change.problem == nil)
    #expect(change.backlog.bytes == before.bytes + second.map(\.byteCount).reduce(0, +))
    #expect(try await session.remove([1, 11]).count == 28)
    await session.close()
    let (again, stored) = try await open()
    #expect(
      stored
        == StoredPublications(
          backlog: .init(count: 28, bytes: 28 * 1_001), lastNumber: 30, accuracy: .full))
    await again.close()
  }

  @Test("F55 F51 a full disk does not open the file again")
  func fullDiskKeepsTheFileOpen() async throws {
    let session = StorageSession(try storage.file())
    _ = try await session.open()
    try disk.fill()
    await #expect(throws: LocationError.self) {
      try await session.access("write") { (database) throws(SQLiteFailure) in
        _ = try database.append(
          publications(500), accuracy: .full, after: 0, PublicationLimits(), now: Date())
      }
    }
    #expect(try await session.reopen() == nil)
    await session.close()
  }

  /// In a process of its own: a child of another test has copies of all descriptors until it executes
  /// its program, which keep the space of a deleted file.
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
      try disk.fill()
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
      try await session.remove([101, 202])
      await session.close()
    }
  }

  @Test("F51 a read-only file system tells how much waits, and refuses everything else until then")
  func readOnly() async throws {
    let (session, _) = try await open()
    _ = try await session.append(publications(10))
    await session.close()
    try disk.setReadOnly(true)
    let (again, stored) = try await open()
    #expect(stored.backlog.count == 10 && stored.problem == nil)
    let calls: [() async throws -> Void] = [
      { _ = try await again.append([]) }, { try await again.remove([1]) },
      { _ = try await again.publications(after: 0, count: 1, bytes: 1) },
      { try await again.removeAll() },
    ]
    for call in calls + calls {
      let error = await #expect(throws: LocationError.self) { try await call() }
      #expect(error?.code == .storageUnavailable)
      #expect(error?.message.contains("\(disk.path)/q.sqlite") == true)
    }
    await #expect(throws: LocationError.self) { _ = try await open() }
    try disk.setReadOnly(false)
    #expect(try await again.publications(after: 0, count: .max, bytes: .max).count == 10)
    #expect(try await again.append(publications(1)).numbers == 11..<12)
    await again.close()
  }
}
