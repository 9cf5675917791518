import AsyncLocation
import FileAccess
import FoundationEssentials
import LocationFleet

/// Queries a fleet's history over a connection of its own, so that no commit waits for a query.
actor FleetReader: FleetHistorySource {
  private let thread = FileThread(label: "AsyncLocation.history")
  private let server: FleetServer
  /// Nil before the first query, and after a failure.
  private var connection: Connection?
  private nonisolated let isClosed = Locked(false)

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

  init(_ server: FleetServer) { self.server = server }

  /// Connects, to detect a server that cannot be reached.
  func open() throws(LocationError) { try read { (_) throws(PostgreSQLFailure) in } }

  /// Makes further queries throw. A running query is completed.
  nonisolated func close() { isClosed.withLock { $0 = true } }

  /// Runs a body with a connection. If a connection that was used before is broken, the body is run
  /// again with a new one.
  private func read<Value>(
    _ body: (Connection) throws(PostgreSQLFailure) -> Value
  ) throws(LocationError) -> Value {
    guard !isClosed.withLock(\.self) else {
      throw LocationError(.storageUnavailable, "The fleet's storage is closed.")
    }
    let isNew = connection == nil
    do throws(PostgreSQLFailure) {
      return try body(connected())
    } catch {
      connection = nil
      guard error.kind == .connection, !isNew else { throw error.error("read") }
    }
    // The connection may have broken after the last query.
    do throws(PostgreSQLFailure) {
      return try body(connected())
    } catch {
      connection = nil
      throw error.error("read")
    }
  }

  private func connected() throws(PostgreSQLFailure) -> Connection {
    if let connection { return connection }
    let opened = try server.connectForReading()
    connection = opened
    return opened
  }

  // MARK: Answers

  func locations(
    of device: FleetDevice.ID, from start: Date, to end: Date, count: Int
  ) throws(LocationError) -> [Location] {
    try read { (connection) throws(PostgreSQLFailure) in
      try connection.locations(
        of: device, fleet: server.fleet, from: start.timeIntervalSinceReferenceDate,
        to: end.timeIntervalSinceReferenceDate, count: count)
    }
  }

  func location(
    of device: FleetDevice.ID, at instant: Date
  ) throws(LocationError) -> Location? {
    try read { (connection) throws(PostgreSQLFailure) in
      try connection.location(
        of: device, fleet: server.fleet, at: instant.timeIntervalSinceReferenceDate)
    }
  }

  func visits(
    to area: Condition, from start: Date, to end: Date, after device: FleetDevice.ID?, count: Int
  ) throws(LocationError) -> [FleetVisit] {
    let test = try AreaTest(ofHistory: area)
    return try read { (connection) throws(PostgreSQLFailure) in
      try connection.visits(
        to: test, fleet: server.fleet, from: start.timeIntervalSinceReferenceDate,
        to: end.timeIntervalSinceReferenceDate, after: device, count: count)
    }
  }
}
