/// Watches what a receiver reports of interference and of its antenna.
struct HardwareCheck: Sendable {
  /// On the scale of ``GNSSFix/jamming``.
  static let strongJamming = 200.0
  static let unusualJamming = 80.0
  /// The share of a new value in the usual one.
  private static let weight = 1.0 / 256

  private var usualJamming: Double?
  private var jamming = Suspicion(.init(count: 3, seconds: 1, recovery: 10))
  private var antenna = Suspicion(.init(count: 3, seconds: 1, recovery: 10))

  var reasons: LocationIntegrity.Reasons {
    var reasons: LocationIntegrity.Reasons = []
    if jamming.isRaised { reasons.insert(.jamming) }
    if antenna.isRaised { reasons.insert(.antenna) }
    return reasons
  }

  mutating func observe(_ fix: borrowing GNSSFix, at arrival: Double) {
    if let value = fix.jamming.map(Double.init) {
      let usual = usualJamming ?? value
      let isEvidence = value >= Self.strongJamming || value >= usual + Self.unusualJamming
      jamming.observe(isEvidence, at: arrival)
      usualJamming = isEvidence ? usual : usual + (value - usual) * Self.weight
    }
    if let status = fix.antennaStatus {
      antenna.observe(status == 2 || status == 3, at: arrival)
    }
  }
}
