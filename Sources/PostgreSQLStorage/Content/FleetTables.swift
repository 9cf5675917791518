import AsyncLocation
import LocationFleet

/// The rows of a part of a fleet that this process owns. One thread uses it at a time.
///
/// After a failure, the cached state of the rows may be wrong until it is refreshed.
final class FleetTables {
  /// The state of a device, cached so that most locations are stored without a query.
  struct Device {
    let row: Int64
    var isKnown = true
    /// Whether the device's row contains the last location. Otherwise the last location is the
    /// newest in the history.
    var hasLocation = false
    /// The number of locations in runs.
    var points = 0
    /// The time of the last location in a chunk.
    var chunkEnd = -Double.infinity
    /// The time of the last location.
    var end = -Double.infinity
  }

  let connection: Connection
  var part: FleetPart
  var devices: [FleetDevice.ID: Device] = [:]
  /// The IDs of the devices by their rows.
  var names: [Int64: FleetDevice.ID] = [:]
  /// The devices with enough locations in runs for a chunk.
  var filled: Set<FleetDevice.ID> = []
  /// Whether this connection holds the advisory lock of the part.
  private var isLocked: Bool

  init(_ connection: Connection, _ part: FleetPart) throws(PostgreSQLFailure) {
    (self.connection, self.part) = (connection, part)
    isLocked = try connection.lock(part.row)
  }

  /// The part, as the first parameter of a statement.
  var ofPart: Parameters {
    var parameters = Parameters()
    parameters.add(part.row)
    return parameters
  }

  // MARK: Opening

  /// Reads everything but the history; nil if another server owns the part.
  func load() throws(PostgreSQLFailure) -> StoredFleet? {
    // `begin()` locks the part, so that no other server claims it until the content is read.
    try connection.transaction { () throws(PostgreSQLFailure) in
      guard try begin() else { return nil }
      let stored = try loadContent()
      try renew()
      return stored
    }
  }

  private func loadContent() throws(PostgreSQLFailure) -> StoredFleet {
    var stored = StoredFleet()
    var damaged = 0
    try connection.rows(
      "SELECT last_number, last_revision FROM async_location.part WHERE id = $1", ofPart
    ) { (row) throws(PostgreSQLFailure) in
      stored.lastNumber = UInt64(clamping: try row.integer())
      stored.lastRevision = UInt32(clamping: try row.integer())
    }
    try connection.rows(
      "SELECT identifier, revision, condition FROM async_location.condition WHERE part = $1", ofPart
    ) { row in
      if let condition = try? row.condition() {
        stored.conditions.append(condition)
      } else {
        damaged += 1
      }
    }
    try connection.rows(
      """
      SELECT number, device, identifier, revision, previous_state, state, location, is_retained,
        is_offered FROM async_location.event WHERE part = $1 ORDER BY number
      """, ofPart
    ) { row in
      if let event = try? row.event() { stored.events.append(event) } else { damaged += 1 }
    }
    damaged += try loadDevices(into: &stored)
    if damaged > 0 {
      stored.problem = LocationError(
        .storageUnavailable,
        "\(damaged) rows of devices, conditions and events of the fleet's database are damaged, and "
          + "left out.")
    }
    return stored
  }

  /// Reads the state of the devices again.
  func reloadDevices() throws(PostgreSQLFailure) {
    var stored = StoredFleet()
    _ = try loadDevices(into: &stored)
  }

  /// Reads the devices, and returns the number of damaged ones. Their histories remain.
  private func loadDevices(into stored: inout StoredFleet) throws(PostgreSQLFailure) -> Int {
    (devices, names, filled) = ([:], [:], [])
    var damaged = 0
    var states: [Int64: [UInt8]] = [:]
    try connection.rows(
      "SELECT id, name, is_known, location, states FROM async_location.device WHERE part = $1",
      ofPart
    ) { (row) throws(PostgreSQLFailure) in
      let number = try row.integer()
      guard let id = try? row.deviceID() else {
        damaged += 1
        return
      }
      var device = Device(row: number, isKnown: try row.bool())
      device.hasLocation = !row.skipNull()
      if device.hasLocation {
        if let location = try? row.location() {
          stored.devices.append(StoredFleet.Device(id: id, location: location))
        } else {
          damaged += 1
        }
      }
      states[number] = try row.optionalBytes()
      (devices[id], names[number]) = (device, id)
    }
    try loadEnds()
    damaged += try loadLastLocations(into: &stored)
    for index in stored.devices.indices {
      let device = devices[stored.devices[index].id]
      stored.devices[index].states = device.flatMap { states[$0.row] }
    }
    return damaged
  }

  /// Reads the numbers and the last times of the devices' locations.
  private func loadEnds() throws(PostgreSQLFailure) {
    try connection.rows(
      """
      SELECT run.device, sum(run.count)::bigint, max(run.end_time) FROM async_location.device
      JOIN async_location.run ON run.device = device.id WHERE part = $1 GROUP BY run.device
      """, ofPart
    ) { (row) throws(PostgreSQLFailure) in
      guard let id = names[try row.integer()] else { return }
      let points = Int(try row.integer())
      devices[id]?.points = points
      devices[id]?.end = try row.double()
      if points >= PackedChunk.length { filled.insert(id) }
    }
    try connection.rows(
      """
      SELECT device.id, chunk.end_time FROM async_location.device CROSS JOIN LATERAL (
        SELECT end_time FROM async_location.chunk WHERE chunk.device = device.id
        ORDER BY start_time DESC LIMIT 1) chunk WHERE part = $1
      """, ofPart
    ) { (row) throws(PostgreSQLFailure) in
      guard let id = names[try row.integer()], var device = devices[id] else { return }
      device.chunkEnd = try row.double()
      device.end = max(device.end, device.chunkEnd)
      devices[id] = device
    }
  }

