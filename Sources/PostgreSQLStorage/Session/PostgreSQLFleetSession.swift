import AsyncLocation
import FileAccess
import FoundationEssentials
import LocationFleet

/// A part of a fleet that this process owns.
actor PostgreSQLFleetSession: FleetSession {
  private let thread = FileThread(label: "AsyncLocation.fleet")
  private let server: FleetServer
  private let reader: FleetReader
  private let retention: Duration?
  private let now: @Sendable () -> Date
  /// Nil before the opening, and after a failure.
  private var tables: FleetTables?
  /// The part as it was last known.
  private var part: FleetPart?
  /// When old locations were deleted last.
  private var lastExpiration: Date?
  private var isClosed = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

  /// A third of the time after which another server may take the part.
  nonisolated var longestPause: Duration? { server.lease / 3 }

  init(_ server: FleetServer, retention: Duration?, now: @escaping @Sendable () -> Date) {
    (self.server, self.retention, self.now) = (server, retention, now)
    reader = FleetReader(server)
  }

  /// Takes the part.
  ///
  /// - Returns: What is stored; nil if another server owns the part.
  func open() throws(LocationError) -> StoredFleet? {
    do throws(PostgreSQLFailure) {
      let connection = try server.connect()
      return try claim(over: connection)?.load()
    } catch {
      throw error.error("opened")
    }
  }

  private func claim(over connection: Connection) throws(PostgreSQLFailure) -> FleetTables? {
    // A transaction of a server that stops would keep the part locked.
    let milliseconds = Int(server.lease / .milliseconds(1))
    try connection.script("SET idle_in_transaction_session_timeout = \(milliseconds)")
    guard
      let claimed = try connection.claim(
        fleet: server.fleet, part: server.part, lease: server.leaseSeconds)
    else { return nil }
    let tables = try FleetTables(connection, claimed)
    (part, self.tables) = (claimed, tables)
    return tables
  }

  func commit(_ changes: [FleetStorageChange]) throws(LocationError) {
    guard !isClosed, let tables else {
      throw LocationError(.storageUnavailable, "The fleet's storage is closed.")
    }
    // Until it returns, what is known of the rows may be wrong.
    self.tables = nil
    let (expiry, time) = (expiry, now())
    let isOwner: Bool
    do throws(PostgreSQLFailure) {
      isOwner = try tables.commit(changes, expiry: expiry?.timeIntervalSinceReferenceDate)
    } catch {
      throw error.error("written")
    }
    guard isOwner else { throw superseded }
    (part, self.tables) = (tables.part, tables)
    if expiry != nil { lastExpiration = time }
  }

  /// The time before which locations are deleted now; nil if none are.
  private var expiry: Date? {
    guard let retention else { return nil }
    let (now, age) = (now(), retention / .seconds(1))
    if let lastExpiration, abs(now.timeIntervalSince(lastExpiration)) < min(3_600, age / 10) {
      return nil
    }
    return now.addingTimeInterval(-age)
  }

  private var superseded: LocationError {
    LocationError(
      .superseded,
      "Another server has taken over the part \"\(String(printable: server.part))\" of the fleet.")
  }

  func recover() throws(LocationError) -> LocationError? {
    guard !isClosed, let part else {
      throw LocationError(.storageUnavailable, "The fleet's storage is closed.")
    }
    do throws(PostgreSQLFailure) {
      let connection = try server.connect()
      switch try connection.status(of: part, fleet: server.fleet, part: server.part) {
      case .superseded: break
      case .owned(let part):
        let tables = try FleetTables(connection, part)
        try tables.reloadDevices()
        (self.part, self.tables) = (part, tables)
        return nil
      case .lost:
        guard let tables = try claim(over: connection) else {
          throw PostgreSQLFailure(
            kind: .connection, message: "another server owns this part of the fleet")
        }
        self.tables = nil
        try connection.transaction { () throws(PostgreSQLFailure) in try tables.removeContent() }
        try tables.reloadDevices()
        self.tables = tables
        return LocationError(
          .storageUnavailable, "The fleet's database lacks commits that it had stored.")
      }
    } catch {
      throw error.error("opened")
    }
    throw superseded
  }

  func close() async {
    // Otherwise the server learns of the end from the connection.
    try? tables?.release()
    (tables, isClosed) = (nil, true)
    await reader.close()
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
