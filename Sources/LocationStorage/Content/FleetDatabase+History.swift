import AsyncLocation
import LocationFleet

// The results are exact: the indices return candidates, and each location is then compared.

extension FleetDatabase {
  /// The first locations of a device with times in `start..<end`, at most `count`, in ascending
  /// order of time.
  func locations(
    of id: FleetDevice.ID, from start: Double, to end: Double, count: Int
  ) throws(SQLiteFailure) -> [Location] {
    guard let device = devices[id], count > 0 else { return [] }
    var chunks = try connection.prepare(
      """
      SELECT * FROM chunk WHERE device = ?1 AND start < ?2 AND start >=
        ifnull((SELECT max(start) FROM chunk WHERE device = ?1 AND start <= ?3), ?3) ORDER BY start
      """)
    try chunks.bind(device.row)
    try chunks.bind(end)
    try chunks.bind(start)
    var packed: [Location] = []
    while packed.count < count, try chunks.step() {
      _ = try chunks.integer()
      packed += try chunks.chunk().locations.lazy.filter {
        $0.timestampSeconds >= start && $0.timestampSeconds < end
      }
    }
    let points = try points(of: device.row, from: start, to: end, count: count)
    return Self.merge(packed, points, count: count)
  }

  /// Merges two lists of locations that are in ascending order of time.
  private static func merge(
    _ left: [Location], _ right: [Location], count: Int
  ) -> [Location] {
    guard let first = right.first else { return Array(left.prefix(count)) }
    if left.last.map({ $0.timestampSeconds < first.timestampSeconds }) ?? true {
      return Array((left + right).prefix(count))
    }
    return Array(
      (left + right).sorted { $0.timestampSeconds < $1.timestampSeconds }.prefix(count))
  }

  /// The last location of a device at or before a time.
  func location(of id: FleetDevice.ID, at time: Double) throws(SQLiteFailure) -> Location? {
    guard let device = devices[id] else { return nil }
    var found: [Location] = []
    var chunks = try connection.prepare(
      "SELECT * FROM chunk WHERE device = ? AND start <= ? ORDER BY start DESC LIMIT 1")
    try chunks.bind(device.row)
    try chunks.bind(time)
    if try chunks.step() {
      _ = try chunks.integer()
      found += try chunks.chunk().locations.last { $0.timestampSeconds <= time }.map { [$0] } ?? []
    }
    var points = try connection.prepare(
      "SELECT * FROM point WHERE device = ? AND time <= ? ORDER BY time DESC LIMIT 1")
    try points.bind(device.row)
    try points.bind(time)
    if try points.step() { found.append(try points.point()) }
    return found.max { $0.timestampSeconds < $1.timestampSeconds }
  }

  /// The visits of the devices that have a location in an area within `start..<end`, sorted by
  /// device.
  ///
  /// - Parameters:
  ///   - device: The device after which the results begin; nil to begin with the first device.
  ///   - count: The maximum number of devices.
  func visits(
    to area: AreaTest, from start: Double, to end: Double, after device: FleetDevice.ID?, count: Int
  ) throws(SQLiteFailure) -> [FleetVisit] {
    var counts: [FleetDevice.ID: FleetVisitCount] = [:]
    func requestedDevice(inRow row: Int64) -> FleetDevice.ID? {
      names[row].flatMap { id in device.map { $0 < id } ?? true ? id : nil }
    }
    func add(_ locations: [Location], of id: FleetDevice.ID) {
      for location in locations
      where location.timestampSeconds >= start && location.timestampSeconds < end
        && area.contains(location.coordinate)
      {
        counts[id, default: FleetVisitCount()].add(location)
      }
    }
    // Adjacent boxes can contain the same chunks and points: a chunk is recognized by its row, and
    // a point by an earlier box that contains it.
    var seenChunks: Set<Int64> = []
    for (index, box) in area.boxes.enumerated() {
      let earlier = area.boxes[..<index]
      var chunks = try connection.prepare(Self.chunksInBox)
      try chunks.bind(box, from: start, to: end)
      while try chunks.step() {
        guard let id = requestedDevice(inRow: try chunks.integer()),
          seenChunks.insert(try chunks.integer()).inserted
        else { continue }
        add(try chunks.chunk().locations, of: id)
      }
      var points = try connection.prepare(Self.pointsInBox)
      try points.bind(box, from: start, to: end)
      while try points.step() {
        guard let id = requestedDevice(inRow: try points.integer()) else { continue }
        points.beginGroup()
        let location = try points.point()
        if !earlier.contains(where: { $0.contains(location.coordinate) }) {
          add([location], of: id)
        }
      }
    }
    return Array(
      counts.compactMap { $1.visit(of: $0) }.sorted { $0.device < $1.device }.prefix(count))
  }

  private static var chunksInBox: String {
    """
    SELECT chunk.device, chunk.* FROM chunk_box JOIN chunk ON chunk.id = chunk_box.id
    WHERE max_latitude >= ? AND min_latitude <= ? AND max_longitude >= ? AND min_longitude <= ?
      AND max_time >= ? AND min_time <= ?
    """
  }

  private static var pointsInBox: String {
    """
    SELECT device, * FROM point WHERE latitude BETWEEN ? AND ? AND longitude BETWEEN ? AND ?
      AND time >= ? AND time < ?
    """
  }
}
