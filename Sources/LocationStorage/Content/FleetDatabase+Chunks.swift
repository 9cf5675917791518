import AsyncLocation
import FoundationEssentials
import LocationFleet

// The locations of a device are packed into chunks, each of which fills a page. The time spans of a
// device's chunks do not overlap, except those of damaged chunks.

extension FleetDatabase {
  // MARK: Packing

  /// The chunk of a device whose time span contains a time; nil if there is none or it is damaged.
  private func chunk(
    of device: Int64, at time: Double
  ) throws(SQLiteFailure) -> (row: Int64, locations: [Location])? {
    defer { statements.chunkAt.reset() }
    try statements.chunkAt.bind(device)
    try statements.chunkAt.bind(time)
    guard try statements.chunkAt.step() else { return nil }
    let row = try statements.chunkAt.integer()
    // Damage is reported when the locations of the chunk are requested.
    let locations = (try? statements.chunkAt.chunk().locations) ?? []
    guard let last = locations.last, time <= last.timestampSeconds else { return nil }
    return (row, locations)
  }

  /// Packs the points of a device into chunks. Points within the time span of an existing chunk are
  /// added to that chunk. The newest points remain points if they are fewer than
  /// `PackedChunk.length`. Damaged points up to the end of the last chunk are deleted.
  func packPoints(of id: FleetDevice.ID) throws(SQLiteFailure) {
    guard let device = devices[id], device.points > 0 else { return }
    let points = try points(
      of: device.row, from: -.infinity, to: .infinity, count: .max, skipsDamaged: true)
    var newest = points.drop { $0.timestampSeconds <= device.chunkEnd }
    var late = points.prefix(points.count - newest.count)
    while let first = late.first {
      if let chunk = try chunk(of: device.row, at: first.timestampSeconds) {
        let end = chunk.locations[chunk.locations.count - 1].timestampSeconds
        let within = late.prefix { $0.timestampSeconds <= end }
        late = late.dropFirst(within.count)
        try removeChunk(chunk.row)
        try addChunks(
          (chunk.locations + within).sorted { $0.timestampSeconds < $1.timestampSeconds },
          of: device.row)
      } else {
        let following = try start(ofChunkOf: device.row, after: first.timestampSeconds)
        let between = late.prefix { $0.timestampSeconds < following }
        late = late.dropFirst(between.count)
        try addChunks(Array(between), of: device.row)
      }
    }
    var end = device.chunkEnd
    while newest.count >= PackedChunk.length {
      let chunk = try Self.packing { try PackedChunk.first(of: newest) }
      try add(chunk, of: device.row)
      newest = newest.dropFirst(chunk.locations.count)
      end = chunk.end
    }
    try statements.removePoints.bind(device.row)
    try statements.removePoints.bind(end)
    try statements.removePoints.run()
    devices[id]?.points = newest.count
    devices[id]?.chunkEnd = end
  }

  /// The time at which the next chunk of a device begins; infinity if there is none.
  private func start(ofChunkOf device: Int64, after time: Double) throws(SQLiteFailure) -> Double {
    defer { statements.nextStart.reset() }
    try statements.nextStart.bind(device)
    try statements.nextStart.bind(time)
    return try statements.nextStart.step() ? try statements.nextStart.double() : .infinity
  }

  /// Adds locations, which are in ascending order of time, as one or more chunks.
  private func addChunks(_ locations: [Location], of device: Int64) throws(SQLiteFailure) {
    let chunks = try Self.packing { try PackedChunk.all(of: locations) }
    for chunk in chunks { try add(chunk, of: device) }
  }

  /// Runs a body that packs locations, and converts its error.
  private static func packing<Value>(_ body: () throws -> Value) throws(SQLiteFailure) -> Value {
    do { return try body() } catch { throw .corrupt("a location cannot be encoded") }
  }

  private func add(_ chunk: PackedChunk, of device: Int64) throws(SQLiteFailure) {
    try statements.addChunk.bind(chunk, of: device)
    guard try statements.addChunk.step() else { throw .corrupt("a chunk was not added") }
    let row = try statements.addChunk.integer()
    statements.addChunk.reset()
    try statements.addBox.run(row)
  }

  private func removeChunk(_ row: Int64) throws(SQLiteFailure) {
    lastChunk = nil
    try statements.removeChunk.run(row)
    try statements.removeBox.run(row)
  }

  /// Whether a chunk of a device contains a location with this time.
  func isInChunk(_ time: Double, of device: Device) throws(SQLiteFailure) -> Bool {
    guard time <= device.chunkEnd else { return false }
    if let last = lastChunk, last.device == device.row, last.span.contains(time) {
      return last.times.contains(time)
    }
    guard let locations = try chunk(of: device.row, at: time)?.locations,
      let first = locations.first, let last = locations.last
    else { return false }
    let times = Set(locations.map(\.timestampSeconds))
    lastChunk = (device.row, first.timestampSeconds...last.timestampSeconds, times)
    return times.contains(time)
  }

  /// Rebuilds the R-tree of the chunks' bounding boxes: SQLite's R-tree retains bytes of removed
  /// entries.
  func renewBoxes() throws(SQLiteFailure) {
    try connection.execute("DROP TABLE chunk_box; \(DatabaseSchema.createBoxes)")
    try connection.execute(FleetStatements.addBoxes)
    statements = try FleetStatements.prepare(connection)
  }

  // MARK: Expiry

  /// Deletes the locations before a time from the history, and the forgotten devices that have no
  /// locations left.
  func expire(before time: Double) throws(SQLiteFailure) {
    var chunks = try connection.prepare("SELECT * FROM chunk WHERE start < ?")
    try chunks.bind(time)
    var expired: [(row: Int64, device: Int64, rest: [Location])] = []
    while try chunks.step() {
      let row = try chunks.integer()
      // A damaged chunk is deleted as a whole, by the time of its start.
      let chunk = (try? chunks.chunk()) ?? (device: 0, locations: [])
      expired.append(
        (row, chunk.device, chunk.locations.filter { $0.timestampSeconds >= time }))
    }
    for (row, device, rest) in expired {
      try removeChunk(row)
      try addChunks(rest, of: device)
    }
    var deletedCount = expired.count
    var points = try connection.prepare("DELETE FROM point WHERE time < ? RETURNING device")
    try points.bind(time)
    while try points.step() {
      deletedCount += 1
      if let id = names[try points.integer()] { devices[id]?.points -= 1 }
    }
    guard deletedCount > 0 else { return }
    mustEmptyLog = true
    try removeForgottenDevices()
  }

  private func removeForgottenDevices() throws(SQLiteFailure) {
    var rows = try connection.prepare(
      """
      DELETE FROM device WHERE location IS NULL
        AND NOT EXISTS (SELECT 1 FROM point WHERE device = device.id)
        AND NOT EXISTS (SELECT 1 FROM chunk WHERE device = device.id) RETURNING id
      """)
    while try rows.step() {
      let row = try rows.integer()
      if let id = names.removeValue(forKey: row) { devices[id] = nil }
      damagedDevices[row] = nil
    }
  }
}
