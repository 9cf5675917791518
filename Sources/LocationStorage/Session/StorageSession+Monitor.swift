import AsyncLocation

extension StorageSession: MonitorSession where Database == MonitorDatabase {
  func commit(_ changes: [MonitorChange]) throws(LocationError) {
    try MonitorLimits.check(changes)
    try write { (database) throws(SQLiteFailure) in try database.commit(changes) }
  }

  func replace(with monitor: StoredMonitor) throws(LocationError) {
    try MonitorLimits.check(monitor)
    // What the file contains is not needed.
    try reopen()
    try write { (database) throws(SQLiteFailure) in try database.replace(with: monitor) }
  }
}
