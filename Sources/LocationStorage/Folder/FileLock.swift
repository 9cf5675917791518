import FileAccess
import Glibc

/// An exclusive lock on a file, held until the last reference is dropped or the process ends.
///
/// The lock is one of `flock`, on a file of its own: SQLite's own locks end when the process closes
/// any descriptor of the database, and do not apply within a process.
final class FileLock: Sendable {
  private let descriptor: Descriptor

  private init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  // A process that is being started has a copy of the descriptor, so closing this one would not end
  // the lock.
  deinit { flock(descriptor.number, LOCK_UN) }

  /// Locks a file, which is created if it is missing. The file remains when the lock ends.
  ///
  /// - Returns: Nil if another process, or another lock of this process, has locked it.
  static func acquire(
    _ name: String, in folder: borrowing Folder
  ) throws(SystemFailure) -> FileLock? {
    let descriptor = try open(name, in: folder)
    do throws(SystemFailure) {
      try SystemFailure.check { flock(descriptor.number, LOCK_EX | LOCK_NB) }
    } catch {
      if error.number == EWOULDBLOCK { return nil }
      throw error
    }
    return FileLock(descriptor)
  }

  private static func open(
    _ name: String, in folder: borrowing Folder
  ) throws(SystemFailure) -> Descriptor {
    // Reading suffices for the lock, so that it works in a folder that cannot be written.
    do throws(SystemFailure) {
      return try folder.open(name, O_RDONLY | O_NONBLOCK)
    } catch {
      guard error.number == ENOENT else { throw error }
    }
    do throws(SystemFailure) {
      try folder.create(name)
    } catch {
      // Another process was faster.
      guard error.number == EEXIST else { throw error }
    }
    return try folder.open(name, O_RDONLY | O_NONBLOCK)
  }
}
