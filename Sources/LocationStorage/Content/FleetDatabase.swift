import AsyncLocation
import FoundationEssentials
import LocationFleet

/// The content of a fleet file. One thread uses it at a time.
///
/// New locations of a device are stored as points. When a device has `PackedChunk.length` points,
/// the oldest ones that fill a page are packed into a chunk, in the same transaction.
final class FleetDatabase: StoredDatabase {
  /// The row of a device, and a summary of its stored locations.
  struct Device {
    let row: Int64
    /// The number of the device's points.
    var points = 0
    /// The time of the device's last location in a chunk.
    var chunkEnd = -Double.infinity
  }

  let connection: Connection
  var devices: [FleetDevice.ID: Device] = [:]
  /// The IDs of the devices by their rows.
  var names: [Int64: FleetDevice.ID] = [:]
  /// The devices with damaged rows, by their rows.
  var damagedDevices: [Int64: Device] = [:]
  /// Distinguishes the file from every other fleet file.
  private(set) var identity: Int64 = 0
  private var lastNumber: UInt64 = 0
  private var lastRevision: UInt32 = 0
  /// Whether the log may still contain erased data, including data that an earlier process erased.
  var mustEmptyLog = true
  var statements: FleetStatements
  /// The times of the last chunk that was read, cached because late locations of a device arrive
  /// together.
  var lastChunk: (device: Int64, span: ClosedRange<Double>, times: Set<Double>)?

  /// False, because the time to copy a file grows with its history.
  static var isReadFromCopies: Bool { false }

  init(_ connection: Connection) throws(SQLiteFailure) {
    self.connection = connection
    // Makes SQLite overwrite removed data with zeros.
    try connection.execute("PRAGMA secure_delete = ON")
    statements = try FleetStatements.prepare(connection)
  }

  // MARK: Opening

  /// Reads everything but the history.
  func load() throws(SQLiteFailure) -> StoredFleet {
    var stored = StoredFleet()
    var fleet = try connection.prepare(
      "SELECT identity, last_number, last_revision, checksum FROM fleet WHERE id = 1")
    guard try fleet.step() else { throw .corrupt("the last number is missing") }
    (identity, lastNumber, lastRevision) = try fleet.lastNumbers()
    fleet.reset()
    (stored.lastNumber, stored.lastRevision) = (lastNumber, lastRevision)
    var damaged = 0
    var conditions = try connection.prepare("SELECT * FROM condition")
    while try conditions.step() {
      if let condition = try? conditions.fleetCondition() {
        stored.conditions.append(condition)
      } else {
        damaged += 1
      }
    }
    var events = try connection.prepare("SELECT * FROM event ORDER BY number")
    while try events.step() {
      if let event = try? events.fleetEvent() { stored.events.append(event) } else { damaged += 1 }
    }
    damaged += try loadDevices(into: &stored)
    if damaged > 0 {
      stored.problem = LocationError(
        .storageUnavailable,
        "\(damaged) rows of devices, conditions and events of the fleet file are damaged, and left out."
      )
    }
    return stored
  }

  /// Reads the devices, and returns the number of damaged ones. The histories of damaged devices
  /// remain in the file, but are not found.
  private func loadDevices(into stored: inout StoredFleet) throws(SQLiteFailure) -> Int {
    var (points, ends) = ([Int64: Int](), [Int64: Double]())
    var counts = try connection.prepare("SELECT device, count(*) FROM point GROUP BY device")
    while try counts.step() {
      let row = try counts.integer()
      points[row] = Int(try counts.integer())
    }
    var chunks = try connection.prepare("SELECT device, max(end) FROM chunk GROUP BY device")
    while try chunks.step() {
      let row = try chunks.integer()
      ends[row] = try chunks.double()
    }
    var damaged = 0
    var rows = try connection.prepare("SELECT * FROM device")
    while try rows.step() {
      let row = try rows.integer()
      let device = Device(row: row, points: points[row] ?? 0, chunkEnd: ends[row] ?? -.infinity)
      guard let (id, location, states) = try? rows.fleetDevice() else {
        damaged += 1
        damagedDevices[row] = device
        continue
      }
      (devices[id], names[row]) = (device, id)
      if let location {
        stored.devices.append(StoredFleet.Device(id: id, location: location, states: states))
      }
    }
    return damaged
  }

  // MARK: Changing

  /// Applies changes, all or none. After a failure, the database must be opened again.
  ///
  /// - Parameter expiry: The time before which locations are deleted; nil if none are.
  func commit(_ changes: [FleetStorageChange], expiry: Date?) throws(SQLiteFailure) {
    let throughToDisk = changes.contains { change in
      switch change {
      case .event, .add, .remove, .erase, .synchronize: true
      case .location, .states, .offer, .finish, .forget, .numbers: false
      }
    }
    try connection.transaction(throughToDisk: throughToDisk) { () throws(SQLiteFailure) in
      var last = LastRows()
      for change in changes { try apply(change, &last) }
      try write(last)
      // Before new chunks are added: one may get the number of an erased chunk, whose box remains
      // until then.
      if last.hasErased { try renewBoxes() }
      for id in last.filled { try packPoints(of: id) }
      if let expiry { try expire(before: expiry.timeIntervalSinceReferenceDate) }
    }
    // The changes are already stored. If the log cannot be emptied, the next commit tries again.
    if mustEmptyLog, (try? connection.emptyLog()) != nil { mustEmptyLog = false }
  }

