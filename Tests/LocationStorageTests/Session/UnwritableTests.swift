import AsyncLocation
import Foundation
import Glibc
import TestSupport
import Testing

@testable import LocationStorage

/// Files that can be read and not written, and full disks. The disk is a mounted tmpfs, which needs
/// root.
@Suite(.serialized, .inTurn)
struct UnwritableTests {
  static func conditions(_ count: Int) throws -> [StoredCondition] {
    try (0..<count).map { try RoundTripTests.condition("condition \($0)") }
  }

  @Test(
    "a disk is full when a removed file's space is not kept any more",
    .enabled(if: SmallDisk.isPossible, "a tmpfs cannot be mounted: run as root"))
  func removedFile() async throws {
    let disk = try SmallDisk(kibibytes: 64)
    let removed = open(disk("removed"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    #expect(write(removed, [UInt8](repeating: 1, count: 8_192), 8_192) == 8_192)
    #expect(unlink(disk("removed")) == 0)
    let filling = Task { try await disk.fill() }
    // `fill` must wait during these yields, because the descriptor keeps the removed file's space.
    for _ in 1...1_000 { await Task.yield() }
    close(removed)
    try await filling.value
    let file = open(disk("late"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(file) }
    #expect(write(file, [1], 1) == -1)
    #expect(errno == ENOSPC)
  }

  @Test(
    "F51 F36 on a full disk, commits throw and a replacement after it works",
    .enabled(if: SmallDisk.isPossible, "a tmpfs cannot be mounted: run as root"))
  func fullDisk() async throws {
    let disk = try SmallDisk(kibibytes: 400)
    let (session, _) = try await disk.storage.open("m")
    let first = try Self.conditions(10)
    try await session.commit(first.map { .add($0) })
    try await disk.fill()
    let error = await #expect(throws: LocationError.self) {
      try await session.commit(try Self.conditions(2_000).map { .add($0) })
    }
    #expect(error?.code == .storageUnavailable)
    #expect(error?.isTransient == true)
    #expect(error?.message.contains("\(disk.path)/m.sqlite") == true)
    #expect(error?.message.contains("full") == true)
    // After a failed commit, later ones throw until everything is replaced.
    await #expect(throws: LocationError.self) {
      try await session.commit([.remove(identifier: "x")])
    }
    let content = StoredMonitor(conditions: try Self.conditions(40), lastNumber: 9)
    await #expect(throws: LocationError.self) {
      try await session.replace(with: StoredMonitor(conditions: try Self.conditions(2_000)))
    }
    try disk.empty()
    try await session.replace(with: content)
    try await session.commit([.remove(identifier: "condition 3")])
    await session.close()
    let stored = try await disk.storage.content()
    #expect(stored.problem == nil)
    #expect(stored.conditions.count == 39)
    #expect(stored.lastNumber == 9)
  }

