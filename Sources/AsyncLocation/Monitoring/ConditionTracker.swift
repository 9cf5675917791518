public import FoundationEssentials

/// Tracks which conditions each of many devices meets, without a manager.
///
/// All devices of a fleet share one set of conditions: an area is kept in memory once, and a device
/// uses memory only for the areas that it is in or near, is about to enter, or has just left. A
/// location costs about a microsecond plus the changes that it causes, regardless of the number of
/// conditions and devices. The tracker is a value, so the caller serializes changes. Nothing is
/// written to a storage.
///
/// For each device, a new condition is unknown until the device's next location. A change from
/// unknown to unsatisfied is not reported; ``CrossingOptions`` determines when other changes are
/// reported. Expired conditions stay until ``removeExpired(at:)`` is called.
public struct ConditionTracker<Device: Hashable & Sendable>: Sendable {
  /// A change of a condition for a device.
  public struct Change: Sendable, Hashable {
    /// The condition's identifier.
    public let identifier: String
    /// The state before: unknown, satisfied or unsatisfied.
    public let previousState: Monitor.State
    /// The new state: satisfied or unsatisfied.
    public let state: Monitor.State
    /// The condition's revision, as ``ConditionTracker/add(_:identifier:)`` returned it.
    public let revision: UInt32
  }

  private var table = ConditionTable()
  private var devices: [Device: DeviceConditions] = [:]
  private let options: CrossingOptions

  /// Creates a tracker without conditions.
  public init(options: CrossingOptions = CrossingOptions()) { self.options = options }

  /// The number of conditions.
  public var count: Int { table.count }

  /// The number of devices that were observed and not forgotten.
  public var deviceCount: Int { devices.count }

  /// Reserves memory for more conditions. Call it before many conditions are added.
  public mutating func reserveCapacity(_ added: Int) { table.reserve(added) }

