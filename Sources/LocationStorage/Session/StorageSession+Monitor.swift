import AsyncLocation

extension StorageSession: MonitorSession where Database == MonitorDatabase {
  func commit(_ changes: [MonitorChange]) throws(LocationError) {
    try MonitorLimits.check(changes)
    try write { (database) throws(SQLiteFailure) in try database.commit(changes) }
  }

  /// Opens the file. The content has no location for which permission was withdrawn in a process
  /// that could not replace the file any more, and is replaced.
  func openMonitor() throws(LocationError) -> StoredMonitor {
    // First: nothing is changed beside the file of another program.
    _ = try withheldNumber()
    let stored = try open()
    guard let number = try withheldNumber() else { return stored }
    let withheld = stored.withheld(through: number)
    inheritsMark = true
    // Content that is stored later must not find the mark.
    do throws(LocationError) { try replace(with: withheld) } catch { fail(error) }
    return withheld
  }

  func replace(with monitor: StoredMonitor) throws(LocationError) {
    try MonitorLimits.check(monitor)
    // The content of the file is not needed.
    let hasFailed = try reopen() != nil
    try write { (database) throws(SQLiteFailure) in
      // A full disk may have space for no longer log.
      if hasFailed { try? database.connection.mergeLog() }
      try database.replace(with: monitor)
    }
    if inheritsMark { try deleteRemains() }
  }
}
