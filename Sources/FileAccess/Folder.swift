#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// An open folder, closed when its last reference is released. Names are those of files in the
/// folder, never paths.
///
/// Its calls may block.
package final class Folder: Sendable {
  /// The path with which the folder was opened.
  package let path: String
  private let calls: any FileCalls
  let descriptor: Int32

  /// Opens a folder that exists.
  package init(
    _ path: String, followsLinks: Bool = true, calls: any FileCalls = SystemFileCalls()
  ) throws(SystemFailure) {
    (self.path, self.calls) = (path, calls)
    descriptor = try calls.openFolder(path, followsLinks: followsLinks)
  }

  /// Resolves the links of a path and opens the folder. ``path`` is then the resolved, absolute
  /// path.
  package convenience init(resolving path: String) throws(SystemFailure) {
    guard let resolved = unsafe realpath(path, nil) else { throw SystemFailure(errno) }
    defer { unsafe free(resolved) }
    try self.init(unsafe String(cString: resolved), followsLinks: false)
  }

  deinit {
    // Unlocks first, for the same reason as `OpenFile`.
    calls.unlock(descriptor)
    calls.close(descriptor)
  }

  /// Creates a folder and its missing ancestors; only their owner may enter them. Does nothing if
  /// the path exists, even if it is not a folder.
  package static func create(
    _ path: String, calls: any FileCalls = SystemFileCalls()
  ) throws(SystemFailure) {
    let parent = parent(of: path)
    do throws(SystemFailure) {
      try calls.makeFolder(path)
    } catch {
      if error == .exists { return }
      guard error == .missing, let parent else { throw error }
      try create(parent, calls: calls)
      do throws(SystemFailure) {
        try calls.makeFolder(path)
      } catch {
        if error == .exists { return }
        throw error
      }
    }
    // The umask may have removed bits, including those that opening needs.
    try calls.setMode(0o700, ofFolder: path)
    try Folder(parent ?? ".", calls: calls).synchronize()
  }

  /// The parent folder of a path; nil for a path without one.
  package static func parent(of path: String) -> String? {
    var path = path[...]
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    guard path != "/", let slash = path.lastIndex(of: "/") else { return nil }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  package func status() throws(SystemFailure) -> FileStatus { try calls.status(of: descriptor) }

  /// The metadata of the file with a name; nil if there is none. Does not follow a link.
  package func status(of name: String) throws(SystemFailure) -> FileStatus? {
    try calls.status(of: name, in: descriptor)
  }

  /// Locks the folder until it is closed. Returns false if another process, or another open folder
  /// of this process, holds the lock.
  package func lock() throws(SystemFailure) -> Bool { try calls.lock(descriptor) }

  // MARK: Files

  /// Opens a file that exists. Does not follow symbolic links, and does not block.
  package func open(
    _ name: String, for purpose: FilePurpose
  ) throws(SystemFailure) -> OpenFile {
    OpenFile(try calls.openFile(name, in: descriptor, purpose), calls)
  }

  /// Reads the first bytes of a file.
  ///
  /// - Parameter limit: The largest number of bytes.
  package func beginning(of name: String, limit: Int = 128) throws(SystemFailure) -> [UInt8] {
    try open(name, for: .reading).read(limit, at: 0)
  }

  /// Creates a file that only its owner may read and write. Throws if the name exists.
  @discardableResult
  package func create(_ name: String) throws(SystemFailure) -> OpenFile {
    let file = OpenFile(try calls.makeFile(name, in: descriptor), calls)
    try file.setMode(0o600)  // The umask may have removed bits.
    return file
  }

  /// Creates a file as ``create(_:)`` does, and writes its contents to the disk. After a failure,
  /// an incomplete file may remain.
  package func create(_ name: String, containing contents: [UInt8]) throws(SystemFailure) {
    let file = try create(name)
    try file.write(contents[...], at: 0)
    try file.synchronize()
  }

  /// Replaces or creates a file atomically, and writes it to the disk.
  ///
  /// - Parameter draft: The name of the new file until it is complete. A file that already has this
  ///   name is removed.
  package func replace(
    _ name: String, with contents: [UInt8], draft: String
  ) throws(SystemFailure) {
    try? remove(draft)  // A process that was killed may have left it.
    do throws(SystemFailure) {
      try create(draft, containing: contents)
      try rename(draft, to: name)
    } catch {
      try? remove(draft)
      throw error
    }
    try synchronize()
  }

  /// Creates a hard link: a second name for a file. Throws if that name exists.
  package func link(_ name: String, to second: String) throws(SystemFailure) {
    try calls.link(name, to: second, in: descriptor)
  }

  /// Renames a file. Replaces a file that has the new name.
  package func rename(_ name: String, to other: String) throws(SystemFailure) {
    try calls.rename(name, to: other, in: descriptor)
  }

  package func remove(_ name: String) throws(SystemFailure) {
    try calls.remove(name, in: descriptor)
  }

  /// Removes a file. Does nothing if there is none.
  package func removeIfPresent(_ name: String) throws(SystemFailure) {
    do throws(SystemFailure) {
      try remove(name)
    } catch {
      if error != .missing { throw error }
    }
  }

  /// The names in the folder, in any order.
  package func names() throws(SystemFailure) -> [String] { try calls.names(in: descriptor) }

  /// Writes the names in the folder to the disk.
  package func synchronize() throws(SystemFailure) { try calls.synchronizeNames(of: descriptor) }

  /// Copies a file into another folder, under the same name. Throws if the name exists there. The
  /// copy is not synchronized to the disk; after a failure, an incomplete copy may remain.
  package func copy(_ name: String, to other: Folder) throws(SystemFailure) {
    let source = try open(name, for: .reading)
    let target = try other.create(name)
    var offset = 0
    while true {
      let bytes = try source.read(1 << 16, at: offset)
      if bytes.isEmpty { return }
      try target.write(bytes[...], at: offset)
      offset += bytes.count
    }
  }
}