  @Test(
    "F72 the log of a monitor keeps to its part of the disk, and a full disk recovers",
    .enabled(if: SmallDisk.isPossible, "a tmpfs cannot be mounted: run as root"))
  func theLogHasALimit() async throws {
    let disk = try SmallDisk(kibibytes: 700)
    let (session, _) = try await disk.storage.open("m")
    let conditions = try Self.conditions(2)
    for _ in 0..<300 {
      try await session.commit(conditions.map { .add($0) })
      try await session.commit([.remove(identifier: conditions[0].identifier)])
    }
    let content = StoredMonitor(conditions: conditions, lastNumber: 9)
    // The log retains its size when the disk becomes full.
    try await disk.fill()
    await #expect(throws: LocationError.self) {
      try await session.commit(try Self.conditions(5_000).map { .add($0) })
    }
    try await session.replace(with: content)
    await session.close()
    #expect(try await disk.storage.content().lastNumber == 9)
  }

  @Test(
    "F51 F36 a commit that does not fit leaves the content before it",
    .enabled(if: SmallDisk.isPossible, "a tmpfs cannot be mounted: run as root"))
  func oversizedCommitChangesNothing() async throws {
    for free in [0, 4_096, 8_192, 20_480, 65_536] {
      let disk = try SmallDisk(kibibytes: 400)
      let (session, _) = try await disk.storage.open("m")
      try await session.commit(try Self.conditions(10).map { .add($0) })
      try await disk.fill(leaving: free)
      await #expect(throws: LocationError.self) {
        try await session.commit(try Self.conditions(2_000).map { .add($0) })
      }
      await session.close()
      // The disk is still full.
      let (reopened, stored) = try await disk.storage.open("m")
      #expect(stored.problem == nil, "\(free)")
      #expect(stored.conditions.count == 10, "\(free)")
      await reopened.close()
    }
  }

  @Test(
    "F51 a file on a full disk is read, and written when there is space",
    .enabled(if: SmallDisk.isPossible, "a tmpfs cannot be mounted: run as root"))
  func openOnAFullDisk() async throws {
    let disk = try SmallDisk(kibibytes: 400)
    let (session, _) = try await disk.storage.open("m")
    try await session.commit(try Self.conditions(10).map { .add($0) })
    await session.close()
    try await disk.fill()
    let (reopened, stored) = try await disk.storage.open("m")
    #expect(stored.conditions.count == 10)
    #expect(stored.problem == nil)
    let error = await #expect(throws: LocationError.self) {
      try await reopened.commit([.remove(identifier: "condition 1")])
    }
    #expect(error?.code == .storageUnavailable)
    try disk.empty()
    try await reopened.replace(with: StoredMonitor(conditions: try Self.conditions(3)))
    await reopened.close()
    #expect(try await disk.storage.content().conditions.count == 3)
    // No file can be created either.
    try await disk.fill()
    let other = await #expect(throws: LocationError.self) {
      _ = try await disk.storage.open("other")
    }
    #expect(other?.code == .storageUnavailable)
    #expect(!FileManager.default.fileExists(atPath: disk.path + "/other.sqlite"))
  }

  @Test(
    "F51 F37 a damaged file on a full disk keeps its name",
    .enabled(if: SmallDisk.isPossible, "a tmpfs cannot be mounted: run as root"))
  func damagedOnAFullDisk() async throws {
    let disk = try SmallDisk(kibibytes: 400)
    try await Data(DamageTests.sample().bytes.prefix(100))
      .write(to: URL(fileURLWithPath: disk.path + "/m.sqlite"))
    #expect(chmod(disk.path + "/m.sqlite", 0o600) == 0)
    try await disk.fill()
    let error = await #expect(throws: LocationError.self) { _ = try await disk.storage.open("m") }
    #expect(error?.code == .storageUnavailable)
    #expect(error?.message.contains("damaged") == true)
    #expect(FileManager.default.fileExists(atPath: disk.path + "/m.sqlite"))
    try disk.empty()
    #expect(try await disk.storage.content().problem != nil)
  }

  @Test(
    "F51 a read-only file system is read, also with the log of a crash, and written when it can be",
    .enabled(if: SmallDisk.isPossible, "a tmpfs cannot be mounted: run as root"))
  func readOnly() async throws {
    for hasLog in [false, true] {
      let disk = try SmallDisk(kibibytes: 400)
      let (session, _) = try await disk.storage.open("m")
      try await session.commit(try Self.conditions(10).map { .add($0) })
      try await session.commit([.remove(identifier: "condition 0")])
      if hasLog {
        // Copies the files, to restore them as after a crash.
        for name in ["m.sqlite", "m.sqlite-wal"] {
          try FileManager.default.copyItem(
            atPath: disk.path + "/" + name, toPath: disk.path + "/copy-" + name)
        }
      }
      await session.close()
      if hasLog {
        for name in ["m.sqlite", "m.sqlite-wal"] {
          #expect(rename(disk.path + "/copy-" + name, disk.path + "/" + name) == 0)
        }
      }
      try await disk.setReadOnly(true)
      let before = try FileManager.default.contentsOfDirectory(atPath: disk.path).sorted()
      let (reopened, stored) = try await disk.storage.open("m")
      #expect(stored.conditions.count == 9, "log: \(hasLog)")
      #expect(stored.problem == nil, "log: \(hasLog)")
      for _ in 1...2 {
        let error = await #expect(throws: LocationError.self) {
          try await reopened.commit([.remove(identifier: "condition 1")])
        }
        #expect(error?.code == .storageUnavailable)
        #expect(error?.message.contains("\(disk.path)/m.sqlite") == true)
        await #expect(throws: LocationError.self) {
          try await reopened.replace(with: StoredMonitor())
        }
      }
      // The lock is held although nothing can be written.
      let inUse = await #expect(throws: LocationError.self) { _ = try await disk.storage.open("m") }
      #expect(inUse?.code == .monitorInUse)
      #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).sorted() == before)
      try await disk.setReadOnly(false)
      try await reopened.replace(with: StoredMonitor(conditions: try Self.conditions(3)))
      try await reopened.commit([.remove(identifier: "condition 1")])
      await reopened.close()
      #expect(try await disk.storage.content().conditions.count == 2)
    }
  }

  @Test(
    "F51 a file without a lock file on a read-only file system is read",
    .enabled(if: SmallDisk.isPossible, "a tmpfs cannot be mounted: run as root"))
  func readOnlyWithoutALockFile() async throws {
    let disk = try SmallDisk(kibibytes: 400)
    let (session, _) = try await disk.storage.open("m")
    try await session.commit(try Self.conditions(10).map { .add($0) })
    await session.close()
    #expect(unlink(disk.path + "/m.sqlite.lock") == 0)
    try await disk.setReadOnly(true)
    let (reopened, stored) = try await disk.storage.open("m")
    #expect(stored.conditions.count == 10)
    await #expect(throws: LocationError.self) { try await reopened.commit([.discard(through: 1)]) }
    try await disk.setReadOnly(false)
    // Another session opens the monitor first.
    let (other, _) = try await disk.storage.open("m")
    let error = await #expect(throws: LocationError.self) {
      try await reopened.replace(with: StoredMonitor())
    }
    #expect(error?.code == .monitorInUse)
    await other.close()
    try await reopened.replace(with: StoredMonitor(conditions: try Self.conditions(3)))
    await reopened.close()
    #expect(try await disk.storage.content().conditions.count == 3)
  }

  @Test(
    "F51 a file and a directory without permission to write are read",
    .enabled(if: geteuid() != 0, "root may write everywhere"))
  func permissions() async throws {
    for (file, directory) in [(0o400, 0o700), (0o600, 0o500)] as [(mode_t, mode_t)] {
      let folder = try StorageFolder()
      let (session, _) = try await folder.storage.open("m")
      try await session.commit(try Self.conditions(10).map { .add($0) })
      await session.close()
      #expect(chmod(folder("m.sqlite"), file) == 0)
      #expect(chmod(folder.path, directory) == 0)
      let (reopened, stored) = try await folder.storage.open("m")
      #expect(stored.conditions.count == 10)
      await #expect(throws: LocationError.self) {
        try await reopened.commit([.discard(through: 1)])
      }
      #expect(chmod(folder.path, 0o700) == 0)
      #expect(chmod(folder("m.sqlite"), 0o600) == 0)
      try await reopened.replace(with: StoredMonitor())
      await reopened.close()
      #expect(try await folder.storage.content().conditions.isEmpty)
    }
  }

  @Test("F51 a directory that cannot be created is a typed error")
  func noDirectory() async throws {
    let folder = try StorageFolder()
    try folder.write("file".utf8, to: "file")
    let error = await #expect(throws: LocationError.self) {
      _ = try await SQLiteMonitorStorage(directory: folder("file/in")).open("m")
    }
    #expect(error?.code == .storageUnavailable)
  }

  @Test func aClosedSessionRefusesChanges() async throws {
    let folder = try StorageFolder(isInMemory: true)
    let (session, _) = try await folder.storage.open("m")
    await session.close()
    await #expect(throws: LocationError.self) { try await session.commit([]) }
  }
}

extension SmallDisk {
  var storage: SQLiteMonitorStorage { SQLiteMonitorStorage(directory: path) }
}
