import AsyncLocation
import Foundation
import Glibc
import LocationStorage

/// A folder for files of monitors, removed with its last reference.
final class StorageFolder: Sendable {
  let path: String

  /// - Parameter isInMemory: Whether the folder is in memory if possible, for tests with many
  ///   files.
  init(isInMemory: Bool = false) throws {
    let parent = isInMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(parent)/storage-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var storage: SQLiteMonitorStorage { SQLiteMonitorStorage(directory: path) }

  /// The path of a file.
  func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

  func names() -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: self(name))))
  }

  /// Replaces a file with one of mode 0600.
  func write(_ bytes: some Sequence<UInt8>, to name: String) throws {
    try? FileManager.default.removeItem(atPath: self(name))
    let file = open(self(name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    defer { close(file) }
    let bytes = Array(bytes)
    guard Glibc.write(file, bytes, bytes.count) == bytes.count else {
      throw POSIXError(.init(rawValue: errno) ?? .EIO)
    }
  }

  func removeAll() throws {
    for name in names() { try FileManager.default.removeItem(atPath: self(name)) }
  }

  /// The permission bits of a file; 0 if it does not exist.
  func mode(_ name: String) -> UInt32 {
    var status = stat()
    return lstat(self(name), &status) == 0 ? status.st_mode & 0o7777 : 0
  }
}

extension StoredMonitor {
  /// The content with the conditions in one order and without the problem.
  var sorted: Self {
    Self(
      conditions: conditions.sorted { $0.identifier < $1.identifier }, events: events,
      lastNumber: lastNumber)
  }
}

extension MonitorStorage {
  /// Opens a monitor, reads its content and closes it.
  func content(of name: String = "m") async throws(LocationError) -> StoredMonitor {
    let (session, stored) = try await open(name)
    await session.close()
    return stored
  }
}
