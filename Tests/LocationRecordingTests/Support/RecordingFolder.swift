import Foundation
import Glibc
import LocationRecording

/// A folder for recordings, removed with its files on deallocation.
final class RecordingFolder: Sendable {
  let path: String

  init() throws {
    let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    var template = Array("\(parent)/recording-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a file.
  func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  func text(_ name: String) throws -> String {
    try String(contentsOfFile: self(name), encoding: .utf8)
  }

  /// Writes a file that only its owner can read and write.
  func write(_ text: String, to name: String) throws {
    try text.write(toFile: self(name), atomically: false, encoding: .utf8)
    guard chmod(self(name), 0o600) == 0 else { throw POSIXError(.EPERM) }
  }

  /// Returns the type and permission bits of the item with a name; nil if there is none.
  func mode(_ name: String) -> UInt32? {
    var status = stat()
    return lstat(self(name), &status) == 0 ? status.st_mode : nil
  }
}