  /// Reads the last locations that are stored only in the history. Returns the number of missing or
  /// damaged ones.
  private func loadLastLocations(into stored: inout StoredFleet) throws(PostgreSQLFailure) -> Int {
    let inHistory = devices.filter { $1.isKnown && !$1.hasLocation }
    let found = try lastLocations(of: Array(inHistory.values))
    for (id, device) in inHistory {
      guard let location = found[device.row] else { continue }
      stored.devices.append(StoredFleet.Device(id: id, location: location))
    }
    return inHistory.count - found.count
  }

  /// The newest locations of devices in the history, by row. Damaged locations are left out.
  func lastLocations(of devices: [Device]) throws(PostgreSQLFailure) -> [Int64: Location] {
    var found: [Int64: Location] = [:]
    for (table, devices) in [
      ("run", devices.filter { $0.end > $0.chunkEnd }),
      ("chunk", devices.filter { $0.end <= $0.chunkEnd }),
    ] where !devices.isEmpty {
      var parameters = Parameters()
      parameters.add(devices.map(\.row))
      parameters.add(devices.map(\.end))
      try connection.rows(
        """
        SELECT newest.device, newest.locations
        FROM unnest($1::bigint[], $2::double precision[]) AS last (device, time)
        JOIN async_location.\(table) newest
          ON newest.device = last.device AND newest.end_time = last.time
        """, parameters
      ) { (row) throws(PostgreSQLFailure) in
        let device = try row.integer()
        if let last = try? row.locations().last { found[device] = last }
      }
    }
    return found
  }

  // MARK: Ownership

  /// Locks the part: no other server can claim it until the end of the transaction. Reads the state
  /// of the devices again if it has changed without this object.
  ///
  /// - Returns: False if another server owns the part.
  func begin() throws(PostgreSQLFailure) -> Bool {
    if !isLocked { isLocked = try connection.lock(part.row) }
    var parameters = ofPart
    parameters.add(part.claim)
    var found: (erasures: Int64, commits: Int64)?
    try connection.rows(
      """
      SELECT erasures, commits FROM async_location.part WHERE id = $1 AND claim = $2 FOR UPDATE
      """, parameters
    ) { (row) throws(PostgreSQLFailure) in found = (try row.integer(), try row.integer()) }
    guard let found else { return false }
    if found.erasures != part.erasures || found.commits != part.commits {
      // Another part's server has erased devices of this part, or this server's connection broke
      // during a commit.
      (part.erasures, part.commits) = found
      try reloadDevices()
    }
    return true
  }

  /// Locks all parts of the fleet in a fixed order, before devices are erased from them.
  func lockAllParts() throws(PostgreSQLFailure) {
    try connection.run(
      """
      SELECT id FROM async_location.part
      WHERE fleet = (SELECT fleet FROM async_location.part WHERE id = $1) ORDER BY id FOR UPDATE
      """, ofPart)
  }

  /// Renews the lease and records the commits and the last numbers, as the last step of a
  /// transaction.
  func renew(
    commits: Int64 = 0, lastNumber: UInt64 = 0, lastRevision: UInt32 = 0
  ) throws(PostgreSQLFailure) {
    var parameters = ofPart
    parameters.add(isLocked)
    parameters.add(commits)
    parameters.add(Int64(clamping: lastNumber))
    parameters.add(Int64(lastRevision))
    try connection.run(
      """
      UPDATE async_location.part SET renewed = clock_timestamp(), has_lock = $2,
        commits = commits + $3, last_number = greatest(last_number, $4),
        last_revision = greatest(last_revision, $5) WHERE id = $1
      """, parameters)
  }

  /// Reads the state of the devices again, for example after a refused statement.
  ///
  /// - Returns: False if another server owns the part.
  func refresh() throws(PostgreSQLFailure) -> Bool {
    try connection.transaction { () throws(PostgreSQLFailure) in
      guard try begin() else { return false }
      try reloadDevices()
      try renew()
      return true
    }
  }

  /// Releases the part, so that another server can claim it at once.
  func release() throws(PostgreSQLFailure) {
    var parameters = ofPart
    parameters.add(part.claim)
    try connection.run(
      "UPDATE async_location.part SET owner = NULL, renewed = NULL WHERE id = $1 AND claim = $2",
      parameters)
  }

  /// Removes everything except the history. Used before everything is stored again in a database
  /// that lacks commits.
  func removeContent() throws(PostgreSQLFailure) {
    try connection.run("DELETE FROM async_location.condition WHERE part = $1", ofPart)
    try connection.run("DELETE FROM async_location.event WHERE part = $1", ofPart)
    try connection.run(
      """
      UPDATE async_location.device SET is_known = false, location = NULL, states = NULL
      WHERE part = $1
      """, ofPart)
    try reloadDevices()
  }
}
