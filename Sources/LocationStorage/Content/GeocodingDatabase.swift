import AsyncLocation
import FoundationEssentials

/// The content of a geocoding cache file. One thread uses it at a time.
final class GeocodingDatabase: StoredDatabase {
  let connection: Connection
  private var store: Statement
  private var remove: Statement
  /// Whether the log may still contain removed data, including data that an earlier process
  /// removed.
  private var mustEmptyLog = true

  init(_ connection: Connection) throws(SQLiteFailure) {
    self.connection = connection
    store = try connection.prepare("REPLACE INTO answer VALUES (?, ?, ?, ?)")
    remove = try connection.prepare("DELETE FROM answer WHERE id = ?")
    // A loss of power may lose answers: the geocoder is then queried again.
    try connection.execute("PRAGMA synchronous = NORMAL")
    // Makes SQLite overwrite removed data with zeros: the points reveal where a person was.
    try connection.execute("PRAGMA secure_delete = ON")
  }

  func load() throws(SQLiteFailure) -> StoredAnswers {
    var stored = StoredAnswers()
    var rows = try connection.prepare("SELECT * FROM answer ORDER BY id")
    while try rows.step() { stored.answers.append(try rows.storedAnswer()) }
    return stored
  }

  /// Applies changes, all or none. After a failure, the database must be opened again.
  func commit(_ changes: [GeocodingChange]) throws(SQLiteFailure) {
    try connection.transaction { () throws(SQLiteFailure) in
      for change in changes {
        switch change {
        case .store(let answer):
          try store.bind(answer)
          try store.run()
        case .remove(let id):
          mustEmptyLog = true
          try remove.bind(Int64(clamping: id))
          try remove.run()
        }
      }
    }
    // The changes are already stored. If the log cannot be emptied, the next commit tries again.
    if mustEmptyLog, (try? connection.emptyLog()) != nil { mustEmptyLog = false }
  }
}
