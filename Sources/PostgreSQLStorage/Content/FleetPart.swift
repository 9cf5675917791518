import Glibc

/// A part of a fleet that one server owns, and the proof of it.
struct FleetPart: Hashable {
  /// The row, and a number that distinguishes it from another database's.
  let row: Int64
  let identity: Int64
  /// Increases with each owner: who has an earlier one owns it no longer.
  let epoch: Int64
  /// The number of commits that are known to be stored.
  var commits: Int64
  /// How often devices were erased by another part's server.
  var erasures: Int64
}

/// What became of a part while there was no connection.
enum FleetPartStatus: Hashable {
  case owned(FleetPart)
  /// Another server owns it now.
  case superseded
  /// The database lacks commits that it had.
  case lost
}

extension Connection {
  /// Creates the tables, if there are none.
  func prepareFleets() throws(PostgreSQLFailure) {
    guard serverVersion >= 130_000 else { throw .unsupported("PostgreSQL 13 or later is needed") }
    guard setting("server_encoding") == "UTF8" else {
      throw .unsupported("the database must have the encoding UTF8")
    }
    try script("SET client_min_messages = error")
    if try fleetVersion == nil {
      // Two servers that begin at once wait for each other.
      try transaction { () throws(PostgreSQLFailure) in
        try run("SELECT pg_advisory_xact_lock(\(Self.lockKey))")
        if try fleetVersion == nil { try script(FleetSchema.creation) }
      }
    }
    try checkFleets()
  }

  /// Checks that this version can read the tables.
  func checkFleets() throws(PostgreSQLFailure) {
    switch try fleetVersion {
    case FleetSchema.version: try script("SET search_path = pg_catalog")
    case nil: throw .unsupported("it has no tables of fleets")
    default: throw .unsupported("its tables are of a later version")
    }
  }

  private var fleetVersion: Int64? {
    get throws(PostgreSQLFailure) {
      var (exists, version) = (false, nil as Int64?)
      try rows("SELECT to_regclass('async_location.version') IS NOT NULL") {
        (row) throws(PostgreSQLFailure) in exists = try row.bool()
      }
      guard exists else { return nil }
      try rows("SELECT version FROM async_location.version") { (row) throws(PostgreSQLFailure) in
        version = try row.integer()
      }
      return version ?? 0
    }
  }

  /// Runs a body between `BEGIN` and `COMMIT`. After a failure, the connection is not used again.
  func transaction<Value>(
    _ body: () throws(PostgreSQLFailure) -> Value
  ) throws(PostgreSQLFailure) -> Value {
    try script("BEGIN")
    let value = try body()
    try script("COMMIT")
    return value
  }

  // MARK: Ownership

  /// Takes a part, unless another server owns it.
  ///
  /// - Parameters:
  ///   - lease: The seconds for which an owner that does nothing keeps it.
  /// - Returns: Nil if another server owns it.
  func claim(
    fleet: String, part: String, lease: Double
  ) throws(PostgreSQLFailure) -> FleetPart? {
    var names = Parameters()
    names.add(fleet)
    names.add(part)
    var insertion = names
    insertion.add(Int64.random(in: .min ... .max))
    try run(
      """
      INSERT INTO async_location.part (fleet, name, identity) VALUES ($1, $2, $3)
      ON CONFLICT DO NOTHING
      """, insertion)
    let claimed = try transaction { () throws(PostgreSQLFailure) -> FleetPart? in
      var selection = names
      selection.add(lease)
      var (found, isExpired) = (nil as FleetPart?, false)
      // An owner that commits has locked the row.
      try rows(
        """
        SELECT id, identity, epoch, commits, erasures,
          renewed IS NULL OR renewed < clock_timestamp() - make_interval(secs => $3)
        FROM async_location.part WHERE fleet = $1 AND name = $2 FOR UPDATE SKIP LOCKED
        """, selection
      ) { (row) throws(PostgreSQLFailure) in
        found = FleetPart(
          row: try row.integer(), identity: try row.integer(), epoch: try row.integer() + 1,
          commits: try row.integer(), erasures: try row.integer())
        isExpired = try row.bool()
      }
      guard let found else { return nil }
      // The server lets go of it when the owner's connection ends.
      guard try lock(found.row) || isExpired else { return nil }
      var update = Parameters()
      update.add(found.row)
      update.add(found.epoch)
      update.add(Self.ownName)
      try run(
        """
        UPDATE async_location.part SET epoch = $2, owner = $3, renewed = clock_timestamp()
        WHERE id = $1
        """, update)
      return found
    }
    if let claimed { try endOthers(holding: claimed.row) }
    return claimed
  }

  /// What became of a part that this process owned.
  ///
  /// - Parameter last: The part as it was last known.
  func status(
    of last: FleetPart, fleet: String, part: String
  ) throws(PostgreSQLFailure) -> FleetPartStatus {
    var names = Parameters()
    names.add(fleet)
    names.add(part)
    var status = FleetPartStatus.lost
    try rows(
      """
      SELECT id, identity, epoch, commits, erasures FROM async_location.part
      WHERE fleet = $1 AND name = $2
      """, names
    ) { (row) throws(PostgreSQLFailure) in
      let found = FleetPart(
        row: try row.integer(), identity: try row.integer(), epoch: try row.integer(),
        commits: try row.integer(), erasures: try row.integer())
      guard found.identity == last.identity, found.row == last.row else { return }
      if found.epoch > last.epoch { status = .superseded }
      if found.epoch == last.epoch, found.commits >= last.commits { status = .owned(found) }
    }
    if case .owned = status { try endOthers(holding: last.row) }
    return status
  }

  /// Takes the lock that shows that the owner's connection stands.
  func lock(_ part: Int64) throws(PostgreSQLFailure) -> Bool {
    var isLocked = false
    try rows("SELECT pg_try_advisory_lock(\(Self.lockKey) + \(part))") {
      (row) throws(PostgreSQLFailure) in isLocked = try row.bool()
    }
    return isLocked
  }

  /// Ends the connections of earlier owners, which may hold locks.
  private func endOthers(holding part: Int64) throws(PostgreSQLFailure) {
    try run(
      """
      SELECT pg_terminate_backend(pid) FROM pg_locks
      WHERE locktype = 'advisory' AND granted AND pid <> pg_backend_pid()
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND (classid::bigint << 32) + objid::bigint = \(Self.lockKey) + \(part)
      """)
  }

  /// The first of the numbers of advisory locks: `ALFl`, and then the row of a part.
  private static var lockKey: Int64 { 0x414C_466C << 32 }

  /// The host and the process, for people who look at the table.
  private static var ownName: String {
    var name = [CChar](repeating: 0, count: 256)
    unsafe gethostname(&name, name.count - 1)
    let host = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return "\(host):\(getpid())"
  }
}
