import AsyncLocation
import FoundationEssentials
import LocationFleet

extension FleetState {
  /// Adds a condition, or replaces the condition with the same identifier.
  ///
  /// - Returns: The revision of the condition.
  @discardableResult
  mutating func add(_ new: FleetCondition) throws(LocationError) -> UInt32 {
    try new.checkAudience()
    let (identifier, condition) = (new.identifier, new.condition)
    if let old = storedCondition(identifier), old.condition.condition == condition {
      guard old.condition.audience != new.audience else { return old.revision }
      return readdress(old, to: new.audience)
    }
    let former = tracker.revision(of: identifier)
    let revision = try tracker.add(condition, identifier: identifier)
    if let former { audiences[former] = .all }
    audiences[revision] = new.audience
    storing.journal?.add(.add(StoredFleet.Condition(new, revision: revision)))
    return revision
  }

  /// Changes the audience of a condition. If the new audience is a subset, the states of the other
  /// devices are forgotten. Otherwise, the condition gets a new revision: devices in both audiences
  /// keep their states, and the states of all others are unknown.
  private mutating func readdress(
    _ old: StoredFleet.Condition, to audience: FleetCondition.Audience
  ) -> UInt32 {
    let (identifier, former) = (old.condition.identifier, old.condition.audience)
    func isKept(_ slot: DeviceDirectory.Slot) -> Bool {
      intake.directory.id(of: slot).map { former.contains($0) && audience.contains($0) } ?? false
    }
    var (revision, devices) = (old.revision, [DeviceDirectory.Slot]())
    if audience.isSubset(of: former) {
      devices = tracker.forget(identifier) { !isKept($0) }
    } else {
      (revision, devices) = tracker.renew(identifier, where: isKept)
      audiences[old.revision] = .all
    }
    audiences[revision] = audience
    if let stored = storedCondition(identifier) { storing.journal?.add(.add(stored)) }
    for slot in devices { journalStates(of: slot) }
    return revision
  }

  /// Adds the states of the conditions for a device to the journal.
  mutating func journalStates(of slot: DeviceDirectory.Slot) {
    guard storing.journal != nil, let id = intake.directory.id(of: slot),
      let states = tracker.states(of: slot)
    else { return }
    storing.journal?.add(.states(id, states.bytes))
  }

  mutating func remove(_ identifier: String) -> Condition? {
    guard let revision = tracker.revision(of: identifier),
      let condition = tracker.remove(identifier)
    else { return nil }
    removed(identifier, revision)
    return condition
  }

  private mutating func removed(_ identifier: String, _ revision: UInt32) {
    audiences[revision] = .all
    storing.journal?.add(.remove(identifier: identifier))
  }

  /// Removes the conditions that have expired.
  mutating func removeExpired(at date: Date) {
    for (identifier, revision) in tracker.takeExpired(at: date) { removed(identifier, revision) }
  }

  /// Replaces all conditions with those of a list, with as few changes as possible.
  ///
  /// - Throws: `LocationError` for an invalid condition; nothing is changed then.
  mutating func replaceConditions(
    with new: [FleetCondition]
  ) throws(LocationError) -> FleetConditionDifference {
    var identifiers: Set<ExactText> = []
    for condition in new {
      try condition.checkAudience()
      try ConditionTracker<DeviceDirectory.Slot>.check(
        condition.condition, identifier: condition.identifier)
      guard identifiers.insert(ExactText(condition.identifier)).inserted else {
        throw LocationError(
          .invalidValue,
          "Two conditions have the identifier \"\(String(printable: condition.identifier))\".")
      }
    }
    var difference = FleetConditionDifference()
    for identifier in tracker.identifiers.sorted()
    where !identifiers.contains(ExactText(identifier)) {
      _ = remove(identifier)
      difference.removed.append(identifier)
    }
    for condition in new {
      let old = storedCondition(condition.identifier)?.condition
      try add(condition)
      switch old {
      case nil: difference.added.append(condition.identifier)
      case condition: break
      case let old? where old.condition == condition.condition:
        difference.readdressed.append(condition.identifier)
      default: difference.replaced.append(condition.identifier)
      }
    }
    return difference
  }
}
