import AsyncLocation
import FoundationEssentials

// Writes and reads the rows of a monitor's tables. Each `bind` must write the columns in the order
// in which ``storedCondition()``, ``storedEvent()`` or ``lastNumber()`` reads them.

extension Statement {
  // MARK: The table `monitor`

  mutating func bind(lastNumber: UInt64) throws(SQLiteFailure) {
    try bind(Int64(clamping: lastNumber))
    try bindChecksum()
  }

  mutating func lastNumber() throws(SQLiteFailure) -> UInt64 {
    let number = try eventNumber()
    try checkChecksum()
    return number
  }

  // MARK: The table `condition`

  mutating func bind(_ stored: StoredCondition) throws(SQLiteFailure) {
    try bind(stored.identifier)
    try bind(ConditionColumns(stored.condition))
    try bindChecksum()
    try bind(state: stored.state)
    try bind(stored.candidate)
    if let event = stored.lastEvent {
      try bind(event)
    } else {
      skipGroup(ofCount: Self.eventColumns)
    }
  }

  mutating func storedCondition() throws(SQLiteFailure) -> StoredCondition {
    let identifier = try text()
    guard MonitorLimits.isValid(identifier: identifier) else {
      throw .corrupt("an identifier is malformed")
    }
    let condition = try Self.valid(try conditionColumns())
    try checkChecksum()
    let state = try state()
    try checkChecksum()
    var candidate: StoredCondition.Candidate?
    if try !skipNullGroup(ofCount: Self.candidateColumns) { candidate = try self.candidate() }
    var event: Monitor.Event?
    if try !skipNullGroup(ofCount: Self.eventColumns) {
      event = try lastEvent(of: identifier)
    }
    return StoredCondition(
      identifier: identifier, condition: condition, state: state, candidate: candidate,
      lastEvent: event)
  }

  private mutating func bind(_ columns: ConditionColumns) throws(SQLiteFailure) {
    try bind(columns.kind)
    try bind(columns.latitude)
    try bind(columns.longitude)
    try bind(columns.meters)
    try bind(columns.shape)
    try bind(columns.major)
    try bind(columns.minor)
    try bind(columns.dwellSeconds)
    try bind(columns.dwellAttoseconds)
    try bind(columns.expiry)
  }

  private mutating func conditionColumns() throws(SQLiteFailure) -> ConditionColumns {
    ConditionColumns(
      kind: try integer(), latitude: try optionalDouble(), longitude: try optionalDouble(),
      meters: try optionalDouble(), shape: try optionalBytes(), major: try optionalInteger(),
      minor: try optionalInteger(), dwellSeconds: try integer(), dwellAttoseconds: try integer(),
      expiry: try optionalDouble())
  }

  /// Binds a state and its checksum.
  mutating func bind(state: Monitor.State) throws(SQLiteFailure) {
    try bind(Int64(state.rawValue))
    try bindChecksum()
  }

  private mutating func state() throws(SQLiteFailure) -> Monitor.State {
    guard let state = Monitor.State(rawValue: Int(truncatingIfNeeded: try integer())) else {
      throw .corrupt("a state is unknown")
    }
    return state
  }

  private static var candidateColumns: Int32 { 2 }

  /// Binds a candidate and its checksum; nil binds nulls.
  mutating func bind(_ candidate: StoredCondition.Candidate?) throws(SQLiteFailure) {
    guard let candidate else { return skipGroup(ofCount: Self.candidateColumns) }
    try bind(Int64((candidate.isInside ? 1 : 0) + (candidate.isCertain ? 2 : 0)))
    try bind(candidate.since.timeIntervalSinceReferenceDate)
    try bindChecksum()
  }

  private mutating func candidate() throws(SQLiteFailure) -> StoredCondition.Candidate {
    let flags = try integer()
    let since = try date()
    try checkChecksum()
    return StoredCondition.Candidate(
      isInside: flags & 1 != 0, isCertain: flags & 2 != 0,
      since: since)
  }

  // MARK: The table `event`, and the last events of conditions

  private static var eventColumns: Int32 { 7 }

