extension DatabaseSchema {
  /// The schema of a fleet file. Its application ID is `ALFl`.
  static let fleet = DatabaseSchema(
    applicationID: 0x414C_466C, owner: "a fleet", steps: [fleet1],
    layout: Layout(logPages: 1_024), checksStructure: false
  ) { (connection) throws(SQLiteFailure) in
    var row = try connection.prepare("INSERT INTO fleet VALUES (1, ?, ?, ?, ?)")
    try row.bind(identity: Int64.random(in: .min ... .max), lastNumber: 0, lastRevision: 0)
    try row.run()
  }

  // Each group of columns ends with its checksum. Times are seconds since 2001, and locations are
  // packed. A device with a null location was forgotten, but has a history. Locations that are not
  // yet in a chunk are stored as points. The chunks of a device do not overlap.
  private static let fleet1 = """
    CREATE TABLE fleet (
      id INTEGER PRIMARY KEY,
      identity INTEGER NOT NULL,
      last_number INTEGER NOT NULL,
      last_revision INTEGER NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE condition (
      identifier TEXT NOT NULL PRIMARY KEY,
      revision INTEGER NOT NULL,
      condition BLOB NOT NULL,
      audience BLOB,
      checksum INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE device (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      name_checksum INTEGER NOT NULL,
      location BLOB,
      location_checksum INTEGER,
      states BLOB,
      states_checksum INTEGER
    ) STRICT;
    CREATE TABLE event (
      number INTEGER PRIMARY KEY,
      device TEXT NOT NULL,
      identifier TEXT NOT NULL,
      revision INTEGER NOT NULL,
      previous_state INTEGER NOT NULL,
      state INTEGER NOT NULL,
      location BLOB NOT NULL,
      retained INTEGER NOT NULL,
      checksum INTEGER NOT NULL,
      offered INTEGER NOT NULL,
      offered_checksum INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE point (
      device INTEGER NOT NULL,
      time REAL NOT NULL,
      latitude REAL NOT NULL,
      longitude REAL NOT NULL,
      location BLOB NOT NULL,
      checksum INTEGER NOT NULL,
      PRIMARY KEY (device, time)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE chunk (
      id INTEGER PRIMARY KEY,
      device INTEGER NOT NULL,
      start REAL NOT NULL,
      end REAL NOT NULL,
      south REAL NOT NULL,
      north REAL NOT NULL,
      west REAL NOT NULL,
      east REAL NOT NULL,
      locations BLOB NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX chunk_of_device ON chunk (device, start, end);
    CREATE INDEX chunk_by_time ON chunk (start);
    \(createBoxes)
    """

  /// The index of the chunks by position and time.
  static let createBoxes = """
    CREATE VIRTUAL TABLE chunk_box USING rtree (
      id, min_latitude, max_latitude, min_longitude, max_longitude, min_time, max_time
    );
    """
}
