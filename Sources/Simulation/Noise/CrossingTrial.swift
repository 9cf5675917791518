package import AsyncLocation

/// Trials with real crossings, which measure the cost of confirmation.
package enum CrossingTrial {
  private static func errors(jumps: ReceiverErrors.Jumps? = nil) -> ReceiverErrors {
    ReceiverErrors(accuracy: 5, holding: 0.95, correlation: 60, jumps: jumps)
  }

  /// Drives through 20 fences with a radius of 1 km, and returns the longest time in seconds from
  /// the first certain fix until the entry is reported; nil if an entry is not reported.
  package static func latestEntry(
    at speed: Double, every interval: Double = 1, _ options: CrossingOptions, seed: UInt64
  ) -> Double? {
    let (radius, apart, count) = (1_000.0, 4_000.0, 20)
    var receiver = SimulatedReceiver(errors(), interval: interval, seed: seed)
    var delays: [Double] = []
    for index in 0..<count {
      var tracker = ConditionTracker<Int>(options: options)
      tracker.addCircle(at: Place(), radius: radius, "fence")
      var certain: Double?
      for second in stride(from: 0, to: apart / speed, by: interval) {
        let time = Double(index) * apart / speed + second
        let fix = receiver.fix(at: Place(east: speed * second - apart / 2), time)
        let depth = radius - fix.coordinate.distance(to: Place().coordinate)
        if depth >= (fix.horizontalAccuracy ?? 0) * options.marginFactor {
          certain = certain ?? time
        }
        let changes = tracker.observe(fix, of: 0, at: .seconds(time))
        if let certain, changes.contains(where: { $0.state == .satisfied }) {
          delays.append(time - certain)
        }
      }
    }
    return delays.count == count ? delays.max() : nil
  }

  /// Simulates a bus that stops in a fence every 20 minutes for ten hours.
  ///
  /// - Returns: The share of the arrivals and departures that are reported.
  package static func reportedStops(
    of seconds: Double, _ options: CrossingOptions, seed: UInt64
  ) -> Double {
    var tracker = ConditionTracker<Int>(options: options)
    tracker.addCircle(at: Place(), radius: FenceTrial.radius, "stop")
    var receiver = SimulatedReceiver(errors(), interval: 1, seed: seed)
    let (period, speed, rounds) = (1_200.0, 10.0, 30)
    var changes = 0
    for second in stride(from: 0, to: period * Double(rounds), by: 1) {
      // The bus stands still in the middle of each round; it arrives before and departs afterwards.
      let away = abs(second.truncatingRemainder(dividingBy: period) - period / 2) - seconds / 2
      let fix = receiver.fix(at: Place(east: max(0, away) * speed), second)
      changes += tracker.observe(fix, of: 0, at: .seconds(second)).count {
        $0.previousState != .unknown
      }
    }
    return Double(changes) / Double(2 * rounds)
  }
}
