import AsyncLocation
import LocationFleet

/// The rows of a part of a fleet, which this process owns. One thread uses it at a time.
///
/// After a failure it is not used again: what it knows of the rows may be wrong.
final class FleetTables {
  /// What is known of a device, so that most locations are stored without a question.
  struct Device {
    let row: Int64
    var isKnown = true
    /// Whether the row has the last location, which the history lacks.
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
  var names: [Int64: FleetDevice.ID] = [:]
  /// The devices with enough locations in runs for a chunk.
  var filled: Set<FleetDevice.ID> = []
  /// Whether the server keeps a lock for this connection.
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

  /// Reads everything but the history.
  func load() throws(PostgreSQLFailure) -> StoredFleet {
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

  /// Reads what is known of the devices anew.
  func reloadDevices() throws(PostgreSQLFailure) {
    var stored = StoredFleet()
    _ = try loadDevices(into: &stored)
  }

  /// Returns the number of devices that are damaged. Their histories stay.
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

  /// Reads the last locations that the history has.
  private func loadLastLocations(into stored: inout StoredFleet) throws(PostgreSQLFailure) -> Int {
    var damaged = 0
    try connection.rows(
      """
      SELECT device.id, newest.locations FROM async_location.device CROSS JOIN LATERAL (
        SELECT locations FROM (
          (SELECT end_time, locations FROM async_location.run WHERE run.device = device.id
            ORDER BY end_time DESC LIMIT 1)
          UNION ALL
          (SELECT end_time, locations FROM async_location.chunk WHERE chunk.device = device.id
            ORDER BY start_time DESC LIMIT 1)) ends
        ORDER BY end_time DESC LIMIT 1) newest
      WHERE part = $1 AND is_known AND location IS NULL
      """, ofPart
    ) { (row) throws(PostgreSQLFailure) in
      guard let id = names[try row.integer()] else { return }
      if let last = try? row.locations().last {
        stored.devices.append(StoredFleet.Device(id: id, location: last))
      } else {
        damaged += 1
      }
    }
    return damaged
  }

  // MARK: Ownership

  /// Begins a commit: nobody else takes the part until its end.
  ///
  /// - Returns: False if another server owns the part.
  func begin() throws(PostgreSQLFailure) -> Bool {
    if !isLocked { isLocked = try connection.lock(part.row) }
    var parameters = ofPart
    parameters.add(part.epoch)
    var erasures: Int64?
    try connection.rows(
      "SELECT erasures FROM async_location.part WHERE id = $1 AND epoch = $2 FOR UPDATE", parameters
    ) { (row) throws(PostgreSQLFailure) in erasures = try row.integer() }
    guard let erasures else { return false }
    if erasures != part.erasures {
      // Another part's server has erased devices of this one.
      try reloadDevices()
      part.erasures = erasures
    }
    return true
  }

  /// Lets another server take the part at once.
  func release() throws(PostgreSQLFailure) {
    var parameters = ofPart
    parameters.add(part.epoch)
    try connection.run(
      "UPDATE async_location.part SET owner = NULL, renewed = NULL WHERE id = $1 AND epoch = $2",
      parameters)
  }

  /// Removes everything but the history, from which a database that lacks commits begins anew.
  func removeContent() throws(PostgreSQLFailure) {
    try connection.run("DELETE FROM async_location.condition WHERE part = $1", ofPart)
    try connection.run("DELETE FROM async_location.event WHERE part = $1", ofPart)
    try connection.run(
      """
      UPDATE async_location.device SET is_known = false, location = NULL, states = NULL
      WHERE part = $1
      """, ofPart)
  }
}
