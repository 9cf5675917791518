import AsyncLocation

/// An open SQLite file. All work is done on its own thread.
actor StorageSession<Database: StoredDatabase> {
  private let thread = StorageThread()
  private let file: StorageFile<Database>
  private var lock: FileLock?
  /// Nil while the file cannot be written, and after a failure.
  private var database: Database?
  /// Why there is no database.
  private var failure: LocationError?
  private var isClosed = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

  init(_ file: StorageFile<Database>) { self.file = file }

  /// Opens the file and returns its content.
  func open() throws(LocationError) -> Database.Stored {
    let opened = try file.open(holding: lock)
    (lock, database, failure) = (opened.lock, opened.database, opened.failure)
    return opened.stored
  }

  func close() {
    // Without the merge, the next open reads the log.
    try? database?.mergeLogWhenClosed()
    (database, lock, isClosed) = (nil, nil, true)
    failure = file.failure("use", because: "the \(file.owner) is closed")
  }

  /// Opens the file again if it could not be written, as it may be writable now.
  func reopen() throws(LocationError) {
    if database == nil, !isClosed { _ = try open() }
  }

  /// Changes the file. After a failure, it must be opened again.
  func write(_ body: (Database) throws(SQLiteFailure) -> Void) throws(LocationError) {
    guard let database else { throw failure ?? file.failure("use", because: "it is not open") }
    do throws(SQLiteFailure) {
      try body(database)
    } catch {
      // What the file has now may lack the changes, so no further change may follow.
      let reason = file.failure("write", because: "\(error)", cause: error)
      (self.database, failure) = (nil, reason)
      throw reason
    }
  }
}
