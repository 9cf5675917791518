/// The statements that change a monitor's file, prepared once.
struct MonitorStatements: ~Copyable {
  var setLastNumber: Statement
  var addCondition: Statement
  var removeCondition: Statement
  /// Sets the state of a condition, and clears its candidate.
  var setState: Statement
  var setCandidate: Statement
  var addEvent: Statement
  var offerEvent: Statement
  /// Makes an event the last event of its condition.
  var setLastEvent: Statement
  var removeEvent: Statement
  var removeEvents: Statement

  static func prepare(_ connection: Connection) throws(SQLiteFailure) -> Self {
    Self(
      setLastNumber: try connection.prepare("REPLACE INTO monitor VALUES (1, ?, ?)"),
      addCondition: try connection.prepare(
        """
        REPLACE INTO condition VALUES
        (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """),
      removeCondition: try connection.prepare("DELETE FROM condition WHERE identifier = ?"),
      setState: try connection.prepare(
        """
        UPDATE condition SET state = ?, state_checksum = ?, candidate = NULL,
        candidate_since = NULL, candidate_checksum = NULL WHERE identifier = ?
        """),
      setCandidate: try connection.prepare(
        """
        UPDATE condition SET candidate = ?, candidate_since = ?, candidate_checksum = ?
        WHERE identifier = ?
        """),
      addEvent: try connection.prepare(
        "REPLACE INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      offerEvent: try connection.prepare(
        "UPDATE event SET offered = ?, offered_checksum = ? WHERE number = ?"),
      setLastEvent: try connection.prepare(
        """
        UPDATE condition SET (last_number, last_state, last_previous_state, last_date,
        last_refinement, last_diagnostics, last_repeated, last_checksum) = (event.number,
        event.state, event.previous_state, event.date, event.refinement, event.diagnostics,
        event.repeated, event.checksum)
        FROM event WHERE event.number = ? AND condition.identifier = event.identifier
        AND (condition.last_number IS NULL OR condition.last_number < event.number)
        """),
      removeEvent: try connection.prepare("DELETE FROM event WHERE number = ?"),
      removeEvents: try connection.prepare("DELETE FROM event WHERE number <= ? AND offered = 0"))
  }
}
