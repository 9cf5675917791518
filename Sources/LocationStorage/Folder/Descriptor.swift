import FileAccess
import Glibc

/// An open file or folder, closed once.
struct Descriptor: ~Copyable {
  let number: Int32

  /// - Parameter number: An open descriptor, which no one else closes.
  init(_ number: Int32) { self.number = number }

  deinit { close(number) }

  func status() throws(SystemFailure) -> FileStatus {
    var found = stat()
    try SystemFailure.check { unsafe fstat(number, &found) }
    return FileStatus(found)
  }

  /// Sets the permission bits, which the umask may have removed.
  func setMode(_ mode: UInt32) throws(SystemFailure) {
    try SystemFailure.check { fchmod(number, mode) }
  }

  /// Writes all bytes.
  func write(_ bytes: ArraySlice<UInt8>) throws(SystemFailure) {
    var rest = bytes
    while !rest.isEmpty {
      let written = try SystemFailure.check {
        unsafe rest.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
      }
      rest.removeFirst(written)
    }
  }

  /// Writes everything to the disk.
  func synchronize() throws(SystemFailure) {
    do throws(SystemFailure) {
      try SystemFailure.check { fsync(number) }
    } catch {
      // Some file systems do not support `fsync` on a folder.
      if error.number != EINVAL { throw error }
    }
  }
}

/// The metadata of a file.
struct FileStatus: Hashable {
  let isRegular: Bool
  let isLink: Bool
  let owner: UInt32
  /// The permission bits.
  let mode: UInt32
  let size: Int64

  init(_ status: stat) {
    isRegular = status.st_mode & S_IFMT == S_IFREG
    isLink = status.st_mode & S_IFMT == S_IFLNK
    owner = status.st_uid
    mode = status.st_mode & 0o7777
    size = Int64(status.st_size)
  }
}