  /// Binds the columns that last events and the table `event` have in common, and their checksum.
  private mutating func bind(_ event: Monitor.Event) throws(SQLiteFailure) {
    try bind(Int64(clamping: event.number))
    try bind(Int64(event.state.rawValue))
    try bind(Int64(event.previousState.rawValue))
    try bind(event.date.timeIntervalSinceReferenceDate)
    try bind(event.refinement.map { ConditionColumns($0).bytes })
    try bind(Int64(event.diagnostics.rawValue))
    try bind(Int64(event.isRepeated ? 1 : 0))
    try bindChecksum()
  }

  /// An event without its identifier and location.
  private struct EventCore {
    let number: UInt64
    let state: Monitor.State
    let previousState: Monitor.State
    let date: Date
    let refinement: Condition?
    let diagnostics: Monitor.Diagnostics
    let isRepeated: Bool

    func event(_ identifier: String, location: Location?) -> Monitor.Event {
      Monitor.Event(
        identifier: identifier, number: number, state: state, previousState: previousState,
        date: date, location: location, refinement: refinement, diagnostics: diagnostics,
        isRepeated: isRepeated)
    }
  }

  private mutating func eventCore() throws(SQLiteFailure) -> EventCore {
    let number = try eventNumber()
    let (state, previousState) = (try state(), try state())
    let date = try date()
    var refinement: Condition?
    if let bytes = try optionalBytes() {
      guard let columns = ConditionColumns(bytes: bytes) else {
        throw .corrupt("a condition is malformed")
      }
      refinement = try Self.valid(columns)
    }
    guard let diagnostics = UInt32(exactly: try integer()) else {
      throw .corrupt("diagnostics are malformed")
    }
    let isRepeated = try integer() != 0
    try checkChecksum()
    return EventCore(
      number: number, state: state, previousState: previousState,
      date: date, refinement: refinement,
      diagnostics: Monitor.Diagnostics(rawValue: diagnostics), isRepeated: isRepeated)
  }

  private mutating func lastEvent(of identifier: String) throws(SQLiteFailure) -> Monitor.Event {
    let core = try eventCore()
    return core.event(identifier, location: nil)
  }

  mutating func bind(_ stored: StoredEvent) throws(SQLiteFailure) {
    let event = stored.event
    try bind(event)
    try bind(event.identifier)
    try bind(try event.location.map(Self.encode))
    try bindChecksum()
    try bind(isOffered: stored.isOffered)
  }

  mutating func storedEvent() throws(SQLiteFailure) -> StoredEvent {
    let core = try eventCore()
    let identifier = try text()
    let location = try optionalBytes()
    try checkChecksum()
    let isOffered = try integer() != 0
    try checkChecksum()
    return StoredEvent(
      core.event(identifier, location: try location.map(Self.decode)), isOffered: isOffered)
  }

  /// Binds whether a consumer may have received an event, and the checksum.
  mutating func bind(isOffered: Bool) throws(SQLiteFailure) {
    try bind(Int64(isOffered ? 1 : 0))
    try bindChecksum()
  }

  private mutating func date() throws(SQLiteFailure) -> Date {
    let date = Date(timeIntervalSinceReferenceDate: try double())
    guard MonitorLimits.isValid(date) else { throw .corrupt("a date is malformed") }
    return date
  }

  private mutating func eventNumber() throws(SQLiteFailure) -> UInt64 {
    guard let number = UInt64(exactly: try integer()) else {
      throw .corrupt("an event's number is negative")
    }
    return number
  }

  private static func valid(_ columns: ConditionColumns) throws(SQLiteFailure) -> Condition {
    do throws(LocationError) {
      return try columns.condition()
    } catch {
      throw .corrupt("a condition is malformed")
    }
  }

  // MARK: Locations, as JSON

  private static func encode(_ location: Location) throws(SQLiteFailure) -> [UInt8] {
    do {
      return [UInt8](try JSONEncoder().encode(location))
    } catch {
      throw .corrupt("a location cannot be encoded")
    }
  }

  private static func decode(_ bytes: [UInt8]) throws(SQLiteFailure) -> Location {
    do {
      return try JSONDecoder().decode(Location.self, from: Data(bytes))
    } catch {
      throw .corrupt("a location is malformed")
    }
  }
}
