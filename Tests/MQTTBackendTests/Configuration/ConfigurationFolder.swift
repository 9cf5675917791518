import Foundation
import Glibc

/// A folder for files of a configuration, removed with its last reference.
final class ConfigurationFolder: Sendable {
  let path = NSTemporaryDirectory() + "configuration-\(UUID().uuidString)"

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
}
