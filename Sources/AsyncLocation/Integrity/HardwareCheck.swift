/// Watches what a receiver reports of interference and of its antenna.
struct HardwareCheck: Sendable {
  /// On the scale of ``GNSSFix/jamming``.
  static let strongJamming = 200.0
  static let unusualJamming = 80.0
  /// The least increase over the usual value for a strong one: some receivers always report one.
  static let leastIncrease = 40.0
  /// The number of values before the usual one is known.
  static let fewestValues = 10.0
  /// Seconds in which the usual value follows.
  static let memory = 1_800.0

  /// The usual indicator: first the mean of all values, later a moving average. It follows during
  /// evidence too, so that a lasting value becomes the usual one.
  private var usualJamming = 0.0
  private var valueCount = 0.0
  private var lastValue = 0.0
  private var jamming = Suspicion(.init(count: 3, seconds: 1, recovery: 10))
  /// Passive antennas, and active ones behind a splitter, are reported as open from the start.
  private var wasConnected = false
  private var antenna = Suspicion(.init(count: 3, seconds: 1, recovery: 10))

  var reasons: LocationIntegrity.Reasons {
    var reasons: LocationIntegrity.Reasons = []
    if jamming.isRaised { reasons.insert(.jamming) }
    if antenna.isRaised { reasons.insert(.antenna) }
    return reasons
  }

  mutating func observe(_ fix: borrowing GNSSFix, at arrival: Double) {
    if let value = fix.jamming.map(Double.init) {
      observe(jamming: value, at: arrival)
    }
    if let status = fix.antennaStatus {
      if status == 1 { wasConnected = true }
      antenna.observe(status == 3 || status == 2 && wasConnected, at: arrival)
    }
  }

  private mutating func observe(jamming value: Double, at arrival: Double) {
    let increase = valueCount < Self.fewestValues ? 0 : value - usualJamming
    let isStrong = value >= Self.strongJamming && increase >= Self.leastIncrease
    jamming.observe(isStrong || increase >= Self.unusualJamming, at: arrival)
    valueCount += 1
    let elapsed = valueCount == 1 ? 0 : max(0, arrival - lastValue)
    let weight = min(1, max(elapsed / Self.memory, 1 / valueCount))
    usualJamming += (value - usualJamming) * weight
    lastValue = arrival
  }
}
