import Foundation
import Glibc
import Testing

/// A small file system in memory for the storage of a publisher, unmounted with its last reference.
/// A mount needs root.
final class SmallDisk: Sendable {
  let path: String

  /// Holds SQLite's log at its largest, 4 MB, several times: the log is emptied only if the file has
  /// space for what it holds.
  init(kibibytes: Int = 16_384) throws {
    path = NSTemporaryDirectory() + "disk-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    guard mount("tmpfs", path, "tmpfs", 0, "size=\(kibibytes)k,mode=700") == 0 else {
      throw POSIXError(.init(rawValue: errno) ?? .EPERM)
    }
  }

  deinit {
    umount2(path, Int32(MNT_DETACH))
    rmdir(path)
  }

  /// Fills the disk to the last byte.
  func fill() {
    let file = open(path + "/filler", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer { close(file) }
    let block = [UInt8](repeating: 1, count: 4_096)
    while write(file, block, block.count) > 0 {}
  }

  func empty() throws {
    // A child of another test may have a copy of the descriptor, which would keep the space.
    truncate(path + "/filler", 0)
    try FileManager.default.removeItem(atPath: path + "/filler")
  }

  static let isPossible = (try? SmallDisk()) != nil
}
