import AsyncLocation
import CSQLite
import Foundation
import Glibc
import TestSupport
import Testing

@testable import LocationStorage

/// Names, modes, links and owners of the files.
@Suite(.inTurn)
struct AccessTests {
  @Test(
    "F38 names that are no file names are refused, and nothing is written",
    arguments: [
      "", ".", "..", ".hidden", "a/b", "/a", "../a", "a\0b", "a\n", "ä", "a b", "a*",
      String(repeating: "x", count: 129), String(repeating: "x", count: 300),
    ])
  func names(_ name: String) async throws {
    let folder = try StorageFolder()
    let storage = SQLiteMonitorStorage(directory: folder("in"))
    let error = await #expect(throws: LocationError.self) { _ = try await storage.open(name) }
    #expect(error?.code == .invalidValue)
    #expect(folder.names().isEmpty)
  }

  @Test(
    "F38 the longest names are files",
    arguments: ["a", "a..b", "-", "_.", String(repeating: "x", count: 128)])
  func goodNames(_ name: String) async throws {
    let folder = try StorageFolder(isInMemory: true)
    _ = try await folder.storage.content(of: name)
    #expect(folder.names() == ["\(name).sqlite", "\(name).sqlite.lock"])
  }

  @Test("F38 paths that name no file are refused", arguments: ["", "/", "a/", ".", "a/..", "a\0"])
  func paths(_ path: String) async {
    let error = await #expect(throws: LocationError.self) {
      _ = try await SQLiteMonitorStorage(file: path).open("m")
    }
    #expect(error?.code == .invalidValue)
    await #expect(throws: LocationError.self) {
      _ = try await SQLiteMonitorStorage(directory: "a\0").open("m")
    }
  }

  @Test(
    "F35 files have mode 0600 and folders 0700, whatever the umask is",
    arguments: ["000", "022", "777"])
  func modes(_ umask: String) async throws {
    let folder = try StorageFolder()
    let writer = try WriterProcess("monitor-writer", [folder("a/b"), "1"], umask: umask)
    #expect(await writer.line() == "open 0")
    #expect(await writer.line() == "1")
    writer.kill()
    _ = await writer.finish()
    for name in ["a", "a/b"] { #expect(folder.mode(name) == 0o700) }
    for name in ["m.sqlite", "m.sqlite-wal", "m.sqlite.lock"] {
      #expect(folder.mode("a/b/" + name) == 0o600, "\(name)")
    }
  }

  @Test("F35 no symbolic link is followed", arguments: ["", "-wal", "-shm", "-journal", ".lock"])
  func links(_ suffix: String) async throws {
    let folder = try StorageFolder()
    let storage = SQLiteMonitorStorage(directory: folder("in"))
    _ = try await storage.content()
    for target in [folder("target"), folder("nowhere")] {
      try folder.write("target".utf8, to: "target")
      try? FileManager.default.removeItem(atPath: folder("in/m.sqlite" + suffix))
      try FileManager.default.createSymbolicLink(
        atPath: folder("in/m.sqlite" + suffix), withDestinationPath: target)
      let error = await #expect(throws: LocationError.self) { _ = try await storage.open("m") }
      #expect(error?.code == .storageUnavailable)
      #expect(error?.message.contains("symbolic link") == true)
      #expect(try folder.bytes("target") == Array("target".utf8))
      #expect(folder.names() == ["in", "target"])
      try FileManager.default.removeItem(atPath: folder("in/m.sqlite" + suffix))
    }
  }

  @Test("F35 a link to the directory is followed, since its owner made it")
  func linkedDirectory() async throws {
    let folder = try StorageFolder()
    try FileManager.default.createDirectory(
      atPath: folder("real"), withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
    try FileManager.default.createSymbolicLink(
      atPath: folder("link"), withDestinationPath: folder("real"))
    let (session, _) = try await SQLiteMonitorStorage(directory: folder("link")).open("m")
    // The two paths are one monitor.
    let error = await #expect(throws: LocationError.self) {
      _ = try await SQLiteMonitorStorage(directory: folder("real")).open("m")
    }
    #expect(error?.code == .monitorInUse)
    await session.close()
  }

  @Test(
    "F35 a directory that others can write is refused", arguments: [0o770, 0o702, 0o777, 0o1777])
  func openDirectories(_ mode: Int) async throws {
    let folder = try StorageFolder()
    #expect(chmod(folder.path, mode_t(mode)) == 0)
    let error = await #expect(throws: LocationError.self) { _ = try await folder.storage.open("m") }
    #expect(error?.code == .storageUnavailable)
    #expect(error?.message.contains("use a directory that only its owner can write") == true)
    #expect(folder.names().isEmpty)
  }

  @Test("F35 a directory that others can read is used")
  func readableDirectory() async throws {
    let folder = try StorageFolder()
    #expect(chmod(folder.path, 0o755) == 0)
    _ = try await folder.storage.content()
    #expect(folder.mode("m.sqlite") == 0o600)
  }

  @Test("F35 a file that others can access is refused", arguments: [0o640, 0o604, 0o666])
  func openFiles(_ mode: Int) async throws {
    let folder = try StorageFolder()
    _ = try await folder.storage.content()
    #expect(chmod(folder("m.sqlite"), mode_t(mode)) == 0)
    let error = await #expect(throws: LocationError.self) { _ = try await folder.storage.open("m") }
    #expect(error?.message.contains("chmod 600 \(folder("m.sqlite"))") == true)
  }

  @Test(
    "F35 folders and files of other users are refused", .enabled(if: geteuid() == 0, "needs root"))
  func owners() async throws {
    let folder = try StorageFolder()
    _ = try await folder.storage.content()
    for name in ["", "m.sqlite", "m.sqlite.lock"] {
      #expect(chown(folder(name), 12_345, 12_345) == 0)
      let error = await #expect(throws: LocationError.self) {
        _ = try await folder.storage.open("m")
      }
      #expect(error?.message.contains("belongs to user 12345") == true)
      #expect(chown(folder(name), 0, 0) == 0)
    }
    _ = try await folder.storage.content()
  }

  @Test("F35 a file that is not regular is refused without waiting for it")
  func specialFiles() async throws {
    let folder = try StorageFolder()
    for suffix in ["", ".lock", "-wal"] {
      #expect(mkfifo(folder("m.sqlite" + suffix), 0o600) == 0)
      let error = await #expect(throws: LocationError.self) {
        _ = try await folder.storage.open("m")
      }
      #expect(error?.message.contains("regular file") == true)
      try folder.removeAll()
    }
  }

  @Test("F51 messages escape what paths contain")
  func hostilePaths() async throws {
    let folder = try StorageFolder()
    let path = folder("a\u{1B}[31m\n")
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o777])
    #expect(chmod(path, 0o777) == 0)
    let error = await #expect(throws: LocationError.self) {
      _ = try await SQLiteMonitorStorage(directory: path).open("m")
    }
    #expect(error?.message.utf8.allSatisfy { $0 >= 0x20 } == true)
  }
}
