import AsyncLocation
import FoundationEssentials
import LocationFleet

/// An open file of a fleet.
actor SQLiteFleetSession: FleetSession {
  private let session: StorageSession<FleetDatabase>
  private let retention: Duration?
  private let now: @Sendable () -> Date
  /// When old locations were deleted last.
  private var lastExpiration: Date?
  /// Whether the last commit found the file damaged.
  private var isDamaged = false

  /// The thread of the file.
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe session.unownedExecutor }

  init(
    _ session: StorageSession<FleetDatabase>, retention: Duration?,
    now: @escaping @Sendable () -> Date
  ) {
    (self.session, self.retention, self.now) = (session, retention, now)
  }

  func commit(_ changes: [FleetStorageChange]) async throws(LocationError) {
    do throws(LocationError) {
      let expiry = expiry
      try await session.write { (database) throws(SQLiteFailure) in
        try database.commit(changes, expiry: expiry)
      }
      if expiry != nil { lastExpiration = now() }
    } catch {
      isDamaged = (error.cause as? SQLiteFailure)?.kind == .damage
      throw error
    }
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

  func recover() async throws(LocationError) -> Bool {
    let stored = try await session.reopen(checkingStructure: isDamaged)
    isDamaged = false
    return stored?.problem == nil
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
