import FileAccess

/// The system calls that store a key, replaceable in tests that interrupt or fail any of them.
///
/// Names are relative to an open folder, so later changes of its path do not matter.
protocol FileCalls {
  /// Creates a folder that only its owner may enter.
  func makeFolder(_ path: String) throws(SystemFailure)
  func openFolder(_ path: String) throws(SystemFailure) -> Int32
  /// Checks that files may be created in a folder; creates none.
  func checkWritable(_ path: String) throws(SystemFailure)
  /// Opens a file for reading; does not follow a symbolic link.
  func openFile(_ name: String, in folder: Int32) throws(SystemFailure) -> Int32
  /// Creates a file for writing; fails if the name exists.
  func makeFile(_ name: String, in folder: Int32) throws(SystemFailure) -> Int32
  func status(of file: Int32) throws(SystemFailure) -> FileStatus
  func setMode(_ mode: UInt32, of file: Int32) throws(SystemFailure)
  /// Reads up to `count` bytes; returns an empty array at the end of the file.
  func read(_ file: Int32, count: Int) throws(SystemFailure) -> [UInt8]
  /// Writes some of the bytes and returns how many.
  func write(_ bytes: [UInt8], to file: Int32) throws(SystemFailure) -> Int
  func synchronize(_ file: Int32) throws(SystemFailure)
  /// Locks a folder until it is closed. Returns false if another process holds the lock.
  func lock(_ folder: Int32) throws(SystemFailure) -> Bool
  /// Creates a second name for a file; fails if the name exists.
  func link(_ name: String, to second: String, in folder: Int32) throws(SystemFailure)
  /// Renames a file and replaces an existing one.
  func rename(_ name: String, to other: String, in folder: Int32) throws(SystemFailure)
  func remove(_ name: String, in folder: Int32) throws(SystemFailure)
  func names(in folder: Int32) throws(SystemFailure) -> [String]
  func close(_ file: Int32)
}

extension FileCalls {
  /// Reads a file to its end, or one byte beyond `limit`.
  func contents(of file: Int32, limit: Int) throws(SystemFailure) -> [UInt8] {
    var contents: [UInt8] = []
    while contents.count <= limit {
      let more = try read(file, count: min(limit + 1 - contents.count, 1 << 16))
      if more.isEmpty { break }
      contents += more
    }
    return contents
  }

  /// Creates a file that only its owner may access, with contents that are on the disk. After a
  /// failure, a part of it may exist.
  func makeFile(
    _ name: String, containing contents: [UInt8], in folder: Int32
  ) throws(SystemFailure) {
    let file = try makeFile(name, in: folder)
    defer { close(file) }
    try setMode(0o600, of: file)  // The umask may have removed bits.
    var rest = contents
    while !rest.isEmpty { rest.removeFirst(try write(rest, to: file)) }
    try synchronize(file)
  }
}

/// The metadata of a file.
struct FileStatus: Hashable, Sendable {
  var isRegular: Bool
  var owner: UInt32
  /// The permission bits.
  var mode: UInt32
  /// The number of hard links.
  var links: UInt64
}
