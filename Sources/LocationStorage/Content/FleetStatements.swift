/// The prepared statements of a fleet file.
struct FleetStatements: ~Copyable {
  var addCondition: Statement
  var removeCondition: Statement
  var addEvent: Statement
  var offer: Statement
  var finish: Statement
  var eraseEvents: Statement
  var addDevice: Statement
  var setLocation: Statement
  var setStates: Statement
  var forget: Statement
  var setNumbers: Statement
  var addPoint: Statement
  var points: Statement
  var removePoints: Statement
  var addChunk: Statement
  var chunkAt: Statement
  var nextStart: Statement
  var removeChunk: Statement
  var addBox: Statement
  var removeBox: Statement

  /// Statements that delete everything of a device except its events and its boxes.
  static let erasures = [
    "DELETE FROM chunk WHERE device = ?",
    "DELETE FROM point WHERE device = ?",
    "DELETE FROM device WHERE id = ?",
  ]

  /// Adds the boxes of all chunks.
  static let addBoxes =
    "INSERT INTO chunk_box SELECT id, south, north, west, east, start, end FROM chunk"

  static func prepare(_ connection: Connection) throws(SQLiteFailure) -> Self {
    Self(
      addCondition: try connection.prepare("REPLACE INTO condition VALUES (?, ?, ?, ?, ?)"),
      removeCondition: try connection.prepare("DELETE FROM condition WHERE identifier = ?"),
      addEvent: try connection.prepare(
        "REPLACE INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      offer: try connection.prepare(
        "UPDATE event SET offered = ?, offered_checksum = ? WHERE number = ?"),
      finish: try connection.prepare("DELETE FROM event WHERE number = ?"),
      eraseEvents: try connection.prepare("DELETE FROM event WHERE device = ?"),
      addDevice: try connection.prepare(
        """
        INSERT INTO device (name, name_checksum) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET
          name_checksum = excluded.name_checksum, location = NULL, location_checksum = NULL,
          states = NULL, states_checksum = NULL RETURNING id
        """),
      setLocation: try connection.prepare(
        "UPDATE device SET location = ?, location_checksum = ? WHERE id = ?"),
      setStates: try connection.prepare(
        "UPDATE device SET states = ?, states_checksum = ? WHERE id = ?"),
      forget: try connection.prepare(
        """
        UPDATE device SET location = NULL, location_checksum = NULL, states = NULL,
          states_checksum = NULL WHERE id = ?
        """),
      setNumbers: try connection.prepare("REPLACE INTO fleet VALUES (1, ?, ?, ?, ?)"),
      addPoint: try connection.prepare(
        "INSERT OR IGNORE INTO point VALUES (?, ?, ?, ?, ?, ?) RETURNING 1"),
      points: try connection.prepare(
        "SELECT * FROM point WHERE device = ? AND time >= ? AND time < ? ORDER BY time LIMIT ?"),
      removePoints: try connection.prepare("DELETE FROM point WHERE device = ? AND time <= ?"),
      addChunk: try connection.prepare(
        "INSERT INTO chunk VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id"),
      chunkAt: try connection.prepare(
        "SELECT * FROM chunk WHERE device = ? AND start <= ? ORDER BY start DESC LIMIT 1"),
      nextStart: try connection.prepare(
        "SELECT start FROM chunk WHERE device = ? AND start > ? ORDER BY start LIMIT 1"),
      removeChunk: try connection.prepare("DELETE FROM chunk WHERE id = ?"),
      addBox: try connection.prepare("\(addBoxes) WHERE id = ?"),
      removeBox: try connection.prepare("DELETE FROM chunk_box WHERE id = ?"))
  }
}

extension Statement {
  /// Binds a number as the last parameter, and runs the statement.
  mutating func run(_ number: Int64) throws(SQLiteFailure) {
    try bind(number)
    try run()
  }
}
