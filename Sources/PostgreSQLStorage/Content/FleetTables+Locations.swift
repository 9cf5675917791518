import AsyncLocation
import LocationFleet

/// The locations of a device that a commit added.
struct AddedLocations {
  /// The locations that were not stored before, in ascending order of time.
  var locations: [Location]
  /// The time of the device's last location before the commit.
  let formerEnd: Double
}

extension FleetTables {
  /// Adds locations as runs. Each location is stored once, by device and time.
  ///
  /// - Returns: The locations that were not stored before.
  func addLocations(
    of content: CommitContent
  ) throws(PostgreSQLFailure) -> [FleetDevice.ID: AddedLocations] {
    var added: [FleetDevice.ID: AddedLocations] = [:]
    var late: [Int64: [Double]] = [:]
    for (id, change) in content.devices where !change.locations.isEmpty {
      guard let device = devices[id] else { continue }
      let locations = change.locations.sortedWithUniqueTimes
      added[id] = AddedLocations(locations: locations, formerEnd: device.end)
      let times = locations.lazy.map(\.timestampSeconds).prefix { $0 <= device.end }
      if !times.isEmpty { late[device.row] = Array(times) }
    }
    let stored = try times(storedAmong: late)
    var runs = CopyBuffer()
    for (id, var addition) in added {
      guard var device = devices[id] else { continue }
      if let stored = stored[device.row] {
        addition.locations.removeAll { stored.contains($0.timestampSeconds) }
        added[id] = addition
      }
      for run in try Self.runs(of: addition) { runs.add(run, of: device.row) }
      device.points += addition.locations.count
      device.end = max(device.end, addition.locations.last?.timestampSeconds ?? device.end)
      devices[id] = device
      if device.points >= PackedChunk.length { filled.insert(id) }
    }
    try connection.copy(runs, into: CopyBuffer.columns(of: "run"))
    return added
  }

  /// Packs late locations into separate runs, so that the other runs remain in order.
  private static func runs(
    of addition: AddedLocations
  ) throws(PostgreSQLFailure) -> [PackedChunk] {
    let middle = addition.locations.indices.partition {
      addition.locations[$0].timestampSeconds > addition.formerEnd
    }
    return try PostgreSQLFailure.packing {
      try PackedChunk.all(of: Array(addition.locations[..<middle]))
        + PackedChunk.all(of: Array(addition.locations[middle...]))
    }
  }

  /// The times of stored locations that may equal those of late locations, by row of the device.
  private func times(
    storedAmong late: [Int64: [Double]]
  ) throws(PostgreSQLFailure) -> [Int64: Set<Double>] {
    guard !late.isEmpty else { return [:] }
    var stored: [Int64: Set<Double>] = [:]
    func add(_ row: inout Row) throws(PostgreSQLFailure) {
      let device = try row.integer()
      // The time of the first location is known even if the row is damaged.
      stored[device, default: []].insert(try row.double())
      let locations = (try? row.locations()) ?? []
      stored[device, default: []].formUnion(locations.lazy.map(\.timestampSeconds))
    }
    var (rows, times) = ([Int64](), [Double]())
    for (device, deviceTimes) in late {
      rows += Array(repeating: device, count: deviceTimes.count)
      times += deviceTimes
    }
    var points = Parameters()
    points.add(rows)
    points.add(times)
    try connection.rows(
      """
      SELECT DISTINCT ON (chunk.device, chunk.start_time)
        chunk.device, chunk.start_time, chunk.locations
      FROM unnest($1::bigint[], $2::double precision[]) AS late (device, time)
      CROSS JOIN LATERAL (SELECT * FROM async_location.chunk
        WHERE chunk.device = late.device AND chunk.start_time <= late.time
        ORDER BY chunk.start_time DESC LIMIT 1) chunk
      WHERE chunk.end_time >= late.time
      """, points, add)
    var devices = Parameters()
    devices.add(Array(late.keys))
    try connection.rows(
      "SELECT device, start_time, locations FROM async_location.run WHERE device = ANY ($1)",
      devices, add)
    return stored
  }

  // MARK: Packing

  /// The maximum number of devices whose locations are packed in a commit. The devices of a fleet
  /// reach the length of a chunk at about the same time, and the events of a commit wait for its
  /// end.
  private static var packedDevices: Int { 64 }

  /// Packs the runs of devices with enough locations into chunks. The newest locations remain in
  /// runs if they are fewer than `PackedChunk.length`.
  func packFilledDevices() throws(PostgreSQLFailure) {
    let packed = filled.prefix(Self.packedDevices).compactMap { id in devices[id].map { (id, $0) } }
    guard !packed.isEmpty else { return }
    filled.subtract(packed.map(\.0))
    var parameters = Parameters()
    parameters.add(packed.map(\.1.row))
    var runs: [Int64: [Location]] = [:]
    try connection.rows(
      "DELETE FROM async_location.run WHERE device = ANY ($1) RETURNING device, locations",
      parameters
    ) { (row) throws(PostgreSQLFailure) in
      let device = try row.integer()
      // The locations of a damaged run are lost.
      runs[device, default: []] += (try? row.locations()) ?? []
    }
    var (chunks, rest) = (CopyBuffer(), CopyBuffer())
    for (id, device) in packed {
      let locations = (runs[device.row] ?? []).sortedWithUniqueTimes
      let middle = locations.indices.partition {
        locations[$0].timestampSeconds > device.chunkEnd
      }
      try packLate(locations[..<middle], of: device.row, into: &chunks)
      var newest = locations[middle...]
      while newest.count >= PackedChunk.length {
        let chunk = try PostgreSQLFailure.packing { try PackedChunk.first(of: newest) }
        chunks.add(chunk, of: device.row)
        newest = newest.dropFirst(chunk.locations.count)
        devices[id]?.chunkEnd = chunk.end
      }
      devices[id]?.points = newest.count
      let remainder = try PostgreSQLFailure.packing { try PackedChunk.all(of: Array(newest)) }
      for run in remainder { rest.add(run, of: device.row) }
    }
    try connection.copy(chunks, into: CopyBuffer.columns(of: "chunk"))
    try connection.copy(rest, into: CopyBuffer.columns(of: "run"))
  }

