import AsyncLocation
import FoundationEssentials
import LocationFleet

// The columns of the tables of a fleet: `bind` writes them, and the function below it reads them.

extension Statement {
  // MARK: The table `fleet`

  mutating func bind(
    identity: Int64, lastNumber: UInt64, lastRevision: UInt32
  ) throws(SQLiteFailure) {
    try bind(identity)
    try bind(Int64(clamping: lastNumber))
    try bind(Int64(lastRevision))
    try bindChecksum()
  }

  mutating func lastNumbers() throws(SQLiteFailure) -> (
    identity: Int64, event: UInt64, revision: UInt32
  ) {
    let identity = try integer()
    guard let number = UInt64(exactly: try integer()), let revision = UInt32(exactly: try integer())
    else { throw .corrupt("a last number is out of range") }
    try checkChecksum()
    return (identity, number, revision)
  }

  // MARK: The table `condition`

  mutating func bind(_ stored: StoredFleet.Condition) throws(SQLiteFailure) {
    try bind(stored.condition.identifier)
    try bind(Int64(stored.revision))
    try bind(ConditionColumns(stored.condition.condition).bytes)
    try bind(AudienceBytes.encode(stored.condition.audience))
    try bindChecksum()
  }

  mutating func fleetCondition() throws(SQLiteFailure) -> StoredFleet.Condition {
    let identifier = try text()
    guard let revision = UInt32(exactly: try integer()), let bytes = try optionalBytes(),
      let columns = ConditionColumns(bytes: bytes), let condition = try? columns.condition(),
      let audience = AudienceBytes.decode(try optionalBytes())
    else { throw .corrupt("a condition is malformed") }
    try checkChecksum()
    return StoredFleet.Condition(
      FleetCondition(identifier: identifier, condition: condition, audience: audience),
      revision: revision)
  }

  // MARK: The table `device`

  mutating func bind(name id: FleetDevice.ID) throws(SQLiteFailure) {
    try bind(id.description)
    try bindChecksum()
  }

  mutating func bind(lastLocation location: Location) throws(SQLiteFailure) {
    try bind(try Self.pack([location]))
    try bindChecksum()
  }

  mutating func bind(states: [UInt8]) throws(SQLiteFailure) {
    try bind(states)
    try bindChecksum()
  }

  /// Reads the columns after the row's number: the name, the last location and the states.
  mutating func fleetDevice() throws(SQLiteFailure) -> (
    id: FleetDevice.ID, location: Location?, states: [UInt8]?
  ) {
    beginGroup()
    guard let id = FleetDevice.ID(try text()) else { throw .corrupt("a device has no name") }
    try checkChecksum()
    var (location, states) = (nil as Location?, nil as [UInt8]?)
    if try !skipNullGroup(ofCount: 1) {
      location = try singleLocation()
      try checkChecksum()
    }
    if try !skipNullGroup(ofCount: 1) {
      states = try optionalBytes()
      try checkChecksum()
    }
    return (id, location, states)
  }

  // MARK: The table `event`

  mutating func bind(_ event: FleetEvent) throws(SQLiteFailure) {
    try bind(Int64(clamping: event.number))
    try bind(event.device.description)
    try bind(event.identifier)
    try bind(Int64(event.revision))
    try bind(Int64(event.previousState.rawValue))
    try bind(Int64(event.state.rawValue))
    try bind(try Self.pack([event.location]))
    try bind(Int64(event.isRetained ? 1 : 0))
    try bindChecksum()
    try bind(isOffered: event.isRepeated)
  }

