#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The file calls of the operating system.
package struct SystemFileCalls: FileCalls {
  package init() {}

  package func makeFolder(_ path: String) throws(SystemFailure) {
    try SystemFailure.check { unsafe mkdir(path, 0o700) }
  }

  package func openFolder(
    _ path: String, followsLinks: Bool
  ) throws(SystemFailure) -> Int32 {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW)
    return try SystemFailure.check { unsafe openat(AT_FDCWD, path, flags) }
  }

  package func setMode(_ mode: UInt32, ofFolder path: String) throws(SystemFailure) {
    do throws(SystemFailure) {
      try SystemFailure.check {
        unsafe fchmodat(AT_FDCWD, path, mode_t(mode), AT_SYMLINK_NOFOLLOW)
      }
    } catch {
      // glibc supports this flag only with `/proc`, or from Linux 6.6 on.
      guard error.number == EOPNOTSUPP else { throw error }
      let folder = try openFolder(path, followsLinks: false)
      defer { close(folder) }
      try setMode(mode, of: folder)
    }
  }

  package func checkWritable(_ path: String) throws(SystemFailure) {
    try SystemFailure.check { unsafe faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) }
  }

  package func openFile(
    _ name: String, in folder: Int32, _ purpose: FilePurpose
  ) throws(SystemFailure) -> Int32 {
    let access =
      switch purpose {
      case .reading: O_RDONLY
      case .writing: O_WRONLY
      case .readingAndWriting: O_RDWR
      }
    return try SystemFailure.check {
      unsafe openat(folder, name, access | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    }
  }

  package func openFile(at path: String) throws(SystemFailure) -> Int32 {
    let file = try SystemFailure.check {
      unsafe open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    }
    // Only `open` must not block; `read` may.
    _ = fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK)
    return file
  }

  package func makeFile(_ name: String, in folder: Int32) throws(SystemFailure) -> Int32 {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC
    return try SystemFailure.check { unsafe openat(folder, name, flags, 0o600) }
  }

  package func status(of file: Int32) throws(SystemFailure) -> FileStatus {
    var found = stat()
    try SystemFailure.check { unsafe fstat(file, &found) }
    return FileStatus(found)
  }

  package func status(
    of name: String, in folder: Int32
  ) throws(SystemFailure) -> FileStatus? {
    var found = stat()
    do throws(SystemFailure) {
      try SystemFailure.check { unsafe fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) }
      return FileStatus(found)
    } catch {
      guard error == .missing else { throw error }
      return nil
    }
  }

  package func setMode(_ mode: UInt32, of file: Int32) throws(SystemFailure) {
    try SystemFailure.check { fchmod(file, mode_t(mode)) }
  }

  package func read(
    _ file: Int32, _ count: Int, at offset: Int
  ) throws(SystemFailure) -> [UInt8] {
    try unsafe Self.bytes(count) { unsafe pread(file, $0.baseAddress, $0.count, off_t(offset)) }
  }

  package func readNext(_ file: Int32, _ count: Int) throws(SystemFailure) -> [UInt8] {
    #if canImport(Glibc)
      try unsafe Self.bytes(count) { unsafe Glibc.read(file, $0.baseAddress, $0.count) }
    #elseif canImport(Musl)
      try unsafe Self.bytes(count) { unsafe Musl.read(file, $0.baseAddress, $0.count) }
    #elseif canImport(Darwin)
      try unsafe Self.bytes(count) { unsafe Darwin.read(file, $0.baseAddress, $0.count) }
    #endif
  }

  /// Makes a call that reads into a buffer of `count` bytes, and returns the bytes that it read.
  private static func bytes(
    _ count: Int, _ read: (UnsafeMutableBufferPointer<UInt8>) -> Int
  ) throws(SystemFailure) -> [UInt8] {
    var failure: SystemFailure?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
      do throws(SystemFailure) {
        length = try SystemFailure.check { unsafe read(buffer) }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  package func write(
    _ bytes: ArraySlice<UInt8>, to file: Int32, at offset: Int
  ) throws(SystemFailure) -> Int {
    try SystemFailure.check {
      unsafe bytes.withUnsafeBytes {
        unsafe pwrite(file, $0.baseAddress, $0.count, off_t(offset))
      }
    }
  }

  package func truncate(_ file: Int32, to length: Int) throws(SystemFailure) {
    try SystemFailure.check { ftruncate(file, off_t(length)) }
  }

  package func synchronize(_ file: Int32) throws(SystemFailure) {
    #if canImport(Darwin)
      try SystemFailure.check { fcntl(file, F_FULLFSYNC) }
    #else
      try SystemFailure.check { fdatasync(file) }
    #endif
  }

  package func synchronizeNames(of folder: Int32) throws(SystemFailure) {
    do throws(SystemFailure) {
      try SystemFailure.check { fsync(folder) }
    } catch {
      // Some file systems do not support `fsync` on a folder.
      guard error.number == EINVAL else { throw error }
    }
  }

  package func lock(_ file: Int32) throws(SystemFailure) -> Bool {
    do throws(SystemFailure) {
      try SystemFailure.check { flock(file, LOCK_EX | LOCK_NB) }
      return true
    } catch {
      guard error.number == EWOULDBLOCK else { throw error }
      return false
    }
  }

  package func unlock(_ file: Int32) { flock(file, LOCK_UN) }

  package func link(
    _ name: String, to second: String, in folder: Int32
  ) throws(SystemFailure) {
    try SystemFailure.check { unsafe linkat(folder, name, folder, second, 0) }
  }

  package func rename(
    _ name: String, to other: String, in folder: Int32
  ) throws(SystemFailure) {
    try SystemFailure.check { unsafe renameat(folder, name, folder, other) }
  }

  package func remove(_ name: String, in folder: Int32) throws(SystemFailure) {
    try SystemFailure.check { unsafe unlinkat(folder, name, 0) }
  }

  package func names(in folder: Int32) throws(SystemFailure) -> [String] {
    // `closedir` closes the descriptor of its stream, so the stream gets a descriptor of its own,
    // which also has a separate position.
    let descriptor = try SystemFailure.check {
      unsafe openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    guard let stream = unsafe fdopendir(descriptor) else {
      let failure = SystemFailure(errno)
      close(descriptor)
      throw failure
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while true {
      // `readdir` returns nil at the end and after a failure; only `errno` distinguishes the two.
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        guard errno == 0 else { throw SystemFailure(errno) }
        return names
      }
      names.append(
        unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
          unsafe String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
        })
    }
  }

  package func close(_ file: Int32) {
    #if canImport(Glibc)
      _ = Glibc.close(file)
    #elseif canImport(Musl)
      _ = Musl.close(file)
    #elseif canImport(Darwin)
      _ = Darwin.close(file)
    #endif
  }
}

extension FileStatus {
  /// Reads the metadata of the file at a path.
  package init(ofPath path: String, followsLinks: Bool) throws(SystemFailure) {
    var found = stat()
    let flags = followsLinks ? 0 : AT_SYMLINK_NOFOLLOW
    try SystemFailure.check { unsafe fstatat(AT_FDCWD, path, &found, flags) }
    self.init(found)
  }

  fileprivate init(_ status: stat) {
    let kind: Kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFLNK: .link
      case S_IFDIR: .folder
      default: .other
      }
    self.init(
      kind: kind, owner: status.st_uid, mode: UInt32(status.st_mode & 0o7777),
      links: Int(status.st_nlink), length: Int(status.st_size), inode: UInt64(status.st_ino),
      modified: status.modified, changed: status.changed)
  }
}

extension stat {
  #if canImport(Darwin)
    fileprivate var modified: FileTime { FileTime(st_mtimespec) }
    fileprivate var changed: FileTime { FileTime(st_ctimespec) }
  #else
    fileprivate var modified: FileTime { FileTime(st_mtim) }
    fileprivate var changed: FileTime { FileTime(st_ctim) }
  #endif
}

extension FileTime {
  fileprivate init(_ time: timespec) {
    self.init(seconds: Int(time.tv_sec), nanoseconds: Int(time.tv_nsec))
  }
}
