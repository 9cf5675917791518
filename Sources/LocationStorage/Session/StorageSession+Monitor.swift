import AsyncLocation

extension StorageSession: MonitorSession where Database == MonitorDatabase {
  func commit(_ changes: [MonitorChange]) throws(LocationError) {
    try MonitorLimits.check(changes)
    try write { (database) throws(SQLiteFailure) in try database.commit(changes) }
  }

  /// Opens the file. It tells no location for which permission was withdrawn in a process that could not
  /// replace the file any more, and is replaced.
  func openMonitor() throws(LocationError) -> StoredMonitor {
    let stored = try open()
    guard try isWithheld() else { return stored }
    // The mark stays until it is replaced, if it cannot be written now.
    do throws(LocationError) { try replace(with: stored.withheld) } catch {}
    return stored.withheld
  }

  func replace(with monitor: StoredMonitor) throws(LocationError) {
    try MonitorLimits.check(monitor)
    // What the file contains is not needed.
    try reopen()
    try write { (database) throws(SQLiteFailure) in try database.replace(with: monitor) }
    if try isWithheld() { try deleteRemains() }
  }
}
