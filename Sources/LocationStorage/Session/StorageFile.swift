import AsyncLocation
import FileAccess
import FoundationEssentials

/// The path of a storage file, with the operations that open it, create it and set it aside.
struct StorageFile<Database: StoredDatabase>: Sendable {
  /// The kind of owner in error messages, such as `monitor`.
  let owner: String
  /// The owner in error messages, with its name if it has one.
  let ownerName: String
  /// The error to throw if the file is open elsewhere.
  let inUse: LocationError
  let folder: String
  /// The name of the file in its folder.
  let name: String
  var schema: DatabaseSchema
  /// The content that is carried over from a deleted file, as text.
  var remainder = ""
  /// Whether opening sets a damaged file aside; if false, it throws.
  var setsDamagedAside = true
  /// The clock for the names of damaged files.
  var now: @Sendable () -> Date = { Date() }

  /// The result of opening a file.
  struct Opened {
    /// Nil if the file cannot be locked.
    var lock: FileLock?
    /// Nil if the file cannot be written.
    var database: Database?
    var stored: Database.Stored
    /// Why the file cannot be written.
    var failure: LocationError?
  }

  /// Opens the file. A missing file is created. A damaged file is set aside and replaced, if
  /// ``setsDamagedAside`` is true. A file that cannot be written is read from a copy, if its
  /// database permits that.
  ///
  /// - Parameter held: The lock, if it is held already.
  func open(holding held: FileLock?) throws(LocationError) -> Opened {
    guard SQLiteLibrary.isSupported else {
      throw LocationError(
        .unsupported, "SQLite \(SQLiteLibrary.version) is too old; install 3.37 or later.")
    }
    let folder = try openFolder()
    if try has(.deletion, in: folder) { return try replaceMarked(in: folder, holding: held) }
    // This check comes first: the advice in the other errors does not apply to another program's
    // file.
    try checkApplicationID(in: folder)
    try checkFiles(in: folder)
    let lock: FileLock
    switch acquireLock(in: folder, holding: held) {
    case .held(let held): lock = held
    case .inUse: throw inUse
    // Nothing is written without a lock.
    case .failed(let reason): return try openCopy(in: folder, lock: nil, because: reason)
    }
    let files = try existing(name, in: folder)
    let isEmpty = try isEmpty(files, in: folder)
    guard files.first == "", !isEmpty else {
      return try openNew(besides: files, in: folder, lock: lock)
    }
    do throws(DatabaseProblem) {
      return try openDatabase(in: folder, lock: lock)
    } catch {
      removeEmptyLog(in: folder)
      switch error {
      case .unreadable: throw failure("open", because: "\(error)")
      case .laterVersion(let version, let supported):
        throw refusal(laterVersion: version, supported: supported)
      case .failed(let cause):
        switch cause.kind {
        case .locked:
          throw failure("open", because: "another program has locked it", cause: cause)
        case .access:
          let reason = failure("write", because: "\(cause)", cause: cause)
          return try openCopy(in: folder, lock: lock, because: reason)
        case .damage where !setsDamagedAside:
          throw failure("open", because: "it is damaged (\(cause))", cause: cause)
        case .damage:
          return try startAgain(in: folder, lock: lock, because: cause)
        }
      }
    }
  }

  func openDatabase(
    in folder: Folder, lock: FileLock
  ) throws(DatabaseProblem) -> Opened {
    let database = try Database.open("\(folder.path)/\(name)", schema: schema, lock: lock)
    do throws(SQLiteFailure) {
      let stored = try database.load()
      return Opened(lock: lock, database: database, stored: stored)
    } catch {
      throw .failed(error)
    }
  }

  // MARK: Names

  /// The suffixes of the files of a database. SQLite creates the files with a nonempty suffix.
  static var suffixes: [String] { ["", "-wal", "-shm", "-journal"] }
  private var lockName: String { "\(name).lock" }
  var path: String { "\(folder)/\(name)" }

  /// The suffixes of the files of a database that exist.
  func existing(
    _ name: String, in folder: Folder
  ) throws(LocationError) -> [String] {
    try attempt("check") { () throws(SystemFailure) in
      var found: [String] = []
      for suffix in Self.suffixes where try folder.status(of: name + suffix) != nil {
        found.append(suffix)
      }
      return found
    }
  }

  /// Whether the file is empty and has no log.
  private func isEmpty(
    _ files: [String], in folder: Folder
  ) throws(LocationError) -> Bool {
    guard files == [""] else { return false }
    return try attempt("check") { () throws(SystemFailure) in
      try folder.status(of: name)?.length == 0
    }
  }

