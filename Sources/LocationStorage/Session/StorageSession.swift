import AsyncLocation
import FileAccess

/// An open SQLite file. All work is done on its own thread.
actor StorageSession<Database: StoredDatabase> {
  private let thread = FileThread(label: "AsyncLocation.storage")
  private let file: StorageFile<Database>
  /// The file to create after a failed deletion; nil if no deletion failed.
  private var next: StorageFile<Database>?
  private var lock: FileLock?
  /// Nil before the file is opened, while it cannot be written, and after a failure.
  private var database: Database?
  /// The inode of the open file, set by the first check.
  private var inode: UInt64?
  /// Why `database` is nil; nil before the file is opened.
  private var failure: LocationError?
  private var isClosed = false
  /// Whether an earlier process left a withdrawal mark. The monitor removes the marks of its own
  /// process.
  var inheritsMark = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

  init(_ file: StorageFile<Database>) { self.file = file }

  /// Opens the file and returns its content.
  ///
  /// - Parameter checksStructure: Whether to check the structure of the whole file even if the
  ///   schema does not.
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
    // A failure is ignored: without the merge, the next open reads the log.
    try? database?.mergeLogWhenClosed()
    (database, lock, isClosed) = (nil, nil, true)
    failure = file.failure("use", because: "the \(file.owner) is closed")
  }

  /// Opens the file again if it could not be written or an access failed.
  ///
  /// - Returns: The content; nil if the file was open already, or if the session is closed.
  @discardableResult
  func reopen(checkingStructure: Bool = false) throws(LocationError) -> Database.Stored? {
    guard database == nil, !isClosed else { return nil }
    return try open(checkingStructure: checkingStructure)
  }

  /// Sets a damaged file aside and creates a new one.
  func startAgain(because cause: SQLiteFailure) throws(LocationError) -> Database.Stored {
    if isClosed, let failure { throw failure }
    database = nil
    let opened = try file.startAgain(in: file.openFolder(), lock: lock, because: cause)
    use(opened)
    return opened.stored
  }

  /// Deletes the damaged files that were set aside.
  func deleteFilesSetAside() throws(LocationError) { try file.deleteFilesSetAside() }

  /// Deletes the file and the damaged files that were set aside, and creates a new file.
  ///
  /// - Parameter remainder: Content for the new file; see ``StoredDatabase/schema(after:)``.
  func replaceFile(keeping remainder: String) throws(LocationError) {
    if isClosed, let failure { throw failure }
    // After the merge, an interrupted deletion leaves all of the content or none of it.
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

  /// Writes a mark that makes the next open omit the locations of events up to a number. The mark
  /// applies until ``deleteRemains()`` returns.
  func withhold(through number: UInt64) throws(LocationError) {
    // Without the lock, the file may belong to another process.
    if lock == nil, let failure { throw failure }
    inheritsMark = false
    try file.set(.withdrawal, "\(number)")
  }

  /// The number of the last event for which permission was withdrawn; `UInt64.max` if the mark has
  /// no number, nil without a mark.
  func withheldNumber() throws(LocationError) -> UInt64? {
    try file.text(of: .withdrawal).map { UInt64($0) ?? .max }
  }

  /// Throws if the path no longer names the open file, or if the file is empty: SQLite would
  /// continue to write to a removed file.
  func checkPath() throws(LocationError) {
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

  /// Makes every access throw until the file is opened again.
  func fail(_ error: LocationError) { (database, failure) = (nil, error) }

  /// Deletes the damaged files that were set aside, earlier content in the log, and the withdrawal
  /// mark.
  func deleteRemains() throws(LocationError) {
    if isClosed, let failure { throw failure }
    try file.deleteFilesSetAside()
    // The file is not reopened here: content that could not be replaced would remain without its
    // mark.
    try write { (database) throws(SQLiteFailure) in try database.connection.emptyLog() }
    if try withheldNumber() != nil { try file.clear(.withdrawal) }
    inheritsMark = false
  }

  /// Returns the open database; throws if there is none.
  private func opened() throws(LocationError) -> Database {
    guard let database else { throw failure ?? file.failure("use", because: "it is not open") }
    return database
  }

  /// Reads the file. After a failure, such as a damaged row, the rest can still be read and
  /// changed.
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
  /// - Parameter verb: The verb in the error: `read` or `write`.
  func access<Result: Sendable>(
    _ verb: String, _ body: (Database) throws(SQLiteFailure) -> Result
  ) throws(LocationError) -> Result {
    let database = try opened()
    do throws(SQLiteFailure) {
      return try body(database)
    } catch {
      let reason = file.failure(verb, because: "\(error)", cause: error)
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
