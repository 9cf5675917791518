/// Rejects positions that the receiver could not have reached at a plausible speed.
///
/// The last accepted position may be the wrong one. So the third implausible position in a row is
/// accepted if each of the three is reachable from the one before.
struct JumpFilter: Sendable {
  /// The number of consecutive implausible fixes, each reachable from the one before, of which the
  /// last is accepted.
  static let consistentFixes = 3
  /// Seconds by which the true interval between two fixes may exceed the measured one, since both
  /// clocks are coarse.
  static let slack = 1.0

  private struct Fix: Sendable {
    let place: Coordinate
    let accuracy: Double
    /// Seconds by the receiver's clock; nil for a time that the host set.
    let time: Double?
    let arrival: Duration

    init(_ location: borrowing Location, at instant: Duration) {
      place = location.coordinate
      accuracy = location.horizontalAccuracy ?? 0
      time = location.sourceInformation?.timeSource == .host ? nil : location.timestampSeconds
      arrival = instant
    }

    /// Whether a receiver of this speed could have moved here from an earlier position.
    func isReachable(from earlier: Self, at speed: Double) -> Bool {
      var elapsed = max(0, ExactSeconds.number(arrival - earlier.arrival))
      // Delayed fixes arrive together, but their timestamps show the interval.
      if let time, let start = earlier.time { elapsed = max(elapsed, time - start) }
      let distance = earlier.place.distance(to: place) - earlier.accuracy - accuracy
      return distance <= speed * (elapsed + JumpFilter.slack)
    }
  }

  /// Metres per second.
  private let highestSpeed: Double
  private var last: Fix?
  /// The latest rejected fix, and the number of rejected fixes in a row, each reachable from the
  /// one before.
  private var candidate: (fix: Fix, count: Int)?

  init(highestSpeed: Double) { self.highestSpeed = highestSpeed }

  /// Returns whether the filter accepts a position. Later positions are compared with the last
  /// accepted one.
  mutating func admits(_ location: borrowing Location, at instant: Duration) -> Bool {
    let fix = Fix(location, at: instant)
    if let last, !fix.isReachable(from: last, at: highestSpeed) {
      var count = 1
      if let candidate, fix.isReachable(from: candidate.fix, at: highestSpeed) {
        count += candidate.count
      }
      guard count >= Self.consistentFixes else {
        candidate = (fix, count)
        return false
      }
    }
    (last, candidate) = (fix, nil)
    return true
  }
}
