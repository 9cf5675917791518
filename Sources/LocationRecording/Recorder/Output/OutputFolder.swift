import FileAccess

/// The folder of a recorder's files: the system's, or one in memory in tests.
///
/// Its calls may block. A name is that of a file in the folder, never a path.
protocol OutputFolder: Sendable {
  /// The status of the item with a name; a symbolic link is not followed. Nil if nothing has it.
  func status(of name: String) throws(SystemFailure) -> OutputStatus?
  /// Creates a file that only its owner may read and write. Throws if anything has the name.
  func create(_ name: String) throws(SystemFailure) -> any OutputFile
  /// Opens a file for reading and writing; does not follow a symbolic link and waits for nobody.
  func open(_ name: String) throws(SystemFailure) -> any OutputFile
  /// Renames a file and replaces another one.
  func rename(_ name: String, to other: String) throws(SystemFailure)
  func remove(_ name: String) throws(SystemFailure)
  /// Writes the names to the disk.
  func synchronize() throws(SystemFailure)
}

/// An open file, closed with its last reference.
protocol OutputFile: AnyObject {
  func status() throws(SystemFailure) -> OutputStatus
  /// Locks the file until it is closed. Returns false if another recorder has locked it.
  func lock() throws(SystemFailure) -> Bool
  /// Reads up to `count` bytes; returns none at the end of the file.
  func read(_ count: Int, at offset: Int) throws(SystemFailure) -> [UInt8]
  /// Writes some of the bytes and returns how many.
  func write(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(SystemFailure) -> Int
  func truncate(to length: Int) throws(SystemFailure)
  /// Writes the content and the length to the disk.
  func synchronize() throws(SystemFailure)
}

/// The kind of a file, and who may access it.
struct OutputStatus: Hashable, Sendable {
  enum Kind: Hashable, Sendable { case regular, link, folder, other }

  var kind: Kind
  var owner: UInt32
  /// The permission bits.
  var mode: UInt32
  /// The number of its names.
  var links: Int
  var length: Int
}