  /// The last values of each device in a commit, which are written once, and the work at the end of
  /// the commit.
  private struct LastRows {
    var locations: [FleetDevice.ID: Location] = [:]
    var states: [FleetDevice.ID: [UInt8]] = [:]
    /// The devices with enough points for a chunk.
    var filled: Set<FleetDevice.ID> = []
    /// Whether a change raised the last number or the last revision.
    var hasNumbers = false
    var hasErased = false

    mutating func remove(_ id: FleetDevice.ID) {
      (locations[id], states[id]) = (nil, nil)
      filled.remove(id)
    }
  }

  private func apply(
    _ change: FleetStorageChange, _ last: inout LastRows
  ) throws(SQLiteFailure) {
    switch change {
    case .location(let id, let location, let isLast):
      if isLast { last.locations[id] = location }
      if try add(location, of: id) >= PackedChunk.length { last.filled.insert(id) }
    case .states(let id, let states): last.states[id] = states
    case .add(let condition):
      try statements.addCondition.bind(condition)
      try statements.addCondition.run()
      (lastRevision, last.hasNumbers) = (max(lastRevision, condition.revision), true)
    case .remove(let identifier):
      try statements.removeCondition.bind(identifier)
      try statements.removeCondition.run()
    case .event(let event):
      try statements.addEvent.bind(event)
      try statements.addEvent.run()
      (lastNumber, last.hasNumbers) = (max(lastNumber, event.number), true)
    case .offer(let number):
      try statements.offer.bind(isOffered: true)
      try statements.offer.run(Int64(clamping: number))
    case .finish(let number): try statements.finish.run(Int64(clamping: number))
    case .forget(let id):
      last.remove(id)
      if let device = devices[id] { try statements.forget.run(device.row) }
    case .erase(let id):
      last.remove(id)
      last.hasErased = true
      try erase(id)
    case .synchronize: break
    case .numbers(let number, let revision):
      (lastNumber, lastRevision) = (max(lastNumber, number), max(lastRevision, revision))
      last.hasNumbers = true
    }
  }

  private func write(_ last: LastRows) throws(SQLiteFailure) {
    for (id, location) in last.locations {
      try statements.setLocation.bind(lastLocation: location)
      try statements.setLocation.run(try device(id).row)
    }
    for (id, states) in last.states {
      guard let device = devices[id] else { continue }
      try statements.setStates.bind(states: states)
      try statements.setStates.run(device.row)
    }
    guard last.hasNumbers else { return }
    try statements.setNumbers.bind(
      identity: identity, lastNumber: lastNumber, lastRevision: lastRevision)
    try statements.setNumbers.run()
  }

  /// Returns the device with this ID, and adds it if it is missing.
  private func device(_ id: FleetDevice.ID) throws(SQLiteFailure) -> Device {
    if let device = devices[id] { return device }
    try statements.addDevice.bind(name: id)
    guard try statements.addDevice.step() else { throw .corrupt("a device was not added") }
    let row = try statements.addDevice.integer()
    statements.addDevice.reset()
    // The history of a device with a damaged row continues.
    let device = damagedDevices.removeValue(forKey: row) ?? Device(row: row)
    (devices[id], names[device.row]) = (device, id)
    return device
  }

  /// Adds a point, unless the device has a location with the same time.
  ///
  /// - Returns: The number of the device's points afterwards.
  private func add(_ location: Location, of id: FleetDevice.ID) throws(SQLiteFailure) -> Int {
    let device = try device(id)
    guard try !isInChunk(location.timestampSeconds, of: device) else { return device.points }
    try statements.addPoint.bind(location, of: device.row)
    let isNew = try statements.addPoint.step()
    statements.addPoint.reset()
    guard isNew else { return device.points }
    devices[id]?.points += 1
    return device.points + 1
  }

  /// Deletes a device, its history and its events. The boxes of its chunks remain until
  /// ``renewBoxes()``.
  private func erase(_ id: FleetDevice.ID) throws(SQLiteFailure) {
    (mustEmptyLog, lastChunk) = (true, nil)
    try statements.eraseEvents.bind(id.description)
    try statements.eraseEvents.run()
    guard let device = devices[id] else { return }
    for statement in FleetStatements.erasures {
      var statement = try connection.prepare(statement)
      try statement.run(device.row)
    }
    (devices[id], names[device.row]) = (nil, nil)
  }

  // MARK: Reading points

  /// The points of a device from a time until before another, in ascending order.
  ///
  /// - Parameter skipsDamaged: Whether damaged points are left out; otherwise they are an error.
  func points(
    of device: Int64, from start: Double, to end: Double, count: Int, skipsDamaged: Bool = false
  ) throws(SQLiteFailure) -> [Location] {
    defer { statements.points.reset() }
    try statements.points.bind(device)
    try statements.points.bind(start)
    try statements.points.bind(end)
    try statements.points.bind(Int64(clamping: count))
    var found: [Location] = []
    while try statements.points.step() {
      do throws(SQLiteFailure) {
        found.append(try statements.points.point())
      } catch {
        guard skipsDamaged else { throw error }
      }
    }
    return found
  }
}
