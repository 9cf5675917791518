import AsyncLocation

/// The content of a monitor file. One thread uses it at a time.
final class MonitorDatabase: StoredDatabase {
  let connection: Connection
  private var lastNumber: UInt64 = 0

  private var statements: MonitorStatements

  init(_ connection: Connection) throws(SQLiteFailure) {
    self.connection = connection
    // Makes SQLite overwrite removed data with zeros.
    try connection.execute("PRAGMA secure_delete = ON")
    statements = try MonitorStatements.prepare(connection)
  }

  // MARK: Reading

  /// Reads everything.
  func load() throws(SQLiteFailure) -> StoredMonitor {
    var stored = StoredMonitor()
    var row = try connection.prepare("SELECT last_number, checksum FROM monitor WHERE id = 1")
    guard try row.step() else { throw .corrupt("the number of the last event is missing") }
    stored.lastNumber = try row.lastNumber()
    row.reset()
    var conditions = try connection.prepare("SELECT * FROM condition ORDER BY identifier")
    while try conditions.step() {
      let condition = try conditions.storedCondition()
      // A row that is out of order would not be found by its identifier.
      if let last = stored.conditions.last, !Self.areOrdered(last.identifier, condition.identifier)
      {
        throw .corrupt("the conditions are not in order")
      }
      stored.conditions.append(condition)
    }
    var events = try connection.prepare("SELECT * FROM event ORDER BY number")
    while try events.step() { stored.events.append(try events.storedEvent()) }
    if let last = stored.events.last, last.event.number > stored.lastNumber {
      throw .corrupt("an event has a number after the last")
    }
    lastNumber = stored.lastNumber
    return stored
  }

  /// Whether one text precedes another, as SQLite compares them.
  private static func areOrdered(_ first: String, _ second: String) -> Bool {
    first.utf8.lexicographicallyPrecedes(second.utf8)
  }

  // MARK: Changing

  /// Applies changes, all or none. After a failure, the database must be opened again.
  func commit(_ changes: [MonitorChange]) throws(SQLiteFailure) {
    let needsDisk = changes.contains(where: Self.needsDisk)
    try connection.transaction(throughToDisk: needsDisk) { () throws(SQLiteFailure) in
      var index = 0
      while index < changes.count {
        let end = endOfAdditions(changes, from: index)
        if end - index > 1 {
          try add(changes[index..<end])
          index = end
        } else {
          try apply(changes[index])
          index += 1
        }
      }
    }
  }

  /// Replaces everything, all or nothing. After a failure, the database must be opened again.
  func replace(with monitor: StoredMonitor) throws(SQLiteFailure) {
    try connection.transaction(throughToDisk: true) { () throws(SQLiteFailure) in
      try connection.execute("DELETE FROM condition; DELETE FROM event")
      for condition in monitor.conditions.sorted(by: Self.areOrdered) {
        try statements.addCondition.bind(condition)
        try statements.addCondition.run()
      }
      for event in monitor.events {
        try statements.addEvent.bind(event)
        try statements.addEvent.run()
      }
      let numbers = monitor.events.map(\.event.number)
      try set(lastNumber: max(monitor.lastNumber, numbers.max() ?? 0))
    }
    // The log still contains the replaced content, for which permission may have been withdrawn.
    try connection.emptyLog()
  }

  /// Whether a change must survive a loss of power. Any other change survives the end of the
  /// process only.
  private static func needsDisk(_ change: MonitorChange) -> Bool {
    switch change {
    case .add, .remove, .event, .discard: true
    case .candidate, .offer, .finish: false
    }
  }

  private func apply(_ change: MonitorChange) throws(SQLiteFailure) {
    switch change {
    case .add(let condition):
      try statements.addCondition.bind(condition)
      try statements.addCondition.run()
    case .remove(let identifier):
      try statements.removeCondition.bind(identifier)
      try statements.removeCondition.run()
    case .event(let event):
      try statements.addEvent.bind(StoredEvent(event))
      try statements.addEvent.run()
      try statements.setState.bind(state: event.state)
      try statements.setState.bind(event.identifier)
      try statements.setState.run()
      if event.number > lastNumber { try set(lastNumber: event.number) }
    case .candidate(let identifier, let candidate):
      try statements.setCandidate.bind(candidate)
      try statements.setCandidate.bind(identifier)
      try statements.setCandidate.run()
    case .offer(let number):
      try statements.offerEvent.bind(isOffered: true)
      try statements.offerEvent.bind(Int64(clamping: number))
      try statements.offerEvent.run()
    case .finish(let number):
      try statements.setLastEvent.bind(Int64(clamping: number))
      try statements.setLastEvent.run()
      try statements.removeEvent.bind(Int64(clamping: number))
      try statements.removeEvent.run()
    case .discard(let number):
      try statements.removeEvents.bind(Int64(clamping: number))
      try statements.removeEvents.run()
      // The first event that remains reports that events before it were discarded.
      if let next = try firstUnofferedEvent() {
        try statements.addEvent.bind(next.afterDiscarded)
        try statements.addEvent.run()
      }
    }
  }

  /// The first event that was not offered.
  private func firstUnofferedEvent() throws(SQLiteFailure) -> StoredEvent? {
    var events = try connection.prepare(
      "SELECT * FROM event WHERE offered = 0 ORDER BY number LIMIT 1")
    return try events.step() ? try events.storedEvent() : nil
  }

  private func set(lastNumber number: UInt64) throws(SQLiteFailure) {
    try statements.setLastNumber.bind(lastNumber: number)
    try statements.setLastNumber.run()
    lastNumber = number
  }

  // MARK: Many additions

  /// The end of the consecutive additions that begin at an index; the index if the change there is
  /// not an addition.
  private func endOfAdditions(_ changes: [MonitorChange], from start: Int) -> Int {
    var end = start
    while end < changes.count, case .add = changes[end] { end += 1 }
    return end
  }

  /// Adds conditions in the order of the table, which is faster. Of several conditions with the
  /// same identifier, the last one is stored.
  private func add(_ additions: ArraySlice<MonitorChange>) throws(SQLiteFailure) {
    var conditions: [StoredCondition] = []
    conditions.reserveCapacity(additions.count)
    for case .add(let condition) in additions { conditions.append(condition) }
    // A condition replaces earlier ones with the same identifier, so the sort must be stable.
    let order = conditions.indices.sorted { first, second in
      if Self.areOrdered(conditions[first], conditions[second]) { return true }
      return first < second && !Self.areOrdered(conditions[second], conditions[first])
    }
    for index in order {
      try statements.addCondition.bind(conditions[index])
      try statements.addCondition.run()
    }
  }

  private static func areOrdered(_ first: StoredCondition, _ second: StoredCondition) -> Bool {
    areOrdered(first.identifier, second.identifier)
  }
}
