import AsyncLocation
import LocationFleet

// The results are exact: the indices return candidates, and each location is then compared. A
// device that moved from one part of the fleet to another has a row in each part.

extension Connection {
  /// The number of chunks that are read at a time.
  private static var chunkCount: Int { 16 }

  /// The row numbers of a device in the parts of a fleet.
  private func rows(
    of id: FleetDevice.ID, fleet: String
  ) throws(PostgreSQLFailure) -> [Int64] {
    var parameters = Parameters()
    parameters.add(id.description)
    parameters.add(fleet)
    var found: [Int64] = []
    try rows(
      """
      SELECT device.id FROM async_location.device JOIN async_location.part ON part.id = device.part
      WHERE device.name = $1 AND part.fleet = $2
      """, parameters
    ) { (row) throws(PostgreSQLFailure) in found.append(try row.integer()) }
    return found
  }

  /// The runs of the device `$1`.
  // Materialized: otherwise the planner prefers the index by time, which covers all devices.
  private static let ownRuns = """
    WITH own AS MATERIALIZED (
      SELECT start_time, end_time, locations FROM async_location.run WHERE device = $1)
    """

  // MARK: Tracks

  /// The first locations of a device with times in `start..<end`, at most `count`, in ascending
  /// order of time.
  func locations(
    of id: FleetDevice.ID, fleet: String, from start: Double, to end: Double, count: Int
  ) throws(PostgreSQLFailure) -> [Location] {
    guard count > 0, start < end else { return [] }
    let devices = try rows(of: id, fleet: fleet)
    var found: [Location] = []
    for device in devices {
      found += try locations(ofRow: device, from: start, to: end, count: count)
    }
    if devices.count > 1 { found = found.sortedWithUniqueTimes }
    return Array(found.prefix(count))
  }

  private func locations(
    ofRow device: Int64, from start: Double, to end: Double, count: Int
  ) throws(PostgreSQLFailure) -> [Location] {
    var parameters = Parameters()
    parameters.add(device)
    parameters.add(start)
    parameters.add(end)
    var runs: [Location] = []
    func isInRange(_ location: Location) -> Bool {
      location.timestampSeconds >= start && location.timestampSeconds < end
    }
    try rows(
      """
      \(Self.ownRuns)
      SELECT locations FROM own WHERE end_time >= $2 AND start_time < $3
      """, parameters
    ) { (row) throws(PostgreSQLFailure) in runs += try row.locations().filter(isInRange) }
    var packed: [Location] = []
    var next = start
    while packed.count < count {
      var parameters = Parameters()
      parameters.add(device)
      parameters.add(next)
      parameters.add(end)
      parameters.add(Int64(Self.chunkCount))
      let read = try rows(
        """
        SELECT start_time, locations FROM async_location.chunk
        WHERE device = $1 AND start_time < $3 AND start_time >= coalesce(
          (SELECT max(start_time) FROM async_location.chunk
            WHERE device = $1 AND start_time <= $2), $2)
        ORDER BY start_time LIMIT $4
        """, parameters
      ) { (row) throws(PostgreSQLFailure) in
        next = max(next, try row.double().nextUp)
        packed += try row.locations().filter { location in
          isInRange(location)
            && packed.last.map { $0.timestampSeconds < location.timestampSeconds } ?? true
        }
      }
      if read < Self.chunkCount { break }
    }
    return (packed + runs).sortedWithUniqueTimes
  }

  /// The last location of a device at or before a time.
  func location(
    of id: FleetDevice.ID, fleet: String, at time: Double
  ) throws(PostgreSQLFailure) -> Location? {
    var found: Location?
    for device in try rows(of: id, fleet: fleet) {
      guard let location = try location(ofRow: device, at: time) else { continue }
      if found.map({ $0.timestampSeconds < location.timestampSeconds }) ?? true { found = location }
    }
    return found
  }

  private func location(ofRow device: Int64, at time: Double) throws(PostgreSQLFailure) -> Location?
  {
    var parameters = Parameters()
    parameters.add(device)
    parameters.add(time)
    var found: Location?
    // The location is in the last chunk that starts at or before this time, in the last run that
    // ends at or before it, or in a run that spans it.
    try rows(
      """
      \(Self.ownRuns)
      (SELECT locations FROM async_location.chunk WHERE device = $1 AND start_time <= $2
        ORDER BY start_time DESC LIMIT 1)
      UNION ALL
      (SELECT locations FROM own WHERE end_time <= $2 ORDER BY end_time DESC LIMIT 1)
      UNION ALL
      (SELECT locations FROM own WHERE start_time <= $2 AND end_time > $2)
      """, parameters
    ) { (row) throws(PostgreSQLFailure) in
      guard let last = try row.locations().last(where: { $0.timestampSeconds <= time }) else {
        return
      }
      if found.map({ $0.timestampSeconds < last.timestampSeconds }) ?? true { found = last }
    }
    return found
  }

