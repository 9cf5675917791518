import AsyncLocation
import LocationFleet

// Reads and writes the columns of a fleet's tables.

extension Row {
  /// Reads a single packed location.
  mutating func location() throws(PostgreSQLFailure) -> Location {
    let locations = try locations()
    guard locations.count == 1 else { throw .malformed("a location") }
    return locations[0]
  }

  mutating func locations() throws(PostgreSQLFailure) -> [Location] {
    guard let locations = PackedLocations.unpack(try bytes()), !locations.isEmpty else {
      throw .malformed("locations")
    }
    return locations
  }

  mutating func deviceID() throws(PostgreSQLFailure) -> FleetDevice.ID {
    guard let id = FleetDevice.ID(try text()) else { throw .malformed("the name of a device") }
    return id
  }

  /// Reads the columns of `condition` after `part`.
  mutating func condition() throws(PostgreSQLFailure) -> StoredFleet.Condition {
    let identifier = try text()
    guard let revision = UInt32(exactly: try integer()) else { throw .malformed("a revision") }
    return StoredFleet.Condition(
      try ConditionText.decode(bytes(), identifier: identifier), revision: revision)
  }

  /// Reads the columns of `event` after `part`.
  mutating func event() throws(PostgreSQLFailure) -> FleetEvent {
    guard let number = UInt64(exactly: try integer()) else { throw .malformed("a number") }
    let (device, identifier) = (try deviceID(), try text())
    guard let revision = UInt32(exactly: try integer()),
      let previous = Monitor.State(rawValue: Int(truncatingIfNeeded: try integer())),
      let state = Monitor.State(rawValue: Int(truncatingIfNeeded: try integer()))
    else { throw .malformed("an event") }
    return FleetEvent(
      device: device, identifier: identifier, previousState: previous, state: state,
      location: try location(), isRetained: try bool(), revision: revision, number: number,
      isRepeated: try bool())
  }
}

extension PostgreSQLFailure {
  /// Runs a body that packs locations, and converts its error.
  static func packing<Value>(_ body: () throws -> Value) throws(PostgreSQLFailure) -> Value {
    do { return try body() } catch { throw .malformed("a location cannot be encoded") }
  }
}

extension Location {
  /// The location in packed form.
  var packed: [UInt8] {
    get throws(PostgreSQLFailure) {
      try PostgreSQLFailure.packing { try PackedLocations.pack([self]) }
    }
  }
}

extension [Location] {
  /// The locations in ascending order of time; of several with the same time, only the first.
  var sortedWithUniqueTimes: Self {
    // Most locations arrive in order.
    let isSorted = zip(self, dropFirst()).allSatisfy { $0.timestampSeconds < $1.timestampSeconds }
    guard !isSorted else { return self }
    var seen: Set<Double> = []
    return filter { seen.insert($0.timestampSeconds).inserted }
      .sorted { $0.timestampSeconds < $1.timestampSeconds }
  }
}

extension CopyBuffer {
  /// The table and the columns that ``add(_:of:)`` fills.
  static func columns(of table: String) -> String {
    """
    async_location.\(table) (device, start_time, end_time, south, north, west, east, count, locations)
    """
  }

  /// Adds a row of `run` or `chunk`.
  mutating func add(_ chunk: PackedChunk, of device: Int64) {
    addRow(fieldCount: 9)
    add(device)
    add(chunk.start)
    add(chunk.end)
    let bounds = chunk.bounds
    add(bounds.south)
    add(bounds.north)
    add(bounds.west)
    add(bounds.east)
    add(Int64(chunk.locations.count))
    add(chunk.bytes)
  }
}