  /// Packs locations that are not newer than the last chunk of a device. Locations within the time
  /// span of a chunk are added to it.
  private func packLate(
    _ locations: ArraySlice<Location>, of device: Int64, into chunks: inout CopyBuffer
  ) throws(PostgreSQLFailure) {
    var late = locations
    while let first = late.first {
      let (chunk, following) = try neighbours(of: first.timestampSeconds, device)
      let group: [Location]
      if let chunk, let end = chunk.last?.timestampSeconds, let start = chunk.first,
        first.timestampSeconds <= end
      {
        let within = late.prefix { $0.timestampSeconds <= end }
        late = late.dropFirst(within.count)
        var parameters = Parameters()
        parameters.add(device)
        parameters.add(start.timestampSeconds)
        try connection.run(
          "DELETE FROM async_location.chunk WHERE device = $1 AND start_time = $2", parameters)
        group = (chunk + within).sortedWithUniqueTimes
      } else {
        group = Array(late.prefix { $0.timestampSeconds < following })
        late = late.dropFirst(group.count)
      }
      let packed = try PostgreSQLFailure.packing { try PackedChunk.all(of: group) }
      for chunk in packed { chunks.add(chunk, of: device) }
    }
  }

  /// The locations of the last chunk of a device that begins at or before a time, and the start of
  /// the next chunk. Nil if there is no such chunk or it is damaged; infinity if there is no next
  /// one.
  private func neighbours(
    of time: Double, _ device: Int64
  ) throws(PostgreSQLFailure) -> (chunk: [Location]?, following: Double) {
    var parameters = Parameters()
    parameters.add(device)
    parameters.add(time)
    var (chunk, following) = (nil as [Location]?, Double.infinity)
    try connection.rows(
      """
      SELECT locations FROM async_location.chunk WHERE device = $1 AND start_time <= $2
      ORDER BY start_time DESC LIMIT 1
      """, parameters
    ) { row in chunk = try? row.locations() }
    try connection.rows(
      """
      SELECT min(start_time) FROM async_location.chunk WHERE device = $1 AND start_time > $2
      """, parameters
    ) { (row) throws(PostgreSQLFailure) in
      if !row.skipNull() { following = try row.double() }
    }
    return (chunk, following)
  }

  // MARK: Expiry

  /// Deletes the locations before a time, and the forgotten devices that have no locations left.
  func expire(before time: Double) throws(PostgreSQLFailure) {
    try keepLastLocations(before: time)
    for table in ["run", "chunk"] { try expire(before: time, in: table) }
    try connection.run(
      """
      DELETE FROM async_location.device WHERE part = $1 AND NOT is_known
        AND NOT EXISTS (SELECT FROM async_location.run WHERE run.device = device.id)
        AND NOT EXISTS (SELECT FROM async_location.chunk WHERE chunk.device = device.id)
      """, ofPart)
    try reloadDevices()
  }

  /// Writes the last locations that are about to be deleted from the history into the rows of their
  /// devices.
  private func keepLastLocations(before time: Double) throws(PostgreSQLFailure) {
    let expiring = devices.filter { $1.isKnown && !$1.hasLocation && $1.end < time }
    let found = try lastLocations(of: Array(expiring.values))
    var (rows, locations) = ([Int64](), [[UInt8]?]())
    for (row, location) in found {
      rows.append(row)
      locations.append(try location.packed)
    }
    try write(lastLocations: locations, of: rows)
  }

  private func expire(before time: Double, in table: String) throws(PostgreSQLFailure) {
    var parameters = ofPart
    parameters.add(time)
    let isInPart = "device IN (SELECT id FROM async_location.device WHERE part = $1)"
    try connection.run(
      "DELETE FROM async_location.\(table) WHERE end_time < $2 AND \(isInPart)", parameters)
    var rest = CopyBuffer()
    try connection.rows(
      """
      DELETE FROM async_location.\(table) WHERE start_time < $2 AND \(isInPart)
      RETURNING device, locations
      """, parameters
    ) { (row) throws(PostgreSQLFailure) in
      let device = try row.integer()
      // A damaged row is deleted as a whole, by the time of its start.
      let kept = ((try? row.locations()) ?? []).filter { $0.timestampSeconds >= time }
      let packed = try PostgreSQLFailure.packing { try PackedChunk.all(of: kept) }
      for chunk in packed { rest.add(chunk, of: device) }
    }
    try connection.copy(rest, into: CopyBuffer.columns(of: table))
  }
}
