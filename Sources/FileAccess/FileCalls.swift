#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The system calls on files. Tests replace them to simulate interruptions and failures.
///
/// Calls on a name take the descriptor of its folder, so later changes of the folder's path do not
/// matter. They do not follow symbolic links; ``openFile(at:)`` does, as users of a path expect. A
/// call that can throw is repeated if a signal interrupts it.
package protocol FileCalls: Sendable {
  /// Creates a folder that only its owner may enter.
  func makeFolder(_ path: String) throws(SystemFailure)
  /// Opens a folder that exists.
  ///
  /// - Parameter followsLinks: If false, the call fails for a path that is itself a symbolic link.
  ///   Links among the parents of the path are followed.
  func openFolder(_ path: String, followsLinks: Bool) throws(SystemFailure) -> Int32
  /// Sets the permission bits of a folder. Needs no read permission for the folder if the system
  /// supports `AT_SYMLINK_NOFOLLOW` for this call.
  func setMode(_ mode: UInt32, ofFolder path: String) throws(SystemFailure)
  /// Throws if this process may not create files in a folder. Creates no file.
  func checkWritable(_ path: String) throws(SystemFailure)
  /// Opens a file that exists. Does not block, even if the file is a FIFO.
  func openFile(
    _ name: String, in folder: Int32, _ purpose: FilePurpose
  ) throws(SystemFailure) -> Int32
  /// Opens a file of any kind for reading by its path. Follows links, and does not block.
  func openFile(at path: String) throws(SystemFailure) -> Int32
  /// Creates a file for reading and writing; fails if the name exists.
  func makeFile(_ name: String, in folder: Int32) throws(SystemFailure) -> Int32
  func status(of file: Int32) throws(SystemFailure) -> FileStatus
  /// The metadata of the file with a name; nil if there is none. Does not follow a link.
  func status(of name: String, in folder: Int32) throws(SystemFailure) -> FileStatus?
  func setMode(_ mode: UInt32, of file: Int32) throws(SystemFailure)
  /// Reads up to `count` bytes; returns an empty array at the end of the file.
  func read(_ file: Int32, _ count: Int, at offset: Int) throws(SystemFailure) -> [UInt8]
  /// Reads the next bytes, up to `count`; returns an empty array at the end.
  func readNext(_ file: Int32, _ count: Int) throws(SystemFailure) -> [UInt8]
  /// Writes bytes and returns how many were written, which may be fewer than all.
  func write(_ bytes: ArraySlice<UInt8>, to file: Int32, at offset: Int) throws(SystemFailure)
    -> Int
  func truncate(_ file: Int32, to length: Int) throws(SystemFailure)
  /// Writes the content and the length of a file to the disk.
  func synchronize(_ file: Int32) throws(SystemFailure)
  /// Writes the names in a folder to the disk.
  func synchronizeNames(of folder: Int32) throws(SystemFailure)
  /// Locks a file or a folder until ``unlock(_:)``, without waiting. Returns false if another open
  /// file description, of this or another process, holds the lock.
  func lock(_ file: Int32) throws(SystemFailure) -> Bool
  func unlock(_ file: Int32)
  /// Creates a hard link: a second name for a file. Fails if that name exists.
  func link(_ name: String, to second: String, in folder: Int32) throws(SystemFailure)
  /// Renames a file. Replaces a file that has the new name.
  func rename(_ name: String, to other: String, in folder: Int32) throws(SystemFailure)
  func remove(_ name: String, in folder: Int32) throws(SystemFailure)
  /// The names in a folder, in any order.
  func names(in folder: Int32) throws(SystemFailure) -> [String]
  func close(_ file: Int32)
}

/// The access for which a file is opened.
package enum FilePurpose: Hashable, Sendable { case reading, writing, readingAndWriting }

/// The metadata of a file.
package struct FileStatus: Hashable, Sendable {
  package enum Kind: Hashable, Sendable { case regular, link, folder, other }

  package var kind: Kind
  package var owner: UInt32
  /// The permission bits.
  package var mode: UInt32
  /// The number of hard links.
  package var links: Int
  /// The length in bytes.
  package var length: Int
  /// The inode number, unique in the file system.
  package var inode: UInt64
  /// When the content was last changed.
  package var modified: FileTime
  /// When the content or the metadata was last changed.
  package var changed: FileTime

  /// Whether the sticky bit is set. In a folder with this bit, only the owner of a file, the owner
  /// of the folder and root can rename or remove the file.
  package var isSticky: Bool { mode & 0o1000 != 0 }

  /// The ID of the effective user, who owns the files that this process creates.
  package static var currentUser: UInt32 { geteuid() }

  package init(
    kind: Kind, owner: UInt32, mode: UInt32, links: Int, length: Int, inode: UInt64 = 0,
    modified: FileTime = FileTime(), changed: FileTime = FileTime()
  ) {
    (self.kind, self.owner, self.mode, self.links, self.length) = (kind, owner, mode, links, length)
    (self.inode, self.modified, self.changed) = (inode, modified, changed)
  }
}

/// The time since 1970, with the resolution of the file system.
package struct FileTime: Hashable, Sendable {
  package var seconds = 0
  package var nanoseconds = 0

  package init(seconds: Int = 0, nanoseconds: Int = 0) {
    (self.seconds, self.nanoseconds) = (seconds, nanoseconds)
  }
}
