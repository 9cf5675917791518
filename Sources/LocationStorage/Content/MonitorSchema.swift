extension DatabaseSchema {
  /// The schema of a monitor file. Its application ID is `ALMo`.
  static let monitor = DatabaseSchema(
    applicationID: 0x414C_4D6F, owner: "a monitor", steps: [monitor1]
  ) { (connection) throws(SQLiteFailure) in
    var row = try connection.prepare("INSERT INTO monitor VALUES (1, ?, ?)")
    try row.bind(lastNumber: 0)
    try row.run()
  }

  // Each group of columns that change together ends with its checksum. Dates are seconds since
  // 2001. A `WITHOUT ROWID` table has no separate index, so reading it once checks all of it.
  private static let monitor1 = """
    CREATE TABLE monitor (
      id INTEGER PRIMARY KEY,
      last_number INTEGER NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE condition (
      identifier TEXT NOT NULL PRIMARY KEY,
      kind INTEGER NOT NULL,
      latitude REAL,
      longitude REAL,
      meters REAL,
      shape BLOB,
      major INTEGER,
      minor INTEGER,
      dwell_seconds INTEGER NOT NULL,
      dwell_attoseconds INTEGER NOT NULL,
      expiry REAL,
      checksum INTEGER NOT NULL,
      state INTEGER NOT NULL,
      state_checksum INTEGER NOT NULL,
      candidate INTEGER,
      candidate_since REAL,
      candidate_checksum INTEGER,
      last_number INTEGER,
      last_state INTEGER,
      last_previous_state INTEGER,
      last_date REAL,
      last_refinement BLOB,
      last_diagnostics INTEGER,
      last_repeated INTEGER,
      last_checksum INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE event (
      number INTEGER PRIMARY KEY,
      state INTEGER NOT NULL,
      previous_state INTEGER NOT NULL,
      date REAL NOT NULL,
      refinement BLOB,
      diagnostics INTEGER NOT NULL,
      repeated INTEGER NOT NULL,
      checksum INTEGER NOT NULL,
      identifier TEXT NOT NULL,
      location BLOB,
      source_checksum INTEGER NOT NULL,
      offered INTEGER NOT NULL,
      offered_checksum INTEGER NOT NULL
    ) STRICT;
    """
}