  /// Removes the log if it is empty: SQLite creates an empty log when it opens a file.
  private func removeEmptyLog(in folder: Folder) {
    let log = "\(name)-wal"
    if let status = try? folder.status(of: log), status.length == 0 { try? folder.remove(log) }
  }

  // MARK: Folder and lock

  /// Opens the folder of the file, which is created if it is missing. Throws if it belongs to
  /// another user, except root, or if other users can write to it.
  func openFolder() throws(LocationError) -> Folder {
    let opened = try attempt("open the folder of") { () throws(SystemFailure) in
      do throws(SystemFailure) {
        return try Folder(resolving: folder)
      } catch {
        guard error == .missing else { throw error }
        try Folder.create(folder)
        return try Folder(resolving: folder)
      }
    }
    let status = try attempt("check the folder of") { () throws(SystemFailure) in
      try opened.status()
    }
    guard [FileStatus.currentUser, 0].contains(status.owner) else {
      throw refusal(
        folder, "belongs to user \(status.owner), not to user \(FileStatus.currentUser)")
    }
    guard status.mode & 0o022 == 0 else {
      throw refusal(
        folder, "can be written by other users; use a directory that only its owner can write")
    }
    return opened
  }

  /// Throws for symbolic links, for files that are not regular, and for files that another user,
  /// except root, owns or can access.
  func checkFiles(in folder: Folder) throws(LocationError) {
    for name in Self.suffixes.map({ name + $0 }) + [lockName] {
      let status: FileStatus?
      do throws(SystemFailure) {
        status = try folder.status(of: name)
      } catch {
        throw failure("check", because: "\(error)", cause: error)
      }
      guard let status else { continue }
      let path = "\(self.folder)/\(name)"
      guard status.kind != .link else {
        throw refusal(path, "is a symbolic link, which is not followed; remove it")
      }
      guard status.kind == .regular else {
        throw refusal(path, "is not a regular file; remove it")
      }
      guard [FileStatus.currentUser, 0].contains(status.owner) else {
        throw refusal(
          path,
          "belongs to user \(status.owner), not to user \(FileStatus.currentUser); change its owner"
        )
      }
      guard status.mode & 0o077 == 0 else {
        throw refusal(
          path, "is accessible to other users; run 'chmod 600 \(Self.printable(path))'")
      }
    }
  }

  /// Throws if the file belongs to another program, before anything is written beside it.
  func checkApplicationID(in folder: Folder) throws(LocationError) {
    // If the file cannot be read, opening it reports the error.
    guard let beginning = try? folder.beginning(of: name), !schema.hasApplicationID(in: beginning)
    else { return }
    throw LocationError(
      .unsupported,
      "\(Self.printable(path)) is not the file of a \(owner): it is another program's, or its "
        + "beginning is damaged. Use another path, or move it away.")
  }

  /// The result of an attempt to lock the file.
  enum Locking {
    case held(FileLock)
    case inUse
    case failed(LocationError)
  }

  /// Locks the file.
  ///
  /// - Parameter held: The lock, if it is held already.
  func acquireLock(in folder: Folder, holding held: FileLock?) -> Locking {
    if let held { return .held(held) }
    do throws(SystemFailure) {
      guard let lock = try FileLock.acquire(lockName, in: folder) else { return .inUse }
      return .held(lock)
    } catch {
      return .failed(failure("lock", because: "\(error)", cause: error))
    }
  }
}

extension StorageFile {
  /// Creates a storage file for a path that the user chose.
  ///
  /// - Parameters:
  ///   - content: The content of the file, for the error if the path names no file.
  ///   - user: The kind of object that opens the file, for the error if the file is open elsewhere.
  init(
    path: String, of content: String, owner: String, user: String, schema: DatabaseSchema
  ) throws(LocationError) {
    guard let file = SplitPath(path) else {
      throw LocationError(
        .invalidValue,
        "The storage of \(content) needs the path of a file with a name of at most 200 bytes; it "
          + "cannot contain a NUL character.")
    }
    let inUse = LocationError(
      .storageUnavailable,
      "The \(owner) file \(String(printable: path, limit: .max)) is open in another \(user), here "
        + "or in another process; use a file for each.")
    self.init(
      owner: owner, ownerName: owner, inUse: inUse, folder: file.folder, name: file.name,
      schema: schema)
  }
}
