import CSQLite
import FileAccess
import Glibc

/// The SQLite library.
enum SQLiteLibrary {
  /// Whether the library is version 3.37 or later: older versions have no `STRICT` tables.
  static var isSupported: Bool { sqlite3_libversion_number() >= 3_037_000 }

  static var version: String { unsafe String(cString: sqlite3_libversion()) }
}

/// A connection to a SQLite file. One thread uses it at a time.
///
/// Access is exclusive: while the connection is open, no other connection reads or writes the file.
/// So SQLite needs no shared memory file.
final class Connection {
  /// The SQLite handle, closed once.
  ///
  // SAFETY: `raw` comes from `sqlite3_open_v2`, never leaves this file and `Statement`, and is
  // closed here only. Each statement holds the connection, so the connection is closed last.
  @safe
  fileprivate struct Handle: ~Copyable {
    let raw: OpaquePointer
    /// Released after the connection is closed.
    private let lock: FileLock?

    private init(_ raw: OpaquePointer, _ lock: FileLock?) {
      unsafe self.raw = raw
      self.lock = lock
    }

    static func open(
      _ path: String, _ flags: Int32, holding lock: FileLock?
    ) throws(SQLiteFailure) -> Self {
      var opened: OpaquePointer?
      let status = unsafe sqlite3_open_v2(path, &opened, flags, nil)
      // SQLite returns a handle after most failures, too.
      guard let opened = unsafe opened else {
        throw SQLiteFailure(SQLITE_NOMEM, "out of memory")
      }
      let handle = unsafe Self(opened, lock)
      guard status == SQLITE_OK else { throw handle.failure() }
      unsafe sqlite3_extended_result_codes(handle.raw, 1)
      return handle
    }

    deinit { unsafe sqlite3_close_v2(raw) }

    func failure() -> SQLiteFailure {
      let code = unsafe sqlite3_extended_errcode(raw)
      var text = unsafe String(cString: sqlite3_errmsg(raw))
      // Only these failures set the error number of the system: after any other, it is that of an
      // earlier failure.
      let isOfSystem = [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xFF)
      let number = unsafe sqlite3_system_errno(raw)
      if isOfSystem, number != 0 { text += " (\(SystemFailure(number)))" }
      return SQLiteFailure(code, text)
    }
  }

  private let handle: Handle
  private let path: String
  /// The last value of `throughToDisk` that was set for the connection; nil if none was.
  private var writesThrough: Bool?

  /// Opens a file that exists.
  ///
  /// - Parameters:
  ///   - path: An absolute path without symbolic links.
  ///   - lock: Held until the connection is closed.
  init(path: String, lock: FileLock?) throws(SQLiteFailure) {
    self.path = path
    handle = try .open(
      path,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX
        | SQLITE_OPEN_PRIVATECACHE, holding: lock)
    unsafe sqlite3_busy_timeout(handle.raw, Self.busyTimeout)
    // The settings that SQLite recommends for files that are not trusted. The log is merged into
    // the file only after the file has been checked; see ``mergeLogWhenClosed()``.
    try set(SQLITE_DBCONFIG_DEFENSIVE, true)
    try set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)
    try set(SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
    try set(SQLITE_DBCONFIG_ENABLE_VIEW, false)
    try set(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
    try execute(
      """
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA cell_size_check = ON;
      PRAGMA mmap_size = 0;
      """)
  }

  /// How long to wait for another program's lock, in milliseconds.
  private static var busyTimeout: Int32 { 250 }

  /// Makes closing merge the log into the file and remove the log. Without this call, closing
  /// leaves the file and the log as they are.
  func mergeLogWhenClosed() throws(SQLiteFailure) {
    try set(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)
  }

  private func set(_ option: Int32, _ isOn: Bool) throws(SQLiteFailure) {
    let status = unsafe csqlite_set_option(handle.raw, option, isOn ? 1 : 0)
    guard status == SQLITE_OK else { throw failure() }
  }

  /// Makes the file grow and shrink in steps of this many bytes.
  func setGrowth(_ bytes: Int32) throws(SQLiteFailure) {
    var bytes = bytes
    let status = unsafe sqlite3_file_control(handle.raw, "main", SQLITE_FCNTL_CHUNK_SIZE, &bytes)
    guard status == SQLITE_OK else { throw failure() }
  }

  /// Reserves space in the file and runs a change, so that merging the log needs no more space. On
  /// a full disk, the space is released again, because the log of a smaller change needs it.
  /// Requires ``setGrowth(_:)``.
  ///
  /// - Parameter size: The size of the file in bytes up to which space is reserved.
  /// - Throws: A failure with `SQLITE_FULL` if the space is not available, or the failure of the
  ///   change.
  func reserving(
    _ size: Int64, _ change: () throws(SQLiteFailure) -> Void
  ) throws(SQLiteFailure) {
    var statusBefore = stat()
    let isStatusKnown = unsafe lstat(path, &statusBefore) == 0
    do throws(SQLiteFailure) {
      try reserve(size)
      try change()
    } catch {
      // No content is cut off: the file itself is written only when the log is merged, and a failed
      // change is not merged.
      if error.isFullDisk, isStatusKnown { _ = unsafe truncate(path, statusBefore.st_size) }
      throw error
    }
  }

  private func reserve(_ size: Int64) throws(SQLiteFailure) {
    var size = size
    let status = unsafe sqlite3_file_control(handle.raw, "main", SQLITE_FCNTL_SIZE_HINT, &size)
    guard status == SQLITE_OK else {
      throw SQLiteFailure(SQLITE_FULL, "database or disk is full")
    }
  }

  /// Runs a checkpoint: merges the write-ahead log into the file. Later changes overwrite the log
  /// from its beginning.
  func mergeLog() throws(SQLiteFailure) { try execute("PRAGMA wal_checkpoint(PASSIVE)") }

  /// Merges the log into the file and empties it, so that it contains no removed data.
  func emptyLog() throws(SQLiteFailure) { try execute("PRAGMA wal_checkpoint(TRUNCATE)") }

  /// Runs statements without results.
  func execute(_ sql: String) throws(SQLiteFailure) {
    guard unsafe sqlite3_exec(handle.raw, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
  }

  /// Runs statements in a transaction, all or none.
  ///
  /// - Parameter throughToDisk: True if the changes must survive a loss of power. Otherwise they
  ///   survive only the end of the process.
  func transaction(
    throughToDisk: Bool, _ body: () throws(SQLiteFailure) -> Void
  ) throws(SQLiteFailure) {
    if writesThrough != throughToDisk {
      try execute("PRAGMA synchronous = \(throughToDisk ? "FULL" : "NORMAL")")
      writesThrough = throughToDisk
    }
    try transaction(body)
  }

  /// Runs statements in a transaction, all or none. Its durability is that of the connection's
  /// current `synchronous` setting.
  func transaction(_ body: () throws(SQLiteFailure) -> Void) throws(SQLiteFailure) {
    try execute("BEGIN IMMEDIATE")
    do throws(SQLiteFailure) {
      try body()
      try execute("COMMIT")
    } catch {
      // Some failures have already ended the transaction.
      try? execute("ROLLBACK")
      throw error
    }
  }

  func prepare(_ sql: String) throws(SQLiteFailure) -> Statement {
    var prepared: OpaquePointer?
    let status = unsafe sqlite3_prepare_v3(
      handle.raw, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard status == SQLITE_OK, let prepared = unsafe prepared else { throw failure() }
    return unsafe Statement(prepared, of: self)
  }

  func failure() -> SQLiteFailure { handle.failure() }
}
