import AsyncLocation
import FileAccess

extension StorageFile {
  /// Reads a temporary copy of a file that cannot be written. SQLite needs write access even to
  /// read a file with a log.
  ///
  /// - Parameter reason: Why the file cannot be written. Thrown if the file cannot be read either,
  ///   or if this kind of file is not read from copies.
  func openCopy(
    in folder: Folder, lock: FileLock?, because reason: LocationError
  ) throws(LocationError) -> Opened {
    guard Database.isReadFromCopies else { throw reason }
    do throws(DatabaseProblem) {
      return Opened(lock: lock, stored: try readCopy(in: folder), failure: reason)
    } catch {
      switch error {
      case .unreadable: throw reason
      case .laterVersion(let version, let supported):
        throw refusal(laterVersion: version, supported: supported)
      case .failed(let cause):
        // The copy is writable, so a read-only error comes from the content of the file.
        guard cause.kind == .damage || cause.isReadOnly else { throw reason }
        return try startAgain(in: folder, lock: lock, because: cause)
      }
    }
  }

  private func readCopy(
    in folder: Folder
  ) throws(DatabaseProblem) -> Database.Stored {
    let copy = try makeCopy(of: folder)
    let database = try Database.open(
      "\(copy.folder.path)/\(name)", schema: schema, lock: nil)
    do throws(SQLiteFailure) { return try database.load() } catch { throw .failed(error) }
  }

  private func makeCopy(
    of folder: Folder
  ) throws(DatabaseProblem) -> TemporaryFolder {
    do throws(SystemFailure) {
      let copy = try TemporaryFolder.create(removing: Self.suffixes.map { name + $0 })
      for suffix in ["", "-wal", "-journal"] where try folder.status(of: name + suffix) != nil {
        try folder.copy(name + suffix, to: copy.folder)
      }
      return copy
    } catch {
      throw .unreadable
    }
  }
}
