import Foundation
import Glibc

/// A small file system in memory, unmounted with its last reference. A mount needs root.
package final class SmallDisk: Sendable {
  package let path: String

  package init(kibibytes: Int) throws {
    var template = Array("/tmp/small-disk-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard mount("tmpfs", path, "tmpfs", 0, "size=\(kibibytes)k,mode=700") == 0 else {
      let error = POSIXError(.init(rawValue: errno) ?? .EPERM)
      rmdir(path)
      throw error
    }
  }

  deinit {
    umount2(path, Int32(MNT_DETACH))
    rmdir(path)
  }

  /// Whether this process may mount a file system.
  package static let isPossible = (try? SmallDisk(kibibytes: 64)) != nil

  /// The path of a file.
  package func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

  package func setReadOnly(_ isReadOnly: Bool) async throws {
    let flags = UInt(MS_REMOUNT) | (isReadOnly ? UInt(MS_RDONLY) : 0)
    while mount("tmpfs", path, "tmpfs", flags, nil) != 0 {
      // A child of another test has copies of all descriptors until it executes its program.
      guard errno == EBUSY else { throw POSIXError(.init(rawValue: errno) ?? .EPERM) }
      await Task.yield()
    }
  }

  /// Fills the disk except for a number of bytes.
  package func fill(leaving bytes: Int = 0) async throws {
    // A child of another test has a copy of a removed file's descriptor until it executes its
    // program, and keeps the file's space.
    while hasRemovedFiles { await Task.yield() }
    let file = open(self("filler"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    defer { close(file) }
    let block = [UInt8](repeating: 1, count: 4_096)
    while write(file, block, block.count) > 0 {}
    if bytes > 0 {
      var status = stat()
      fstat(file, &status)
      ftruncate(file, status.st_size - bytes)
    }
  }

  /// Removes what ``fill(leaving:)`` has written.
  package func empty() throws {
    // A child of another test may have a copy of the descriptor, which would keep the space.
    truncate(self("filler"), 0)
    try FileManager.default.removeItem(atPath: self("filler"))
  }

  /// Whether more space is used than by the files that have a name.
  private var hasRemovedFiles: Bool {
    var system = statvfs()
    statvfs(path, &system)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    let namedBytes = names.reduce(0) { sum, name in
      var status = stat()
      return lstat(self(name), &status) == 0 ? sum + Int(status.st_blocks) * 512 : sum
    }
    return Int(system.f_blocks - system.f_bfree) * Int(system.f_frsize) > namedBytes
  }
}
