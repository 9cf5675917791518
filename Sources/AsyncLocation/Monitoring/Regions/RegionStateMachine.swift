/// Translates the states of a monitor's conditions into the events of regions.
///
/// Each condition has its own key instead of the region's identifier, so that waiting events of a
/// replaced region are not mistaken for events of its successor.
struct RegionStateMachine: Sendable {
  private struct Entry: Sendable {
    var region: Region
    let condition: Condition
    let key: String
    /// The last determined state. An interruption of monitoring does not reset it.
    var lastState: RegionState = .unknown
    var isStateRequested = false
  }

  private var entries: [String: Entry] = [:]
  /// The identifiers of the regions by the keys of their conditions.
  private var identifiers: [String: String] = [:]
  /// The number of keys so far.
  private var keyCount = 0

  var regions: Set<Region> { Set(entries.values.map(\.region)) }

  /// The key of a region's condition; nil if the region is not monitored.
  func key(of identifier: String) -> String? { entries[identifier]?.key }

  /// Whether a key belongs to a monitored region.
  func isKnown(_ key: String) -> Bool { identifiers[key] != nil }

  /// Starts to monitor a region. If a region with the same identifier and an equal condition is
  /// monitored already, its state is kept.
  ///
  /// - Returns: The key of the condition, and the key of the condition that it replaces.
  mutating func start(
    _ region: Region, _ condition: Condition
  ) -> (key: String, replaced: String?) {
    let identifier = region.identifier
    if let entry = entries[identifier], entry.condition == condition {
      entries[identifier]?.region = region
      return (entry.key, nil)
    }
    let replaced = stop(identifier)
    keyCount += 1
    // Padded with zeros, so that keys sort in the order of their creation; see ``losses(in:)``.
    let digits = String(keyCount)
    let key = String(repeating: "0", count: max(0, 20 - digits.count)) + digits
    entries[identifier] = Entry(region: region, condition: condition, key: key)
    identifiers[key] = identifier
    return (key, replaced)
  }

  /// Stops monitoring a region. Returns the key of its condition; nil if there is none.
  @discardableResult
  mutating func stop(_ identifier: String) -> String? {
    guard let key = entries.removeValue(forKey: identifier)?.key else { return nil }
    identifiers[key] = nil
    return key
  }

  /// Returns the event that answers a request for a region's state. The answer is `unknown` if the
  /// region is not monitored at the moment. If its state is not determined yet, there is no event
  /// now: ``handle(_:)`` returns it later.
  ///
  /// - Parameter state: The current state of the region's condition; nil if it is not available.
  mutating func requestState(
    for region: Region, currentState state: Monitor.State?
  ) -> [RegionEvent] {
    guard let entry = entries[region.identifier] else {
      return [.didDetermineState(.unknown, region)]
    }
    switch state {
    case .satisfied: return [.didDetermineState(.inside, entry.region)]
    case .unsatisfied: return [.didDetermineState(.outside, entry.region)]
    case .unmonitored: return [.didDetermineState(.unknown, entry.region)]
    case .unknown, nil:
      entries[region.identifier]?.isStateRequested = true
      return []
    }
  }

  /// Forgets the last state of a condition, so that the next state does not count as a crossing.
  mutating func forgetState(of key: String) {
    guard let identifier = identifiers[key] else { return }
    entries[identifier]?.lastState = .unknown
  }

  /// The last state of a monitored region.
  func lastState(of identifier: String) -> RegionState? { entries[identifier]?.lastState }

  /// Returns an event for each monitored region and each kind of loss in the diagnostics: a loss
  /// that the event of one region reports may concern any region.
  func losses(in diagnostics: Monitor.Diagnostics) -> [RegionEvent] {
    var errors: [LocationError] = []
    if diagnostics.contains(.locationsDiscarded) { errors.append(.lostLocations) }
    if diagnostics.contains(.eventsDiscarded) { errors.append(.lostEvents) }
    guard !errors.isEmpty else { return [] }
    return entries.values.sorted { $0.key < $1.key }.flatMap { entry in
      errors.map { .monitoringDidFail(entry.region, $0) }
    }
  }

  /// Handles an event of a condition and returns the events of its region, without those of
  /// ``losses(in:)``.
  mutating func handle(_ event: Monitor.Event) -> [RegionEvent] {
    guard let identifier = identifiers[event.identifier], let entry = entries[identifier] else {
      return []
    }
    let region = entry.region
    let state: RegionState
    var events: [RegionEvent] = []
    switch event.state {
    case .unmonitored: return [.monitoringDidFail(region, .notMonitored(event.diagnostics))]
    case .unknown: return []
    case .satisfied: state = .inside
    case .unsatisfied: state = .outside
    }
    // `entry` keeps the state before the event.
    let isCrossing = entry.lastState != .unknown && entry.lastState != state
    entries[identifier]?.lastState = state
    entries[identifier]?.isStateRequested = false
    if isCrossing, state == .inside, region.notifiesOnEntry { events.append(.didEnter(region)) }
    if isCrossing, state == .outside, region.notifiesOnExit { events.append(.didExit(region)) }
    if isCrossing || entry.isStateRequested { events.append(.didDetermineState(state, region)) }
    return events
  }
}

extension LocationError {
  fileprivate static var lostLocations: Self {
    Self(
      .locationUnknown,
      "Locations were discarded, because too many waited to be compared with the regions: "
        + "a crossing may have been missed.")
  }

  fileprivate static var lostEvents: Self {
    Self(
      .locationUnknown,
      "Events of regions were discarded, because too many waited: a crossing was missed.")
  }

  /// The error for a region that is not monitored.
  fileprivate static func notMonitored(_ diagnostics: Monitor.Diagnostics) -> Self {
    if diagnostics.contains(.conditionUnsupported) {
      return Self(
        .rangingUnavailable, "The backend cannot range beacons, so it cannot monitor the region.")
    }
    if diagnostics.contains(.authorizationRestricted) {
      return Self(.restricted, "The region is not monitored: permission is restricted.")
    }
    if diagnostics.contains(.accuracyLimited) {
      return Self(
        .denied, "The region is not monitored while accuracy is reduced; request full accuracy.")
    }
    return Self(.denied, "The region is not monitored without permission for locations.")
  }
}