  /// Adds a condition, or replaces the one with its identifier. If both are equal, nothing changes.
  ///
  /// - Returns: The revision of the condition. It distinguishes the condition's changes from those
  ///   of earlier and later conditions with the same identifier.
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` for an identifier that is
  ///   empty, has more than 1,024 bytes or contains a NUL, and with
  ///   ``LocationError/Code/unsupported`` for a beacon.
  @discardableResult
  public mutating func add(
    _ condition: Condition, identifier: String
  ) throws(LocationError) -> UInt32 {
    try Self.check(condition, identifier: identifier)
    if let slot = table.slot(of: identifier), table.condition(of: slot) == condition {
      return table.revision(of: slot)
    }
    let slot = table.add(condition, identifier: identifier)
    return table.revision(of: slot)
  }

  /// Throws for a condition or an identifier that ``add(_:identifier:)`` refuses.
  package static func check(
    _ condition: Condition, identifier: String
  ) throws(LocationError) {
    try Monitor.check(identifier: identifier)
    guard case .beacon = condition.subject else { return }
    throw LocationError(.unsupported, "A tracker has locations only; it cannot track beacons.")
  }

  /// Removes a condition. No change is reported.
  ///
  /// - Returns: The condition; nil if there is none.
  @discardableResult
  public mutating func remove(_ identifier: String) -> Condition? { table.remove(identifier) }

  /// Removes the conditions whose ``Condition/expiry`` is not after a date.
  ///
  /// - Returns: Their identifiers, in the order of expiry.
  @discardableResult
  public mutating func removeExpired(at date: Date) -> [String] {
    takeExpired(at: date).map(\.identifier)
  }

  /// Removes expired conditions as ``removeExpired(at:)`` does. Returns their revisions, too.
  package mutating func takeExpired(at date: Date) -> [(identifier: String, revision: UInt32)] {
    let expired = table.takeExpired(at: date).map {
      (identifier: table.identifier(of: $0), revision: table.revision(of: $0))
    }
    for condition in expired { _ = table.remove(condition.identifier) }
    return expired
  }

  /// The condition with an identifier; nil if there is none.
  public func condition(for identifier: String) -> Condition? { table.condition(for: identifier) }

  /// Forgets a device. Its next location counts as its first.
  public mutating func forget(_ device: Device) { devices[device] = nil }

  /// The identifiers of the conditions that a device meets, sorted.
  public func satisfied(by device: Device) -> [String] {
    (devices[device]?.satisfied(in: table) ?? []).map { table.identifier(of: $0) }.sorted()
  }

  /// The identifiers of the conditions whose areas contain a point, regardless of devices; sorted.
  public func conditions(containing coordinate: Coordinate) -> [String] {
    var identifiers: [String] = []
    table.visit(containing: AreaPoint(coordinate)) { identifiers.append(table.identifier(of: $0)) }
    return identifiers.sorted()
  }

  /// Observes a location of a device.
  ///
  /// - Parameters:
  ///   - location: The location. Its position and accuracy are used, not its timestamp.
  ///   - device: The device.
  ///   - instant: The time at which the location was measured or received, on any monotonic clock.
  ///     If locations may arrive late and in batches, pass the time of measurement.
  /// - Returns: The changes that the location causes.
  public mutating func observe(
    _ location: Location, of device: Device, at instant: Duration
  ) -> [Change] {
    reported(observed(location, of: device, at: instant, where: nil))
  }

  /// Observes a location of a device to which only some conditions apply.
  ///
  /// - Parameter isIncluded: Whether the condition with a revision applies to the device; nil if
  ///   all do.
  /// - Returns: The changes that the location causes, and whether ``states(of:)`` has changed.
  package mutating func observe(
    _ location: Location, of device: Device, at instant: Duration,
    where isIncluded: ((_ revision: UInt32) -> Bool)?
  ) -> (changes: [Change], changesStates: Bool) {
    let changes = reported(observed(location, of: device, at: instant, where: isIncluded))
    return (changes, devices[device]?.hasChanged ?? false)
  }

  private mutating func observed(
    _ location: Location, of device: Device, at instant: Duration,
    where isIncluded: ((_ revision: UInt32) -> Bool)?
  ) -> [DeviceConditions.Change] {
    guard options.counts(location) else { return [] }
    var candidates: [ConditionTable.Slot] = []
    let filter = isIncluded.map { isIncluded in
      { [table] (slot: ConditionTable.Slot) in isIncluded(table.revision(of: slot)) }
    }
    return devices[device, default: DeviceConditions(isNew: true)].observe(
      AreaPoint(location.coordinate), accuracy: location.horizontalAccuracy, at: instant,
      in: table, options, candidates: &candidates, where: filter)
  }

  private func reported(_ changes: [DeviceConditions.Change]) -> [Change] {
    guard !changes.isEmpty else { return [] }
    return changes.compactMap { change in
      guard change.previousState != .unknown || change.state != .unsatisfied else { return nil }
      return Change(
        identifier: table.identifier(of: change.slot), previousState: change.previousState,
        state: change.state, revision: table.revision(of: change.slot))
    }
  }
}

// MARK: - Storing

extension ConditionTracker {
  /// Adds a stored condition with its revision.
  package mutating func restore(_ condition: Condition, identifier: String, revision: UInt32) {
    _ = table.add(condition, identifier: identifier, revision: revision)
  }

  /// Ensures that the next revision is greater than a stored one.
  package mutating func continueRevisions(after revision: UInt32) {
    table.continueRevisions(after: revision)
  }

  /// The greatest revision so far.
  package var lastRevision: UInt32 { table.lastRevision }

  /// The revision of a condition; nil if no condition has the identifier.
  package func revision(of identifier: String) -> UInt32? {
    table.slot(of: identifier).map { table.revision(of: $0) }
  }

  /// The identifiers of all conditions, unsorted.
  package var identifiers: [String] { table.slots.map { table.identifier(of: $0) } }

  /// The states of a device to store; nil if it was not observed.
  package func states(of device: Device) -> DeviceStates? { devices[device]?.states(in: table) }

  /// Restores stored states. The conditions must be restored first.
  package mutating func restore(_ states: [(device: Device, states: DeviceStates)]) {
    let slots = Dictionary(
      table.slots.map { (table.revision(of: $0), $0) }, uniquingKeysWith: { $1 })
    for (device, states) in states {
      devices[device] = DeviceConditions(states, slots: slots, in: table)
    }
  }

  /// Resets the state of a condition to unsatisfied for some devices. No change is reported.
  ///
  /// - Returns: The devices whose state was reset.
  package mutating func forget(
    _ identifier: String, where isForgotten: (Device) -> Bool
  ) -> [Device] {
    guard let slot = table.slot(of: identifier) else { return [] }
    let forgotten = devices.keys.filter { device in
      isForgotten(device) && devices[device]?.storedMachine(of: slot, in: table) != nil
    }
    for device in forgotten { devices[device]?.set(.unsatisfied, slot, in: table) }
    return forgotten
  }

  /// Assigns a new revision to a condition. Some devices keep their states of the condition; for
  /// the others, it is a new condition.
  ///
  /// - Parameters:
  ///   - identifier: The identifier of an existing condition.
  ///   - isKept: Whether a device keeps its state.
  /// - Returns: The new revision, and the devices whose kept states now have it.
  package mutating func renew(
    _ identifier: String, where isKept: (Device) -> Bool
  ) -> (revision: UInt32, devices: [Device]) {
    guard let old = table.slot(of: identifier) else {
      preconditionFailure("There is no condition of this identifier.")
    }
    let kept = devices.compactMap { device, conditions -> (Device, CrossingStateMachine)? in
      guard isKept(device) else { return nil }
      return conditions.storedMachine(of: old, in: table).map { (device, $0) }
    }
    let slot = table.add(table.condition(of: old), identifier: identifier)
    for (device, machine) in kept { devices[device]?.restore(machine, slot, in: table) }
    return (table.revision(of: slot), kept.map(\.0))
  }
}
