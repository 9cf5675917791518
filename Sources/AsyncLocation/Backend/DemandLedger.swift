/// Knows who asks for what, and says what serves them all.
struct DemandLedger: Sendable {
  private var demands: [UInt64: BackendDemand] = [:]
  /// How many hold each demand: few differ, so merging stays cheap with thousands of holders.
  private var counts: [BackendDemand: Int] = [:]

  /// What serves everybody; nil when nobody asks.
  private(set) var merged: BackendDemand?

  /// How many ask for something.
  var count: Int { demands.count }

  mutating func add(_ demand: BackendDemand, holder: UInt64) {
    demands[holder] = demand
    counts[demand, default: 0] += 1
    if counts[demand] == 1 { merged = merged?.merged(with: demand) ?? demand }
  }

  mutating func remove(_ holder: UInt64) {
    guard let demand = demands.removeValue(forKey: holder), let count = counts[demand] else {
      return
    }
    counts[demand] = count > 1 ? count - 1 : nil
    if count > 1 { return }
    merged = counts.keys.dropFirst().reduce(counts.keys.first) { $0?.merged(with: $1) }
  }
}
