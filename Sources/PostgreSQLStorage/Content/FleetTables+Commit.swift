import AsyncLocation
import LocationFleet

extension FleetTables {
  /// Applies changes, all or none.
  ///
  /// - Parameters:
  ///   - expiry: The time before which locations are deleted; nil if none are.
  ///   - beginsAnew: Whether everything but the history is removed first.
  /// - Returns: False if another server owns the part.
  func commit(
    _ changes: [FleetStorageChange], expiry: Double?, beginsAnew: Bool = false
  ) throws(PostgreSQLFailure) -> Bool {
    let content = CommitContent(changes)
    let isOwner = try connection.transaction { () throws(PostgreSQLFailure) in
      if content.devices.contains(where: { $1.isErased }) { try lockAllParts() }
      guard try begin() else { return false }
      if beginsAnew { try removeContent() }
      try apply(content)
      if let expiry { try expire(before: expiry) }
      try renew(
        commits: 1, lastNumber: content.lastNumber, lastRevision: content.lastRevision)
      return true
    }
    if isOwner { part.commits += 1 }
    return isOwner
  }

  private func apply(_ content: CommitContent) throws(PostgreSQLFailure) {
    try removeDevices(of: content)
    try addDevices(of: content)
    let added = try addLocations(of: content)
    try writeLast(content, added)
    try writeStates(content)
    try writeConditions(content)
    try writeEvents(content)
    try packFilledDevices()
  }

  // MARK: Devices

  /// Removes the erased devices and marks the forgotten ones.
  private func removeDevices(of content: CommitContent) throws(PostgreSQLFailure) {
    let erased = content.devices.filter { $1.isErased }.keys
    if !erased.isEmpty { try erase(erased.map(\.description)) }
    for id in erased {
      if let device = devices.removeValue(forKey: id) { names[device.row] = nil }
      filled.remove(id)
    }
    let forgotten = content.devices.filter { $1.isForgotten }.keys.filter { devices[$0] != nil }
    guard !forgotten.isEmpty else { return }
    var parameters = Parameters()
    parameters.add(forgotten.compactMap { devices[$0]?.row })
    try connection.run(
      """
      UPDATE async_location.device SET is_known = false, location = NULL, states = NULL
      WHERE id = ANY ($1)
      """, parameters)
    for id in forgotten {
      devices[id]?.isKnown = false
      devices[id]?.hasLocation = false
    }
  }

  /// Removes devices from all parts of the fleet, with their histories and events.
  private func erase(_ names: [String]) throws(PostgreSQLFailure) {
    var parameters = ofPart
    parameters.add(names)
    try connection.run(
      """
      DELETE FROM async_location.event WHERE device = ANY ($2::text[]) AND part IN (
        SELECT id FROM async_location.part
        WHERE fleet = (SELECT fleet FROM async_location.part WHERE id = $1))
      """, parameters)
    try connection.run(
      """
      WITH gone AS (
        DELETE FROM async_location.device WHERE name = ANY ($2::text[]) AND part IN (
          SELECT id FROM async_location.part
          WHERE fleet = (SELECT fleet FROM async_location.part WHERE id = $1))
        RETURNING id, part),
      runs AS (DELETE FROM async_location.run USING gone WHERE run.device = gone.id),
      chunks AS (DELETE FROM async_location.chunk USING gone WHERE chunk.device = gone.id)
      UPDATE async_location.part SET erasures = erasures + 1
      WHERE id <> $1 AND id IN (SELECT part FROM gone)
      """, parameters)
  }

  private func addDevices(of content: CommitContent) throws(PostgreSQLFailure) {
    let newIDs = content.devices.filter { id, device in
      !device.locations.isEmpty && devices[id] == nil
    }.keys
    guard !newIDs.isEmpty else { return }
    var parameters = ofPart
    parameters.add(newIDs.map(\.description))
    try connection.rows(
      """
      INSERT INTO async_location.device (part, name, is_known)
      SELECT $1, unnest($2::text[]), false RETURNING id, name
      """, parameters
    ) { (row) throws(PostgreSQLFailure) in
      let (number, id) = (try row.integer(), try row.deviceID())
      devices[id] = Device(row: number, isKnown: false)
      names[number] = id
    }
  }

