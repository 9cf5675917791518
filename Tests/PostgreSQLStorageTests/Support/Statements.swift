import TestSupport

@testable import PostgreSQLStorage

/// Runs each statement over a new connection.
enum Statements {
  static func run(_ statement: String, _ connection: String) async throws {
    try await onThread {
      try Connection(connection, responseTimeout: .seconds(60)).script(statement)
    }
  }

  /// The number that a statement returns.
  static func number(_ statement: String, _ connection: String) async throws -> Int64 {
    try await onThread {
      try Connection(connection, responseTimeout: .seconds(60)).number(statement)
    }
  }

  /// Ends all other connections to the database.
  static func endConnections(_ connection: String) async throws {
    try await run(
      """
      SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()
      """, connection)
  }
}

extension Connection {
  /// The number that a statement returns.
  func number(_ statement: String) throws(PostgreSQLFailure) -> Int64 {
    var number: Int64 = 0
    try rows(statement) { (row) throws(PostgreSQLFailure) in number = try row.integer() }
    return number
  }
}

/// A value that one thread uses at a time.
struct UncheckedBox<Value>: @unchecked Sendable {
  // SAFETY: a test uses it on one thread after the other.
  let value: Value

  init(_ value: Value) { self.value = value }
}
