extension DatabaseSchema {
  /// Creates the tables and the first rows of an empty file.
  func create(at path: String) throws(SQLiteFailure) {
    let connection = try Connection(path: path, lock: nil)
    // The file gets its name only when it is complete, so it needs no journal.
    try connection.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = FULL")
    // Both must be set before the first table is created; the file stores them.
    try connection.execute(
      """
      PRAGMA page_size = \(layout.pageSize);
      PRAGMA auto_vacuum = \(layout.returnsPages ? "INCREMENTAL" : "NONE");
      """)
    try connection.execute("PRAGMA application_id = \(applicationID)")
    try migrate(connection, from: 0)
    try fill(connection)
  }

  /// Whether a file has the application ID of this kind, even if the rest is damaged. True for an
  /// empty file, which can be of any kind.
  ///
  /// - Parameter beginning: The first bytes of the file. The application ID is at offset 68; see
  ///   SQLite's file format, section 1.3.
  func hasApplicationID(in beginning: [UInt8]) -> Bool {
    beginning.isEmpty
      || beginning.dropFirst(68).prefix(4)
        .elementsEqual((0..<4).map { UInt8(truncatingIfNeeded: applicationID >> (24 - 8 * $0)) })
  }

  /// Checks a file and returns its version. The structure is checked if ``checksStructure`` is true
  /// and the version is not a later one.
  ///
  /// - Throws: ``SQLiteFailure`` if the file is not of this kind, or if damage is found.
  func version(of connection: Connection) throws(SQLiteFailure) -> Int64 {
    guard try Self.integer("PRAGMA application_id", connection) == applicationID else {
      throw .corrupt("the file is not one of \(owner)")
    }
    let version = try Self.integer("PRAGMA user_version", connection)
    guard version > 0 else { throw .corrupt("the file has no version") }
    guard version <= self.version, checksStructure else { return version }
    let fault = try Self.fault(connection)
    guard fault == "ok" else { throw .corrupt(fault) }
    return version
  }

  /// The first fault in the structure of a file, or "ok".
  private static func fault(_ connection: Connection) throws(SQLiteFailure) -> String {
    var result = try connection.prepare("PRAGMA quick_check(1)")
    guard try result.step() else { throw .corrupt("the file cannot be checked") }
    return try result.text()
  }

  /// Checks that a file can be written, and migrates it to the version of the schema.
  func migrate(_ connection: Connection, from version: Int64) throws(SQLiteFailure) {
    // Throws if the file cannot be written.
    try connection.execute("BEGIN IMMEDIATE; ROLLBACK")
    guard version < self.version else { return }
    try connection.transaction { () throws(SQLiteFailure) in
      for step in steps[Int(version)...] { try connection.execute(step) }
      try connection.execute("PRAGMA user_version = \(self.version)")
    }
  }

  /// Sets the journal mode, the limits of the log and the cache size of an open file.
  func setModes(of connection: Connection) throws(SQLiteFailure) {
    var mode = try connection.prepare("PRAGMA journal_mode = WAL")
    guard try mode.step(), try mode.text() == "wal" else {
      throw .corrupt("the file cannot have a write-ahead log")
    }
    mode.reset()
    // In this order: the number of pages in the log that triggers a checkpoint, the bytes that the
    // log retains after a checkpoint, and a page cache of 8,192 KiB.
    try connection.execute(
      """
      PRAGMA wal_autocheckpoint = \(layout.logPages);
      PRAGMA journal_size_limit = \(layout.logPages * layout.pageSize);
      PRAGMA cache_size = -8192;
      """)
  }

  private static func integer(
    _ sql: String, _ connection: Connection
  ) throws(SQLiteFailure) -> Int64 {
    var statement = try connection.prepare(sql)
    guard try statement.step() else { throw .corrupt("'\(sql)' has no result") }
    return try statement.integer()
  }
}
