import Foundation
import Glibc

/// A folder for the files of a test, removed with its last reference.
final class TestFolder: Sendable {
  let path = NSTemporaryDirectory() + "test-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file and returns its path.
  func write(_ bytes: [UInt8], to name: String = "file", mode: mode_t = 0o600) throws -> String {
    let path = "\(path)/\(name)"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    chmod(path, mode)
    return path
  }

  func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path) }

  func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
  }
}
