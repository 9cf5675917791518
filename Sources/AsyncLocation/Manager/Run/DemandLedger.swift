/// Tracks demand per subscriber and computes the merged demand.
struct DemandLedger: Sendable {
  private var demands: [UInt64: BackendDemand] = [:]
  /// The number of holders of each demand. Many holders have equal demands, so merging stays cheap.
  private var counts: [BackendDemand: Int] = [:]
  /// The number of different demands that name each device.
  private var deviceCounts: [String: Int] = [:]

  /// The merged demand; nil when there is none.
  private(set) var merged: BackendDemand?
  /// The devices that subscribers name, even if other subscribers name none; in the order of first
  /// use.
  private(set) var devices: [String] = []

  /// The number of holders.
  var count: Int { demands.count }

  /// Adds the demand of a holder, or replaces it.
  mutating func add(_ demand: BackendDemand, holder: UInt64) {
    let old = demands.updateValue(demand, forKey: holder)
    // The new demand is counted before the old one is removed, so that devices of both keep their
    // order.
    increment(demand)
    if let old { decrement(old) }
  }

  mutating func remove(_ holder: UInt64) {
    if let demand = demands.removeValue(forKey: holder) { decrement(demand) }
  }

  /// Sets whether the demand of a holder is paused.
  mutating func setPaused(_ holder: UInt64, _ isPaused: Bool) {
    guard let old = demands[holder], old.isPaused != isPaused else { return }
    var new = old
    new.isPaused = isPaused
    add(new, holder: holder)
  }

  private mutating func increment(_ demand: BackendDemand) {
    counts[demand, default: 0] += 1
    guard counts[demand] == 1 else { return }
    merged = merged?.merged(with: demand) ?? demand
    for device in demand.devices ?? [] {
      deviceCounts[device, default: 0] += 1
      if deviceCounts[device] == 1 { devices.append(device) }
    }
  }

  private mutating func decrement(_ demand: BackendDemand) {
    guard let count = counts[demand] else {
      return
    }
    counts[demand] = count > 1 ? count - 1 : nil
    if count > 1 { return }
    merged = counts.keys.dropFirst().reduce(counts.keys.first) { $0?.merged(with: $1) }
    for device in demand.devices ?? [] {
      guard let count = deviceCounts[device] else { continue }
      deviceCounts[device] = count > 1 ? count - 1 : nil
      if count == 1 { devices.removeAll { $0 == device } }
    }
  }
}
