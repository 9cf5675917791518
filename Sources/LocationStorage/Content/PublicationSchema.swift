extension DatabaseSchema {
  /// The files of publications that wait for a broker, which are identified as `ALPu`.
  ///
  /// - Parameter lastNumber: The number before the first publication of a new file.
  static func publications(after lastNumber: UInt64) -> DatabaseSchema {
    DatabaseSchema(
      applicationID: 0x414C_5075, table: "publication", owner: "a publication queue",
      steps: [publications1]
    ) { (connection) throws(SQLiteFailure) in
      var row = try connection.prepare("INSERT INTO queue VALUES (1, ?, ?)")
      try row.bind(lastNumber: lastNumber)
      try row.run()
    }
  }

  // Groups of columns end with their checksum. Dates are seconds since 2001.
  private static let publications1 = """
    CREATE TABLE queue (
      id INTEGER PRIMARY KEY,
      last_number INTEGER NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE publication (
      number INTEGER PRIMARY KEY,
      date REAL NOT NULL,
      topic TEXT NOT NULL,
      retained INTEGER NOT NULL,
      payload BLOB NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;
    """
}
