import AsyncLocation
import FoundationEssentials
import LocationPublishing

extension DatabaseSchema {
  /// The files of publications that wait for a broker, which are identified as `ALPu`.
  ///
  /// - Parameters:
  ///   - lastNumber: The number before the first publication of a new file.
  ///   - accuracy: The accuracy that a new file states for the locations before.
  ///   - retainedTopics: The topics of retained messages before.
  ///   - removals: The topics of the removals of retained messages that a new file begins with.
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
      var told = try connection.prepare("INSERT INTO told VALUES (1, ?, ?)")
      try told.bind(accuracy: accuracy)
      try told.run()
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

  // A file of the first version does not know its accuracy, and has no row.
  private static let publications2 = """
    CREATE TABLE told (
      id INTEGER PRIMARY KEY,
      accuracy INTEGER NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;
    """

  // While the last publication waits, its row has the last number, and `queue` an earlier one.
  private static let publications3 = ""

  // A file of an earlier version does not know the topics.
  private static let publications4 = """
    CREATE TABLE retained (
      topic TEXT NOT NULL PRIMARY KEY,
      checksum INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """
}
