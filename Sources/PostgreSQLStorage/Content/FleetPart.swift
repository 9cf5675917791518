import Glibc

/// A part of a fleet that one server owns, and the proof of its ownership.
struct FleetPart: Hashable {
  let row: Int64
  /// A random number that identifies the owner. A server with a different claim no longer owns the
  /// part.
  let claim: Int64
  /// The claim of the previous owner; nil if there was none. A database that lost `claim` still has
  /// this one.
  let formerClaim: Int64?
  /// The number of commits that are known to be stored.
  var commits: Int64
  /// How many times another part's server erased devices of this part.
  var erasures: Int64
}

/// The status of a part after a lost connection.
enum FleetPartStatus: Hashable {
  case owned
  /// Another server owns the part, or owned it in the meantime.
  case superseded
  /// The database lacks commits that it had stored, and no other server has owned the part.
  case lost
}

extension Connection {
  // MARK: Ownership

  /// Claims a part, unless another server owns it.
  ///
  /// - Parameters:
  ///   - claim: The claim of the new owner.
  ///   - lease: The seconds for which an inactive owner retains the part.
  /// - Returns: The part; nil if another server owns it.
  func claim(
    fleet: String, part: String, as claim: Int64, lease: Double
  ) throws(PostgreSQLFailure) -> FleetPart? {
    var names = Parameters()
    names.add(fleet)
    names.add(part)
    try run(
      "INSERT INTO async_location.part (fleet, name) VALUES ($1, $2) ON CONFLICT DO NOTHING", names)
    let claimed = try transaction { () throws(PostgreSQLFailure) -> FleetPart? in
      var found: FleetPart?
      var (isExpired, hasLock) = (false, false)
      // An owner locks the row while it commits; a locked row is not returned.
      try rows(
        """
        SELECT id, claim, commits, erasures, \(Self.isExpired), has_lock
        FROM async_location.part WHERE fleet = $1 AND name = $2 FOR UPDATE SKIP LOCKED
        """, names
      ) { (row) throws(PostgreSQLFailure) in
        let number = try row.integer()
        let former = row.skipNull() ? nil : try row.integer()
        found = FleetPart(
          row: number, claim: claim, formerClaim: former, commits: try row.integer(),
          erasures: try row.integer())
        isExpired = try row.bool()
        hasLock = try row.bool()
      }
      guard let found else { return nil }
      // The database releases the advisory lock when the owner's connection ends. If the owner held
      // it (`has_lock`) and this connection now does, the owner's connection has ended.
      let isLocked = try lock(found.row)
      guard isExpired || (hasLock && isLocked) else { return nil }
      var update = Parameters()
      update.add(found.row)
      update.add(claim)
      update.add(Self.ownName)
      update.add(lease)
      update.add(isLocked)
      try run(
        """
        UPDATE async_location.part SET claim = $2, owner = $3, lease = $4, has_lock = $5,
          renewed = clock_timestamp() WHERE id = $1
        """, update)
      return found
    }
    if let claimed {
      try endOthers(holding: claimed.row)
    } else {
      try endFrozenOwner(names)
    }
    return claimed
  }

  /// The SQL condition that the owner has released the part, or has been inactive for longer than
  /// its lease.
  private static var isExpired: String {
    "renewed IS NULL OR renewed < clock_timestamp() - make_interval(secs => lease)"
  }

  /// Returns the status of a part that this process owned.
  func status(
    of last: FleetPart, fleet: String, part: String
  ) throws(PostgreSQLFailure) -> FleetPartStatus {
    var names = Parameters()
    names.add(fleet)
    names.add(part)
    var status = FleetPartStatus.lost
    try rows(
      "SELECT claim, commits FROM async_location.part WHERE fleet = $1 AND name = $2", names
    ) { (row) throws(PostgreSQLFailure) in
      let claim = row.skipNull() ? nil : try row.integer()
      if claim == last.claim {
        status = try row.integer() >= last.commits ? .owned : .lost
      } else if claim != last.formerClaim {
        status = .superseded
      }
    }
    return status
  }

  /// Tries to acquire the advisory lock that shows that the owner's connection is open. Returns
  /// false if another connection holds it.
  func lock(_ part: Int64) throws(PostgreSQLFailure) -> Bool {
    var isLocked = false
    try rows("SELECT pg_try_advisory_lock(\(Self.lockKey) + \(part))") {
      (row) throws(PostgreSQLFailure) in isLocked = try row.bool()
    }
    return isLocked
  }

  /// Ends the other connections that hold the advisory lock of a part: those of earlier owners.
  func endOthers(holding part: Int64) throws(PostgreSQLFailure) {
    try endBackends("\(Self.heldLock) = \(Self.lockKey) + \(part)")
  }

  /// Ends the connection of an owner whose lease has expired and that stopped within a commit, so
  /// that the row remains locked. Such a connection waits for its client. A part without a claim has no
  /// owner: a server may be claiming it.
  private func endFrozenOwner(_ names: Parameters) throws(PostgreSQLFailure) {
    try endBackends(
      """
      \(Self.heldLock) IN (SELECT \(Self.lockKey) + id FROM async_location.part
        WHERE fleet = $1 AND name = $2 AND claim IS NOT NULL AND (\(Self.isExpired))
          AND (wait_event = 'ClientRead' AND state_change < clock_timestamp() - make_interval(secs => lease)
            OR wait_event = 'ClientWrite' AND state_change < clock_timestamp() - interval '1 minute'))
      """, names)
  }

  private func endBackends(
    _ condition: String, _ parameters: Parameters = Parameters()
  ) throws(PostgreSQLFailure) {
    do throws(PostgreSQLFailure) {
      try run(
        """
        SELECT pg_terminate_backend(pid, 5000) FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE locktype = 'advisory' AND granted AND pid <> pg_backend_pid()
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND \(condition)
        """, parameters)
    } catch {
      // This role may not end the connection of another role, which keeps its lock until it ends.
      guard case .refused = error.kind else { throw error }
    }
  }

  /// The SQL expression for the number of an advisory lock in `pg_locks`.
  private static var heldLock: String { "(classid::bigint << 32) + objid::bigint" }

  /// The base of the advisory lock numbers: `ALFl` in the upper 32 bits. The row number of a part
  /// is added to it.
  static var lockKey: Int64 { 0x414C_466C << 32 }

  /// The host and the process ID, for people who read the table.
  private static var ownName: String {
    var name = [CChar](repeating: 0, count: 256)
    unsafe gethostname(&name, name.count - 1)
    let host = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return "\(host):\(getpid())"
  }
}
