import Foundation
import Glibc
import LocationRecording

/// A folder for recordings, removed with its last reference.
final class RecordingFolder: Sendable {
  let path: String
  private let disk: String?

  /// - Parameter kibibytes: The size of a file system in memory; nil for the system's folder.
  init(kibibytes: Int? = nil) throws {
    let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    var template = Array("\(parent)/recording-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    if let kibibytes {
      guard mount("tmpfs", path, "tmpfs", 0, "size=\(kibibytes)k,mode=700") == 0 else {
        throw POSIXError(.init(rawValue: errno) ?? .EPERM)
      }
      disk = path
    } else {
      disk = nil
    }
  }

  deinit {
    if let disk { umount2(disk, Int32(MNT_DETACH)) }
    try? FileManager.default.removeItem(atPath: path)
  }

  static let canMount = (try? RecordingFolder(kibibytes: 64)) != nil

  /// The path of a file.
  func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  func text(_ name: String) throws -> String {
    try String(contentsOfFile: self(name), encoding: .utf8)
  }

  func write(_ text: String, to name: String) throws {
    try text.write(toFile: self(name), atomically: false, encoding: .utf8)
    guard chmod(self(name), 0o600) == 0 else { throw POSIXError(.EPERM) }
  }

  /// The type and permission bits of what has a name; nil if nothing has it.
  func mode(_ name: String) -> UInt32? {
    var status = stat()
    return lstat(self(name), &status) == 0 ? status.st_mode : nil
  }

  /// Fills the disk.
  func fill() {
    let file = open(self("filler"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer { close(file) }
    for size in [4096, 256, 1] {
      let block = [UInt8](repeating: 1, count: size)
      while Glibc.write(file, block, size) > 0 {}
    }
  }

  func empty() throws { try FileManager.default.removeItem(atPath: self("filler")) }
}
