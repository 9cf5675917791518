import FileAccess
import Glibc

/// An open folder. Names are relative to it, so later changes of its path do not matter. No call
/// follows a symbolic link.
struct Folder: ~Copyable {
  /// Absolute and without symbolic links.
  let path: String
  private let descriptor: Descriptor

  private init(path: String, _ descriptor: consuming Descriptor) {
    self.path = path
    self.descriptor = descriptor
  }

  /// Opens a folder that exists. Links in its path are followed.
  static func open(_ path: String) throws(SystemFailure) -> Self {
    guard let resolved = unsafe realpath(path, nil) else { throw SystemFailure(errno) }
    defer { unsafe free(resolved) }
    let path = unsafe String(cString: resolved)
    let descriptor = Descriptor(
      try SystemFailure.check {
        unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      })
    return Self(path: path, descriptor)
  }

  /// Creates a folder that only its owner may enter, and its missing ancestors. Does nothing if it
  /// exists.
  static func create(_ path: String) throws(SystemFailure) {
    do throws(SystemFailure) {
      try SystemFailure.check { unsafe mkdir(path, 0o700) }
    } catch {
      if error.number == EEXIST { return }
      guard error.number == ENOENT, let parent = parent(of: path) else { throw error }
      try create(parent)
      do throws(SystemFailure) {
        try SystemFailure.check { unsafe mkdir(path, 0o700) }
      } catch {
        if error.number == EEXIST { return }
        throw error
      }
    }
    // The umask may have removed bits, also those that opening needs.
    try SystemFailure.check { unsafe fchmodat(AT_FDCWD, path, 0o700, AT_SYMLINK_NOFOLLOW) }
    try open(parent(of: path) ?? ".").synchronize()
  }

  /// The folder above a path; nil for a path without one.
  private static func parent(of path: String) -> String? {
    var path = path[...]
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    guard path != "/", let slash = path.lastIndex(of: "/") else { return nil }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  func status() throws(SystemFailure) -> FileStatus { try descriptor.status() }

  /// The metadata of a file, or of a link itself; nil if there is none.
  func status(of name: String) throws(SystemFailure) -> FileStatus? {
    var found = stat()
    do throws(SystemFailure) {
      try SystemFailure.check {
        unsafe fstatat(descriptor.number, name, &found, AT_SYMLINK_NOFOLLOW)
      }
      return FileStatus(found)
    } catch {
      if error.number == ENOENT { return nil }
      throw error
    }
  }

  func open(_ name: String, _ flags: Int32) throws(SystemFailure) -> Descriptor {
    Descriptor(
      try SystemFailure.check {
        unsafe openat(descriptor.number, name, flags | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, 0o600)
      })
  }

  /// Creates an empty file that only its owner may read and write. Throws if the name exists.
  func create(_ name: String) throws(SystemFailure) {
    try open(name, O_WRONLY | O_CREAT | O_EXCL).setMode(0o600)
  }

  /// The name of a file until it is complete: of no other program's file.
  static func draftName(of name: String) -> String { "\(name).async-location-new" }

  /// Creates a file with contents, complete or not at all, and writes it to the disk.
  func create(_ name: String, containing contents: String) throws(SystemFailure) {
    let draft = Self.draftName(of: name)
    try remove(draft)
    try create(draft)
    let file = try open(draft, O_WRONLY)
    try file.write(Array(contents.utf8)[...])
    try file.synchronize()
    try rename(draft, to: name)
    try synchronize()
  }

  /// Reads the beginning of a file.
  ///
  /// - Parameter limit: The largest number of bytes.
  func beginning(of name: String, limit: Int = 128) throws(SystemFailure) -> [UInt8] {
    let file = try open(name, O_RDONLY | O_NONBLOCK)
    var buffer = [UInt8](repeating: 0, count: limit)
    let count = try SystemFailure.check { unsafe read(file.number, &buffer, buffer.count) }
    return Array(buffer[..<count])
  }

  func rename(_ name: String, to other: String) throws(SystemFailure) {
    try SystemFailure.check {
      unsafe renameat(descriptor.number, name, descriptor.number, other)
    }
  }

  /// Removes a file. Does nothing if there is none.
  func remove(_ name: String) throws(SystemFailure) {
    do throws(SystemFailure) {
      try SystemFailure.check { unsafe unlinkat(descriptor.number, name, 0) }
    } catch {
      if error.number != ENOENT { throw error }
    }
  }

  /// The names of the files, in any order.
  func names() throws(SystemFailure) -> [String] {
    let copy = try open(".", O_RDONLY | O_DIRECTORY)
    // `closedir` closes its descriptor.
    let number = try SystemFailure.check { fcntl(copy.number, F_DUPFD_CLOEXEC, 0) }
    guard let stream = unsafe fdopendir(number) else {
      let failure = SystemFailure(errno)
      Glibc.close(number)
      throw failure
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        guard errno == 0 else { throw SystemFailure(errno) }
        return names
      }
      names.append(
        unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
          unsafe String(
            cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
        })
    }
  }

  /// Writes a file to the disk.
  func synchronize(_ name: String) throws(SystemFailure) {
    try open(name, O_RDONLY).synchronize()
  }

  /// Writes the names to the disk.
  func synchronize() throws(SystemFailure) { try descriptor.synchronize() }

  /// Copies a file into a new file of another folder.
  func copy(_ name: String, to other: borrowing Folder) throws(SystemFailure) {
    let source = try open(name, O_RDONLY)
    try other.create(name)
    let target = try other.open(name, O_WRONLY)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try SystemFailure.check { unsafe read(source.number, &buffer, buffer.count) }
      if count == 0 { return }
      try target.write(buffer[..<count])
    }
  }
}
