import AsyncLocation

extension StorageSession: MonitorSession where Database == MonitorDatabase {
  func commit(_ changes: [MonitorChange]) throws(LocationError) {
    try MonitorLimits.check(changes)
    try write { (database) throws(SQLiteFailure) in try database.commit(changes) }
  }

  /// Opens the file. If an earlier process withdrew permission but could not replace the file, the
  /// returned content has no withdrawn locations, and the file is replaced with it.
  func openMonitor() throws(LocationError) -> StoredMonitor {
    // This check comes first, so that nothing is changed if the mark is another program's file.
    _ = try withheldNumber()
    let stored = try open()
    guard let number = try withheldNumber() else { return stored }
    let withheld = stored.withheld(through: number)
    inheritsMark = true
    // If this fails, all changes fail until everything is replaced: the mark must not apply to
    // content that is stored later.
    do throws(LocationError) { try replace(with: withheld) } catch { fail(error) }
    return withheld
  }

  func replace(with monitor: StoredMonitor) throws(LocationError) {
    try MonitorLimits.check(monitor)
    // The content that reopening returns is not needed.
    let wasReopened = try reopen() != nil
    try write { (database) throws(SQLiteFailure) in
      // The disk may be full, so that the log cannot grow. After a merge, its space is reused.
      if wasReopened { try? database.connection.mergeLog() }
      try database.replace(with: monitor)
    }
    if inheritsMark { try deleteRemains() }
  }
}
