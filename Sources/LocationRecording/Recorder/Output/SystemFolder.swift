import FileAccess

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A folder of the system. Later changes of its path do not matter.
final class SystemFolder: OutputFolder {
  private let descriptor: Int32

  /// Opens a folder that exists. Links in its path are followed.
  init(_ path: String) throws(SystemFailure) {
    descriptor = try SystemFailure.check {
      Self.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
  }

  deinit { close(descriptor) }

  private static func open(_ path: String, _ flags: Int32) -> Int32 {
    #if canImport(Glibc)
      unsafe Glibc.open(path, flags)
    #elseif canImport(Musl)
      unsafe Musl.open(path, flags)
    #elseif canImport(Darwin)
      unsafe Darwin.open(path, flags)
    #endif
  }

  func status(of name: String) throws(SystemFailure) -> OutputStatus? {
    var found = stat()
    do throws(SystemFailure) {
      try SystemFailure.check { unsafe fstatat(descriptor, name, &found, AT_SYMLINK_NOFOLLOW) }
      return OutputStatus(found)
    } catch {
      if error.number == ENOENT { return nil }
      throw error
    }
  }

  func create(_ name: String) throws(SystemFailure) -> any OutputFile {
    let file = try open(name, O_CREAT | O_EXCL)
    try file.setMode(0o600)  // The umask may have removed bits.
    return file
  }

  func open(_ name: String) throws(SystemFailure) -> any OutputFile { try open(name, 0) }

  private func open(_ name: String, _ flags: Int32) throws(SystemFailure) -> SystemFile {
    let flags = flags | O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    return SystemFile(
      try SystemFailure.check { unsafe openat(descriptor, name, flags, 0o600) })
  }

  func rename(_ name: String, to other: String) throws(SystemFailure) {
    try SystemFailure.check { unsafe renameat(descriptor, name, descriptor, other) }
  }

  func remove(_ name: String) throws(SystemFailure) {
    try SystemFailure.check { unsafe unlinkat(descriptor, name, 0) }
  }

  func synchronize() throws(SystemFailure) {
    do throws(SystemFailure) {
      try SystemFailure.check { fsync(descriptor) }
    } catch {
      // Some file systems do not support `fsync` on a folder.
      if error.number != EINVAL { throw error }
    }
  }
}

/// A file of the system.
final class SystemFile: OutputFile {
  private let descriptor: Int32

  /// - Parameter descriptor: An open descriptor, which no one else closes.
  fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit {
    // A process that is being started has a copy of the descriptor, so closing this one would not
    // end the lock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  fileprivate func setMode(_ mode: UInt32) throws(SystemFailure) {
    try SystemFailure.check { fchmod(descriptor, mode_t(mode)) }
  }

  func status() throws(SystemFailure) -> OutputStatus {
    var found = stat()
    try SystemFailure.check { unsafe fstat(descriptor, &found) }
    return OutputStatus(found)
  }

  func lock() throws(SystemFailure) -> Bool {
    do throws(SystemFailure) {
      try SystemFailure.check { flock(descriptor, LOCK_EX | LOCK_NB) }
      return true
    } catch {
      switch error.number {
      case EWOULDBLOCK: return false
      // A file system without locks cannot prevent a second recorder.
      case ENOLCK, EOPNOTSUPP, ENOSYS: return true
      default: throw error
      }
    }
  }

  func read(_ count: Int, at offset: Int) throws(SystemFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let length = try SystemFailure.check {
      unsafe pread(descriptor, &bytes, count, off_t(offset))
    }
    return Array(bytes.prefix(length))
  }

  func write(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(SystemFailure) -> Int {
    try SystemFailure.check {
      unsafe bytes.withUnsafeBytes {
        unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset))
      }
    }
  }

  func truncate(to length: Int) throws(SystemFailure) {
    try SystemFailure.check { ftruncate(descriptor, off_t(length)) }
  }

  func synchronize() throws(SystemFailure) {
    #if canImport(Darwin)
      try SystemFailure.check { fcntl(descriptor, F_FULLFSYNC) }
    #else
      try SystemFailure.check { fdatasync(descriptor) }
    #endif
  }
}

extension OutputStatus {
  fileprivate init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFLNK: .link
      case S_IFDIR: .folder
      default: .other
      }
    owner = status.st_uid
    mode = UInt32(status.st_mode & 0o7777)
    links = Int(status.st_nlink)
    length = Int(status.st_size)
  }
}

extension SystemFailure {
  /// The name exists.
  static var exists: Self { Self(EEXIST) }
  /// The name is a symbolic link.
  static var link: Self { Self(ELOOP) }
  /// The file was removed or cut by another program. No call of the system fails with this number.
  static var lost: Self { Self(-1) }
  /// The file cannot grow.
  static var full: Self { Self(ENOSPC) }

  /// The user of this process.
  static var user: UInt32 { geteuid() }
}
