import AsyncLocation
import FoundationEssentials
import LocationPublishing

extension DatabaseSchema {
  /// The schema of a file of publications that wait for a broker. Its application ID is `ALPu`.
  ///
  /// - Parameters:
  ///   - lastNumber: The number before the first publication of a new file.
  ///   - accuracy: The accuracy to record in a new file for locations published before the file was
  ///     created.
  ///   - retainedTopics: The topics whose messages the broker may still retain from before the file
  ///     was created.
  ///   - removals: The topics to clear: a new file begins with an empty retained publication for
  ///     each.
  static func publications(
    after lastNumber: UInt64, accuracy: AccuracyAuthorization? = nil,
    retainedTopics: Set<ExactText> = [], removals: [ExactText] = []
  ) -> DatabaseSchema {
    DatabaseSchema(
      applicationID: 0x414C_5075, owner: "a publication queue",
      steps: [publications1, publications2, publications3, publications4],
      layout: Layout(pageSize: 512, returnsPages: true)
    ) { (connection) throws(SQLiteFailure) in
      var row = try connection.prepare("INSERT INTO queue VALUES (1, ?, ?)")
      try row.bind(lastNumber: lastNumber)
      try row.run()
      var accuracyRow = try connection.prepare("INSERT INTO told VALUES (1, ?, ?)")
      try accuracyRow.bind(accuracy: accuracy)
      try accuracyRow.run()
      var retained = try connection.prepare("INSERT INTO retained VALUES (?, ?)")
      for topic in retainedTopics {
        try retained.bind(retainedTopic: topic)
        try retained.run()
      }
      var publication = try connection.prepare("INSERT INTO publication VALUES (?, ?, ?, ?, ?, ?)")
      for (number, topic) in zip((lastNumber + 1)..., removals) {
        try publication.bind(
          PendingPublication(topic: topic.text, payload: [], isRetained: true, date: Date()),
          number: number)
        try publication.run()
      }
    }
  }

  // The last column of each row is its checksum. Dates are seconds since 2001.
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

  // A file upgraded from version 1 has no row; `load()` then assumes full accuracy.
  private static let publications2 = """
    CREATE TABLE told (
      id INTEGER PRIMARY KEY,
      accuracy INTEGER NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;
    """

  // Changes no table. From version 3, `queue.last_number` may lag behind the number of the last
  // waiting publication.
  private static let publications3 = ""

  // Empty after an upgrade: earlier versions did not record the topics.
  private static let publications4 = """
    CREATE TABLE retained (
      topic TEXT NOT NULL PRIMARY KEY,
      checksum INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """
}
