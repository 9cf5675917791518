import AsyncLocation

/// An open monitor of a SQLite file. All work is done on its own thread.
actor SQLiteMonitorSession: MonitorSession {
  private let thread = StorageThread()
  private let file: MonitorFile
  private var lock: FileLock?
  /// Nil while the file cannot be written, and after a failure.
  private var database: MonitorDatabase?
  /// Why there is no database.
  private var failure: LocationError?
  private var isClosed = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

  init(_ file: MonitorFile) { self.file = file }

  /// Opens the file and returns its content.
  func open() throws(LocationError) -> StoredMonitor {
    let opened = try file.open(holding: lock)
    (lock, database, failure) = (opened.lock, opened.database, opened.failure)
    return opened.stored
  }

  func commit(_ changes: [MonitorChange]) throws(LocationError) {
    try MonitorLimits.check(changes)
    try write { (database) throws(SQLiteFailure) in try database.commit(changes) }
  }

  func replace(with monitor: StoredMonitor) throws(LocationError) {
    try MonitorLimits.check(monitor)
    // The file may be writable again. What it contains is not needed.
    if database == nil, !isClosed { _ = try open() }
    try write { (database) throws(SQLiteFailure) in try database.replace(with: monitor) }
  }

  func close() {
    // Without the merge, the next open reads the log.
    try? database?.mergeLogWhenClosed()
    (database, lock, isClosed) = (nil, nil, true)
    failure = file.failure("use", because: "the monitor is closed")
  }

  private func write(
    _ body: (MonitorDatabase) throws(SQLiteFailure) -> Void
  ) throws(LocationError) {
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
