import FileAccess
import Glibc

/// The real system calls. Calls interrupted by a signal are repeated.
struct SystemFileCalls: FileCalls {
  func makeFolder(_ path: String) throws(SystemFailure) {
    try SystemFailure.check { unsafe mkdir(path, 0o700) }
  }

  func openFolder(_ path: String) throws(SystemFailure) -> Int32 {
    try SystemFailure.check { unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
  }

  func checkWritable(_ path: String) throws(SystemFailure) {
    try SystemFailure.check { unsafe faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) }
  }

  func openFile(_ name: String, in folder: Int32) throws(SystemFailure) -> Int32 {
    // Without `O_NONBLOCK`, opening a FIFO would block.
    try SystemFailure.check {
      unsafe openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    }
  }

  func makeFile(_ name: String, in folder: Int32) throws(SystemFailure) -> Int32 {
    try SystemFailure.check {
      unsafe openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }
  }

  func status(of file: Int32) throws(SystemFailure) -> FileStatus {
    var found = stat()
    try SystemFailure.check { unsafe fstat(file, &found) }
    return FileStatus(
      isRegular: found.st_mode & S_IFMT == S_IFREG, owner: found.st_uid,
      mode: found.st_mode & 0o7777, links: UInt64(found.st_nlink))
  }

  func setMode(_ mode: UInt32, of file: Int32) throws(SystemFailure) {
    try SystemFailure.check { fchmod(file, mode) }
  }

  func read(_ file: Int32, count: Int) throws(SystemFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let read = try SystemFailure.check { unsafe Glibc.read(file, &bytes, count) }
    return Array(bytes.prefix(read))
  }

  func write(_ bytes: [UInt8], to file: Int32) throws(SystemFailure) -> Int {
    try SystemFailure.check { unsafe Glibc.write(file, bytes, bytes.count) }
  }

  func synchronize(_ file: Int32) throws(SystemFailure) {
    do throws(SystemFailure) {
      try SystemFailure.check { fsync(file) }
    } catch {
      // Some file systems do not support `fsync` on a folder and return `EINVAL`.
      if error.number != EINVAL { throw error }
    }
  }

  func lock(_ folder: Int32) throws(SystemFailure) -> Bool {
    do throws(SystemFailure) {
      try SystemFailure.check { flock(folder, LOCK_EX | LOCK_NB) }
      return true
    } catch {
      guard error.number == EWOULDBLOCK else { throw error }
      return false
    }
  }

  func link(_ name: String, to second: String, in folder: Int32) throws(SystemFailure) {
    try SystemFailure.check { unsafe linkat(folder, name, folder, second, 0) }
  }

  func rename(_ name: String, to other: String, in folder: Int32) throws(SystemFailure) {
    try SystemFailure.check { unsafe renameat(folder, name, folder, other) }
  }

  func remove(_ name: String, in folder: Int32) throws(SystemFailure) {
    try SystemFailure.check { unsafe unlinkat(folder, name, 0) }
  }

  func names(in folder: Int32) throws(SystemFailure) -> [String] {
    let copy = try SystemFailure.check {
      unsafe openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    guard let stream = unsafe fdopendir(copy) else {
      let failure = SystemFailure(errno)
      close(copy)
      throw failure
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      names.append(
        unsafe withUnsafePointer(to: &entry.pointee.d_name) {
          unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
        })
    }
    return names
  }

  func close(_ file: Int32) { _ = Glibc.close(file) }
}
