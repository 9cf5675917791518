import AsyncLocation
import FileAccess

/// An open SQLite file. All work is done on its own thread.
actor StorageSession<Database: StoredDatabase> {
  private let thread = FileThread(label: "AsyncLocation.storage")
  private let file: StorageFile<Database>
  /// The file that follows a deletion that failed; nil without one.
  private var next: StorageFile<Database>?
  private var lock: FileLock?
  /// Nil while the file cannot be written, and after a failure.
  private var database: Database?
  /// The file on the disk when it was checked first.
  private var inode: UInt64?
  /// Why there is no database.
  private var failure: LocationError?
  private var isClosed = false
  /// Whether an earlier process left the mark of a withdrawal. One of this process is the monitor's to
  /// remove.
  var inheritsMark = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

  init(_ file: StorageFile<Database>) { self.file = file }

  /// Opens the file and returns its content.
  ///
  /// - Parameter checksStructure: Whether the whole file is checked, whatever the schema states.
  func open(checkingStructure checksStructure: Bool = false) throws(LocationError)
    -> Database.Stored
  {
    var file = next ?? file
    if checksStructure { file.schema.checksStructure = true }
    let opened = try file.open(holding: lock)
    use(opened)
    return opened.stored
  }

  private func use(_ opened: StorageFile<Database>.Opened) {
    (lock, database, failure, next) = (opened.lock, opened.database, opened.failure, nil)
    inode = nil
  }

  func close() {
    // Without the merge, the next open reads the log.
    try? database?.mergeLogWhenClosed()
    (database, lock, isClosed) = (nil, nil, true)
    failure = file.failure("use", because: "the \(file.owner) is closed")
  }

  /// Opens the file again if it could not be written, as it may be writable now.
  ///
  /// - Returns: The content; nil if the file was open.
  @discardableResult
  func reopen(checkingStructure: Bool = false) throws(LocationError) -> Database.Stored? {
    guard database == nil, !isClosed else { return nil }
    return try open(checkingStructure: checkingStructure)
  }

  /// Sets a file aside that cannot be used, and begins a new one.
  func startAgain(because cause: SQLiteFailure) throws(LocationError) -> Database.Stored {
    if isClosed, let failure { throw failure }
    database = nil
    let opened = try file.startAgain(in: file.openFolder(), lock: lock, because: cause)
    use(opened)
    return opened.stored
  }

  /// Deletes the damaged files that were set aside.
  func deleteFilesSetAside() throws(LocationError) { try file.deleteFilesSetAside() }

  /// Deletes the file, also damaged ones that were set aside, and begins a new one.
  ///
  /// - Parameter remainder: Content for the new file; see ``StoredDatabase/schema(after:)``.
  func replaceFile(keeping remainder: String) throws(LocationError) {
    if isClosed, let failure { throw failure }
    // With a merged log, an interruption leaves all or nothing.
    try? database?.mergeLogWhenClosed()
    database = nil
    let following = file.keeping(remainder)
    do throws(LocationError) {
      use(try following.replace(holding: lock))
    } catch {
      (failure, next) = (error, following)
      throw error
    }
  }

  /// Lets the next open omit locations of events up to a number, until ``deleteRemains()`` returns.
  func withhold(through number: UInt64) throws(LocationError) {
    // Without the lock, the file is another process's.
    if lock == nil, let failure { throw failure }
    inheritsMark = false
    try file.set(.withdrawal, "\(number)")
  }

  /// The last number for which permission was withdrawn; nil without a withdrawal.
  func withheldNumber() throws(LocationError) -> UInt64? {
    try file.text(of: .withdrawal).map { UInt64($0) ?? .max }
  }

  /// Checks that the path still names the file that is open: SQLite would go on writing to one that was
  /// removed.
  func checkPlace() throws(LocationError) {
    guard database != nil else { return }
    let folder = try file.openFolder()
    let status = try? folder.status(of: file.name)
    if let status, status.length > 0, inode ?? status.inode == status.inode {
      inode = status.inode
      return
    }
    let reason = file.failure(
      "write", because: "it was removed, replaced or cut while it was in use")
    fail(reason)
    throw reason
  }

  /// Lets every change fail until everything is replaced.
  func fail(_ error: LocationError) { (database, failure) = (nil, error) }

  /// Deletes the damaged files that were set aside, and what the log has of earlier contents.
  func deleteRemains() throws(LocationError) {
    if isClosed, let failure { throw failure }
    try file.deleteFilesSetAside()
    // Not reopened: content that could not be replaced would stay, without its mark.
    try write { (database) throws(SQLiteFailure) in try database.connection.emptyLog() }
    if try withheldNumber() != nil { try file.clear(.withdrawal) }
    inheritsMark = false
  }

  /// The open file.
  private func opened() throws(LocationError) -> Database {
    guard let database else { throw failure ?? file.failure("use", because: "it is not open") }
    return database
  }

  /// Reads the file. After a failure, such as a damaged row, the rest can still be read and changed.
  func read<Result: Sendable>(
    _ body: (Database) throws(SQLiteFailure) -> Result
  ) throws(LocationError) -> Result {
    let database = try opened()
    do throws(SQLiteFailure) {
      return try body(database)
    } catch {
      throw file.failure("read", because: "\(error)", cause: error)
    }
  }

  /// Reads or changes the file. After a failure, it must be opened again.
  ///
  /// - Parameter what: For the error: `read` or `write`.
  func access<Result: Sendable>(
    _ what: String, _ body: (Database) throws(SQLiteFailure) -> Result
  ) throws(LocationError) -> Result {
    let database = try opened()
    do throws(SQLiteFailure) {
      return try body(database)
    } catch {
      let reason = file.failure(what, because: "\(error)", cause: error)
      if error.isFullDisk, Database.isUsableAfterFullDisk { throw reason }
      // The file may now lack the changes, so no further change may follow.
      fail(reason)
      throw reason
    }
  }

  /// Changes the file. After a failure, it must be opened again.
  func write(_ body: (Database) throws(SQLiteFailure) -> Void) throws(LocationError) {
    try access("write", body)
  }
}
