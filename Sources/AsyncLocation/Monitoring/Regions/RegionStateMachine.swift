/// Translates the states of a monitor's conditions into the events of regions.
struct RegionStateMachine: Sendable {
  private struct Entry: Sendable {
    let region: Region
    /// The last state that was determined, also before an interruption.
    var lastState: RegionState = .unknown
    var isStateRequested = false
  }

  private var entries: [String: Entry] = [:]

  var regions: Set<Region> { Set(entries.values.map(\.region)) }

  mutating func start(_ region: Region) -> [RegionEvent] {
    entries[region.identifier] = Entry(region: region)
    return [.didStartMonitoring(region)]
  }

  mutating func stop(_ identifier: String) { entries[identifier] = nil }

  /// - Parameter state: The state at the moment, as the monitor knows it.
  mutating func requestState(for region: Region, now state: Monitor.State?) -> [RegionEvent] {
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

  mutating func handle(_ event: Monitor.Event) -> [RegionEvent] {
    guard var entry = entries[event.identifier] else { return [] }
    defer { entries[event.identifier] = entry }
    let region = entry.region
    let state: RegionState
    switch event.state {
    case .unmonitored: return [.monitoringDidFail(region, .notMonitored(event.diagnostics))]
    case .unknown: return []
    case .satisfied: state = .inside
    case .unsatisfied: state = .outside
    }
    let isCrossing = entry.lastState != .unknown && entry.lastState != state
    defer {
      entry.lastState = state
      entry.isStateRequested = false
    }
    var events: [RegionEvent] = []
    if isCrossing, state == .inside, region.notifiesOnEntry { events.append(.didEnter(region)) }
    if isCrossing, state == .outside, region.notifiesOnExit { events.append(.didExit(region)) }
    if isCrossing || entry.isStateRequested { events.append(.didDetermineState(state, region)) }
    return events
  }
}

extension LocationError {
  /// Why a region is not monitored.
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
