/// The system calls that keep a key, so that a test can stop or fail any one of them.
///
/// Names are relative to an open folder: what happens to its path meanwhile does not matter.
protocol FileCalls {
  /// Makes a folder that only its owner may enter.
  func makeFolder(_ path: String) throws(SystemFailure)
  func openFolder(_ path: String) throws(SystemFailure) -> Int32
  /// Fails where no file can be made in a folder for want of rights; makes none.
  func checkWritable(_ path: String) throws(SystemFailure)
  /// Opens for reading and follows no symbolic link.
  func openFile(_ name: String, in folder: Int32) throws(SystemFailure) -> Int32
  /// Makes a file that was not there, for writing.
  func makeFile(_ name: String, in folder: Int32) throws(SystemFailure) -> Int32
  func status(of file: Int32) throws(SystemFailure) -> FileStatus
  func setMode(_ mode: UInt32, of file: Int32) throws(SystemFailure)
  /// Some of what follows; nothing at the end.
  func read(_ file: Int32, count: Int) throws(SystemFailure) -> [UInt8]
  /// Writes some, and returns how many.
  func write(_ bytes: [UInt8], to file: Int32) throws(SystemFailure) -> Int
  func synchronize(_ file: Int32) throws(SystemFailure)
  /// Locks a folder until it is closed; false when somebody else has it locked.
  func lock(_ folder: Int32) throws(SystemFailure) -> Bool
  /// Gives a file a second name; fails where that is taken.
  func link(_ name: String, to second: String, in folder: Int32) throws(SystemFailure)
  /// Gives a file another name, and takes that from whoever has it.
  func rename(_ name: String, to other: String, in folder: Int32) throws(SystemFailure)
  func remove(_ name: String, in folder: Int32) throws(SystemFailure)
  func names(in folder: Int32) throws(SystemFailure) -> [String]
  func close(_ file: Int32)
}

/// A system call's error number.
struct SystemFailure: Error, Hashable, CustomStringConvertible {
  let number: Int32

  init(_ number: Int32) { self.number = number }
}

/// What a file is.
struct FileStatus: Hashable, Sendable {
  var isRegular: Bool
  var owner: UInt32
  /// The permission bits.
  var mode: UInt32
  /// How many names it has.
  var links: UInt64
}
