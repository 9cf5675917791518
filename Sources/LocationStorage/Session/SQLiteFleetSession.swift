import AsyncLocation
import FoundationEssentials
import LocationFleet

/// A session on an open fleet file.
actor SQLiteFleetSession: FleetSession {
  private let session: StorageSession<FleetDatabase>
  private var retention: FleetRetention
  private let now: @Sendable () -> Date
  /// The identity stored in the opened file, which distinguishes it from every other fleet file.
  private var identity: Int64?
  /// The damage that commits reported since the last commit that succeeded, or since ``recover()``
  /// set the file aside because of such damage.
  private var damages: [SQLiteFailure] = []

  /// Runs the actor on the thread of its file.
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe session.unownedExecutor }

  init(
    _ session: StorageSession<FleetDatabase>, identity: Int64?, retention: Duration?,
    now: @escaping @Sendable () -> Date
  ) {
    (self.session, self.identity) = (session, identity)
    (self.retention, self.now) = (FleetRetention(retention), now)
  }

  func commit(_ changes: [FleetStorageChange]) async throws(LocationError) {
    do throws(LocationError) {
      let time = now()
      let expiry = retention.expiry(at: time)
      try await session.checkPath()
      identity = try await session.access("write") { (database) throws(SQLiteFailure) in
        try database.commit(changes, expiry: expiry)
        return database.identity
      }
      if expiry != nil { retention.expired(at: time) }
      damages = []
    } catch {
      if let cause = error.cause as? SQLiteFailure, cause.kind == .damage { damages.append(cause) }
      throw error
    }
    let erases = changes.contains { if case .erase = $0 { true } else { false } }
    // The changes are already stored, so a failure here is ignored.
    if erases { try? await session.deleteFilesSetAside() }
  }

  func recover() async throws(LocationError) -> LocationError? {
    let stored: StoredFleet?
    if damages.count > 1, let damage = damages.last {
      // The structure check after the first failure found nothing, but a later commit found damage
      // again.
      stored = try await session.startAgain(because: damage)
      damages = []
    } else {
      stored = try await session.reopen(checkingStructure: !damages.isEmpty)
    }
    if let problem = stored?.problem { return problem }
    let openedIdentity = try await session.read { (database) throws(SQLiteFailure) in
      database.identity
    }
    guard let identity, openedIdentity != identity else { return nil }
    self.identity = openedIdentity
    return LocationError(
      .storageUnavailable, "The fleet file was replaced or removed while it was in use.")
  }

  func close() async { await session.close() }

  // MARK: History

  func locations(
    of device: FleetDevice.ID, from start: Date, to end: Date, count: Int
  ) async throws(LocationError) -> [Location] {
    try await session.read { (database) throws(SQLiteFailure) in
      try database.locations(
        of: device, from: start.timeIntervalSinceReferenceDate,
        to: end.timeIntervalSinceReferenceDate, count: count)
    }
  }

  func location(
    of device: FleetDevice.ID, at instant: Date
  ) async throws(LocationError) -> Location? {
    try await session.read { (database) throws(SQLiteFailure) in
      try database.location(of: device, at: instant.timeIntervalSinceReferenceDate)
    }
  }

  func visits(
    to area: Condition, from start: Date, to end: Date, after device: FleetDevice.ID?, count: Int
  ) async throws(LocationError) -> [FleetVisit] {
    let test = try AreaTest(ofHistory: area)
    return try await session.read { (database) throws(SQLiteFailure) in
      try database.visits(
        to: test, from: start.timeIntervalSinceReferenceDate,
        to: end.timeIntervalSinceReferenceDate, after: device, count: count)
    }
  }
}