  // MARK: Areas

  /// The visits of the devices that have a location in an area within `start..<end`, sorted by
  /// device.
  ///
  /// - Parameters:
  ///   - device: The device after which the results begin; nil to begin with the first device.
  ///   - count: The maximum number of devices.
  func visits(
    to area: AreaTest, fleet: String, from start: Double, to end: Double,
    after device: FleetDevice.ID?, count: Int
  ) throws(PostgreSQLFailure) -> [FleetVisit] {
    guard start < end else { return [] }
    // All statements read one snapshot, so locations that are packed between two statements are
    // found once.
    try script("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    let visits = try visitsInTransaction(
      to: area, fleet: fleet, from: start, to: end, after: device, count: count)
    try script("COMMIT")
    return visits
  }

  private func visitsInTransaction(
    to area: AreaTest, fleet: String, from start: Double, to end: Double,
    after device: FleetDevice.ID?, count: Int
  ) throws(PostgreSQLFailure) -> [FleetVisit] {
    var search = VisitSearch(area: area, start: start, end: end)
    for box in area.boxes {
      var parameters = Parameters()
      parameters.add(fleet)
      parameters.add(box.longitudes.lowerBound)
      parameters.add(box.latitudes.lowerBound)
      parameters.add(box.longitudes.upperBound)
      parameters.add(box.latitudes.upperBound)
      parameters.add(start)
      parameters.add(end)
      parameters.add(device?.description ?? "")
      try rows(Self.rowsInBox, parameters) { (row) throws(PostgreSQLFailure) in
        try search.add(&row)
      }
    }
    var visits: [FleetVisit] = []
    for (id, counts) in search.counts.sorted(by: { $0.key < $1.key }).prefix(count) {
      if counts.count == 1, let visit = counts.first?.value.visit(of: id) {
        visits.append(visit)
        continue
      }
      // Two parts may have stored the same location.
      var distinct = FleetVisitCount()
      for location in try locations(of: id, fleet: fleet, from: start, to: end, count: .max)
      where area.contains(location.coordinate) {
        distinct.add(location)
      }
      if let visit = distinct.visit(of: id) { visits.append(visit) }
    }
    return visits
  }

  // Materialized, because the planner estimates that fewer rows match an area than a device.
  private static var rowsInBox: String {
    """
    WITH candidate AS MATERIALIZED (
      SELECT true AS is_packed, device, start_time, locations FROM async_location.chunk
      WHERE box(point(west, south), point(east, north))
          && box(point($2::float8, $3::float8), point($4::float8, $5::float8))
        AND async_location.seconds(start_time, end_time, '[]')
          && async_location.seconds($6::float8, $7::float8, '[)')
      UNION ALL
      SELECT false, device, start_time, locations FROM async_location.run
      WHERE east >= $2 AND north >= $3 AND west <= $4 AND south <= $5 AND end_time >= $6
        AND start_time < $7)
    SELECT is_packed, device.id, device.name, start_time, locations
    FROM candidate JOIN async_location.device ON device.id = candidate.device
    JOIN async_location.part ON part.id = device.part
    WHERE part.fleet = $1 AND device.name > $8
    """
  }
}

/// Counts the locations in an area and a time span, by device and row.
private struct VisitSearch {
  let area: AreaTest
  let start: Double
  let end: Double
  private(set) var counts: [FleetDevice.ID: [Int64: FleetVisitCount]] = [:]
  /// The rows that were counted: adjacent boxes can contain the same rows.
  private var seen: Set<RowName> = []

  private struct RowName: Hashable {
    let isChunk: Bool
    let device: Int64
    let start: Double
  }

  init(area: AreaTest, start: Double, end: Double) {
    (self.area, self.start, self.end) = (area, start, end)
  }

  /// Counts the locations of a row.
  mutating func add(_ row: inout Row) throws(PostgreSQLFailure) {
    let isChunk = try row.bool()
    let device = try row.integer()
    let id = try row.deviceID()
    let name = RowName(isChunk: isChunk, device: device, start: try row.double())
    guard seen.insert(name).inserted else { return }
    for location in try row.locations()
    where location.timestampSeconds >= start && location.timestampSeconds < end
      && area.contains(location.coordinate)
    {
      counts[id, default: [:]][device, default: FleetVisitCount()].add(location)
    }
  }
}
