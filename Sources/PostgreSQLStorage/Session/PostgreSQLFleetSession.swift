import AsyncLocation
import FileAccess
import FoundationEssentials
import LocationFleet

/// A session on a part of a fleet that this process owns.
actor PostgreSQLFleetSession: FleetSession {
  private let thread = FileThread(label: "AsyncLocation.fleet")
  private let server: FleetServer
  private let reader: FleetReader
  private var retention: FleetRetention
  private let now: @Sendable () -> Date
  private var state = State.closed
  /// The last known state of the part.
  private var part: FleetPart?
  /// The error for a database that lacks commits; nil once everything is stored again.
  private var loss: LocationError?
  /// Identifies this owner in all claims of the session.
  private let claim = Int64.random(in: .min ... .max)
  private var isClosed = false

  private enum State {
    /// There is no connection.
    case closed
    case open(FleetTables)
    /// The connection is open, but the cached state of the rows may be wrong.
    case stale(FleetTables)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

  /// A third of the time after which another server may claim the part.
  nonisolated var longestPause: Duration? { server.lease / 3 }

  init(_ server: FleetServer, retention: Duration?, now: @escaping @Sendable () -> Date) {
    (self.server, self.retention, self.now) = (server, FleetRetention(retention), now)
    reader = FleetReader(server)
  }

  /// Claims the part, and reads its content.
  ///
  /// - Returns: The stored content; nil if another server owns the part.
  func open() throws(LocationError) -> StoredFleet? {
    do throws(PostgreSQLFailure) {
      let connection = try server.connect()
      guard let tables = try claim(over: connection) else { return nil }
      guard
        let stored = try withReadTimeout(
          tables,
          { (tables) throws(PostgreSQLFailure) in
            try tables.load()
          })
      else { return nil }
      state = .open(tables)
      return stored
    } catch {
      throw error.error("opened")
    }
  }

  /// Claims the part over a connection.
  ///
  /// - Returns: The rows of the part; nil if another server owns it.
  private func claim(over connection: Connection) throws(PostgreSQLFailure) -> FleetTables? {
    guard
      let claimed = try connection.claim(
        fleet: server.fleet, part: server.part, as: claim, lease: server.leaseSeconds)
    else { return nil }
    part = claimed
    return try FleetTables(connection, claimed)
  }

  /// Runs a body that reads much data, during which the server may be silent for longer than during
  /// a commit.
  private func withReadTimeout<Value>(
    _ tables: FleetTables, _ body: (FleetTables) throws(PostgreSQLFailure) -> Value
  ) throws(PostgreSQLFailure) -> Value {
    tables.connection.responseTimeout = FleetServer.readTimeout
    defer { tables.connection.responseTimeout = FleetServer.commitTimeout }
    return try body(tables)
  }

  func commit(_ changes: [FleetStorageChange]) throws(LocationError) {
    guard !isClosed, case .open(let tables) = state else { throw closed }
    // Until the commit returns, the cached state of the rows may be wrong.
    state = .closed
    let time = now()
    let expiry = retention.expiry(at: time)
    let isOwner: Bool
    do throws(PostgreSQLFailure) {
      isOwner = try tables.commit(
        changes, expiry: expiry?.timeIntervalSinceReferenceDate, beginsAnew: loss != nil)
    } catch {
      // The connection is retained: without it, another server could claim the part.
      if case .refused = error.kind, (try? tables.connection.script("ROLLBACK")) != nil {
        state = .stale(tables)
      }
      throw error.error("written")
    }
    guard isOwner else { throw superseded }
    (part, state, loss) = (tables.part, .open(tables), nil)
    if expiry != nil { retention.expired(at: time) }
  }

  private var closed: LocationError {
    LocationError(.storageUnavailable, "The fleet's storage is closed.")
  }

  private var superseded: LocationError {
    LocationError(
      .superseded,
      "Another server has taken over the part \"\(String(printable: server.part))\" of the fleet.")
  }

  func recover() throws(LocationError) -> LocationError? {
    guard !isClosed, let part else { throw closed }
    if case .stale(let tables) = state, let isOwner = try? withReadTimeout(tables, Self.refresh) {
      guard isOwner else { throw superseded }
      state = .open(tables)
      return loss
    }
    state = .closed
    let tables: FleetTables?
    do throws(PostgreSQLFailure) {
      tables = try reconnect(part)
    } catch {
      throw error.error("opened")
    }
    guard let tables else { throw superseded }
    state = .open(tables)
    return loss
  }

  /// Reads the state of the part over a new connection.
  ///
  /// - Returns: The rows of the part; nil if another server owns it.
  private func reconnect(_ part: FleetPart) throws(PostgreSQLFailure) -> FleetTables? {
    let connection = try server.connect()
    let tables: FleetTables
    switch try connection.status(of: part, fleet: server.fleet, part: server.part) {
    case .superseded: return nil
    case .owned:
      try connection.endOthers(holding: part.row)
      tables = try FleetTables(connection, part)
    case .lost:
      loss = LocationError(
        .storageUnavailable, "The fleet's database lacks commits that it had stored.")
      guard let claimed = try claim(over: connection) else {
        throw PostgreSQLFailure(
          kind: .connection, message: "another server owns this part of the fleet")
      }
      tables = claimed
    }
    return try withReadTimeout(tables, Self.refresh) ? tables : nil
  }

  private static func refresh(_ tables: FleetTables) throws(PostgreSQLFailure) -> Bool {
    try tables.refresh()
  }

  func close() {
    // If the release fails, the end of the connection releases the advisory lock of the part.
    if !isClosed, case .open(let tables) = state { try? tables.release() }
    (state, isClosed) = (.closed, true)
    reader.close()
  }

  // MARK: History

  nonisolated func locations(
    of device: FleetDevice.ID, from start: Date, to end: Date, count: Int
  ) async throws(LocationError) -> [Location] {
    try await reader.locations(of: device, from: start, to: end, count: count)
  }

  nonisolated func location(
    of device: FleetDevice.ID, at instant: Date
  ) async throws(LocationError) -> Location? {
    try await reader.location(of: device, at: instant)
  }

  nonisolated func visits(
    to area: Condition, from start: Date, to end: Date, after device: FleetDevice.ID?, count: Int
  ) async throws(LocationError) -> [FleetVisit] {
    try await reader.visits(to: area, from: start, to: end, after: device, count: count)
  }
}