  mutating func fleetEvent() throws(SQLiteFailure) -> FleetEvent {
    guard let number = UInt64(exactly: try integer()), let device = FleetDevice.ID(try text())
    else { throw .corrupt("an event has no device") }
    let identifier = try text()
    guard let revision = UInt32(exactly: try integer()),
      let previous = Monitor.State(rawValue: Int(truncatingIfNeeded: try integer())),
      let state = Monitor.State(rawValue: Int(truncatingIfNeeded: try integer()))
    else { throw .corrupt("an event's state is unknown") }
    let location = try singleLocation()
    let isRetained = try integer() != 0
    try checkChecksum()
    let isOffered = try integer() != 0
    try checkChecksum()
    return FleetEvent(
      device: device, identifier: identifier, previousState: previous, state: state,
      location: location, isRetained: isRetained, revision: revision, number: number,
      isRepeated: isOffered)
  }

  // MARK: The table `point`

  mutating func bind(_ location: Location, of device: Int64) throws(SQLiteFailure) {
    try bind(device)
    try bind(location.timestampSeconds)
    try bind(location.latitude)
    try bind(location.longitude)
    try bind(try Self.pack([location]))
    try bindChecksum()
  }

  /// Binds the bounds of a box and of a time span.
  mutating func bind(
    _ box: AreaTest.Box, from start: Double, to end: Double
  ) throws(SQLiteFailure) {
    for bounds in [box.latitudes, box.longitudes] {
      try bind(bounds.lowerBound)
      try bind(bounds.upperBound)
    }
    try bind(start)
    try bind(end)
  }

  mutating func point() throws(SQLiteFailure) -> Location {
    _ = try integer()
    _ = (try double(), try double(), try double())
    let location = try singleLocation()
    try checkChecksum()
    return location
  }

  private mutating func singleLocation() throws(SQLiteFailure) -> Location {
    guard let bytes = try optionalBytes(), let locations = PackedLocations.unpack(bytes),
      locations.count == 1
    else { throw .corrupt("a location is malformed") }
    return locations[0]
  }

  // MARK: The table `chunk`

  mutating func bind(_ chunk: PackedChunk, of device: Int64) throws(SQLiteFailure) {
    try bind(device)
    try bind(chunk.start)
    try bind(chunk.end)
    let bounds = chunk.bounds
    try bind(bounds.south)
    try bind(bounds.north)
    try bind(bounds.west)
    try bind(bounds.east)
    try bind(chunk.bytes)
    try bindChecksum()
  }

  /// Reads the columns after the row's number.
  mutating func chunk() throws(SQLiteFailure) -> (device: Int64, locations: [Location]) {
    beginGroup()
    let device = try integer()
    for _ in 0..<6 { _ = try double() }
    guard let bytes = try optionalBytes(), let locations = PackedLocations.unpack(bytes) else {
      throw .corrupt("locations are malformed")
    }
    try checkChecksum()
    return (device, locations)
  }

  static func pack(_ locations: [Location]) throws(SQLiteFailure) -> [UInt8] {
    do {
      return try PackedLocations.pack(locations)
    } catch {
      throw .corrupt("a location cannot be encoded")
    }
  }
}

/// The audience of a condition as bytes: its kind, and names that end with NUL. Null stands for all
/// devices.
private enum AudienceBytes {
  private enum Kind: UInt8 { case users, devices }

  static func encode(_ audience: FleetCondition.Audience) -> [UInt8]? {
    let (kind, names): (Kind, [String])
    switch audience {
    case .users(let users): (kind, names) = (.users, users.sorted())
    case .devices(let devices): (kind, names) = (.devices, devices.sorted().map(\.description))
    default: return nil
    }
    return [kind.rawValue] + names.flatMap { Array($0.utf8) + [0] }
  }

  static func decode(_ bytes: [UInt8]?) -> FleetCondition.Audience? {
    guard let bytes else { return .all }
    guard let kind = bytes.first.flatMap(Kind.init), bytes.count == 1 || bytes.last == 0 else {
      return nil
    }
    let names = bytes.dropFirst().split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    switch kind {
    case .users: return .users(Set(names))
    case .devices:
      let devices = names.compactMap(FleetDevice.ID.init)
      return devices.count == names.count ? .devices(Set(devices)) : nil
    }
  }
}
