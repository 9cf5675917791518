import AsyncLocation
import FoundationEssentials

/// The content of the file of a geocoder's cache. One thread uses it at a time.
final class GeocodingDatabase: StoredDatabase {
  let connection: Connection
  private var keep: Statement
  private var remove: Statement
  /// Whether the log may have what was removed.
  private var isErasing = false

  init(_ connection: Connection) throws(SQLiteFailure) {
    self.connection = connection
    keep = try connection.prepare("REPLACE INTO answer VALUES (?, ?, ?, ?)")
    remove = try connection.prepare("DELETE FROM answer WHERE id = ?")
    // An answer may be lost with the power: the geocoder is then queried again.
    try connection.execute("PRAGMA synchronous = NORMAL")
    // The points are where somebody was: nothing of what is removed stays in the file.
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
        case .keep(let answer):
          try keep.bind(answer)
          try keep.run()
        case .remove(let id):
          isErasing = true
          try remove.bind(Int64(clamping: id))
          try remove.run()
        }
      }
    }
    // The changes are stored, whether this succeeds or not.
    if isErasing, (try? connection.emptyLog()) != nil { isErasing = false }
  }
}
