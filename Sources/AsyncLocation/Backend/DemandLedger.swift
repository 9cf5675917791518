/// Tracks demand per subscriber and computes the merged demand.
struct DemandLedger: Sendable {
  private var demands: [UInt64: BackendDemand] = [:]
  /// How many hold each demand: few differ, so merging stays cheap with thousands of holders.
  private var counts: [BackendDemand: Int] = [:]
  /// How many different demands name each device.
  private var deviceCounts: [String: Int] = [:]

  /// What serves everybody; nil when nobody asks.
  private(set) var merged: BackendDemand?
  /// The devices that somebody names, also beside subscribers who name none; the first named first.
  private(set) var devices: [String] = []

  /// How many ask for something.
  var count: Int { demands.count }

  mutating func add(_ demand: BackendDemand, holder: UInt64) {
    demands[holder] = demand
    counts[demand, default: 0] += 1
    guard counts[demand] == 1 else { return }
    merged = merged?.merged(with: demand) ?? demand
    for device in demand.devices ?? [] {
      deviceCounts[device, default: 0] += 1
      if deviceCounts[device] == 1 { devices.append(device) }
    }
  }

  mutating func remove(_ holder: UInt64) {
    guard let demand = demands.removeValue(forKey: holder), let count = counts[demand] else {
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
