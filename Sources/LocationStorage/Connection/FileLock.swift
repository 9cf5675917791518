import FileAccess

/// An exclusive lock on a file, held until the last reference is dropped or the process ends.
///
/// The lock uses `flock` on a file of its own: SQLite's own locks end when the process closes any
/// descriptor of the database, and do not apply within a process.
final class FileLock: Sendable {
  private let file: OpenFile

  private init(_ file: OpenFile) { self.file = file }

  /// Locks a file, which is created if it is missing. The file remains when the lock ends.
  ///
  /// - Returns: Nil if another process, or another lock of this process, has locked it.
  static func acquire(_ name: String, in folder: Folder) throws(SystemFailure) -> FileLock? {
    let file = try open(name, in: folder)
    return try file.lock() ? FileLock(file) : nil
  }

  private static func open(_ name: String, in folder: Folder) throws(SystemFailure) -> OpenFile {
    // Read access suffices for the lock, so it also works in a folder that cannot be written.
    do throws(SystemFailure) {
      return try folder.open(name, for: .reading)
    } catch {
      guard error == .missing else { throw error }
    }
    do throws(SystemFailure) {
      try folder.create(name)
    } catch {
      // Another process created the file in the meantime.
      guard error == .exists else { throw error }
    }
    return try folder.open(name, for: .reading)
  }
}