  /// Marks devices as known, and writes the last locations that are not the newest in the history.
  private func writeLast(
    _ content: CommitContent, _ added: [FleetDevice.ID: AddedLocations]
  ) throws(PostgreSQLFailure) {
    var (rows, locations) = ([Int64](), [[UInt8]?]())
    for (id, change) in content.devices {
      guard var device = devices[id] else { continue }
      let newest = added[id]?.locations.last
      var last = change.last
      if last == nil, device.isKnown, !device.hasLocation, let added = added[id],
        device.end > added.formerEnd
      {
        // An added location is newer in the history but is not the last location, so the row must
        // contain the last one.
        var former = device
        former.end = added.formerEnd
        last = try lastLocations(of: [former])[device.row]
      }
      guard let last else { continue }
      let isNewest = last.timestampSeconds == device.end && newest == last
      guard !device.isKnown || device.hasLocation || !isNewest else { continue }
      rows.append(device.row)
      locations.append(isNewest ? nil : try last.packed)
      (device.isKnown, device.hasLocation) = (true, !isNewest)
      devices[id] = device
    }
    try write(lastLocations: locations, of: rows)
  }

  /// Marks devices as known and writes their last locations; nil if the last location is the newest
  /// in the history.
  func write(lastLocations locations: [[UInt8]?], of rows: [Int64]) throws(PostgreSQLFailure) {
    guard !rows.isEmpty else { return }
    var parameters = Parameters()
    parameters.add(rows)
    parameters.add(locations)
    try connection.run(
      """
      UPDATE async_location.device SET is_known = true, location = change.location
      FROM unnest($1::bigint[], $2::bytea[]) AS change (id, location) WHERE device.id = change.id
      """, parameters)
  }

  private func writeStates(_ content: CommitContent) throws(PostgreSQLFailure) {
    var (rows, states) = ([Int64](), [[UInt8]?]())
    for (id, change) in content.devices {
      guard let bytes = change.states, let device = devices[id], device.isKnown else { continue }
      rows.append(device.row)
      states.append(bytes)
    }
    guard !rows.isEmpty else { return }
    var parameters = Parameters()
    parameters.add(rows)
    parameters.add(states)
    try connection.run(
      """
      UPDATE async_location.device SET states = change.states
      FROM unnest($1::bigint[], $2::bytea[]) AS change (id, states) WHERE device.id = change.id
      """, parameters)
  }

  // MARK: Conditions and events

  private func writeConditions(_ content: CommitContent) throws(PostgreSQLFailure) {
    guard !content.conditions.isEmpty else { return }
    var removal = ofPart
    removal.add(content.conditions.keys.map(\.text))
    try connection.run(
      "DELETE FROM async_location.condition WHERE part = $1 AND identifier = ANY ($2)", removal)
    var (identifiers, revisions, texts) = ([String](), [Int64](), [String]())
    for case let condition? in content.conditions.values {
      identifiers.append(condition.condition.identifier)
      revisions.append(Int64(condition.revision))
      texts.append(try ConditionText.encode(condition.condition))
    }
    guard !texts.isEmpty else { return }
    var parameters = ofPart
    parameters.add(identifiers)
    parameters.add(revisions)
    parameters.add(texts)
    try connection.run(
      """
      INSERT INTO async_location.condition
      SELECT $1, * FROM unnest($2::text[], $3::bigint[], $4::text[])
      """, parameters)
  }

  private func writeEvents(_ content: CommitContent) throws(PostgreSQLFailure) {
    // The added events are removed first: an earlier attempt of this commit may have stored them.
    let removed = content.finished.union(content.events.keys)
    if !removed.isEmpty {
      var parameters = ofPart
      parameters.add(removed.map { Int64(clamping: $0) })
      try connection.run(
        "DELETE FROM async_location.event WHERE part = $1 AND number = ANY ($2)", parameters)
    }
    if !content.offered.isEmpty {
      var parameters = ofPart
      parameters.add(content.offered.map { Int64(clamping: $0) })
      try connection.run(
        "UPDATE async_location.event SET is_offered = true WHERE part = $1 AND number = ANY ($2)",
        parameters)
    }
    let events = Array(content.events.values)
    guard !events.isEmpty else { return }
    var locations: [[UInt8]?] = []
    for event in events { locations.append(try event.location.packed) }
    var parameters = ofPart
    parameters.add(events.map { Int64(clamping: $0.number) })
    parameters.add(events.map(\.device.description))
    parameters.add(events.map(\.identifier))
    parameters.add(events.map { Int64($0.revision) })
    parameters.add(events.map { Int64($0.previousState.rawValue) })
    parameters.add(events.map { Int64($0.state.rawValue) })
    parameters.add(locations)
    parameters.add(events.map(\.isRetained))
    parameters.add(events.map(\.isRepeated))
    try connection.run(
      """
      INSERT INTO async_location.event SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[],
        $5::bigint[], $6::bigint[], $7::bigint[], $8::bytea[], $9::boolean[], $10::boolean[])
      """, parameters)
  }
}
