import AsyncLocation

/// A level of accuracy of GeoClue. It limits which sources GeoClue uses: a GNSS receiver only
/// serves clients that request `exact`.
enum AccuracyLevel: UInt32, Hashable, Sendable, Comparable, CaseIterable {
  case city = 4
  case neighborhood = 5
  case street = 6
  case exact = 8

  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  init(_ accuracy: DesiredAccuracy) {
    switch accuracy.meters {
    case .some(3_000...): self = .city
    case .some(1_000...): self = .neighborhood
    case .some(100...): self = .street
    case .some, .none: self = .exact
    }
  }
}

/// The demand of the manager in GeoClue's terms.
struct GeoClueDemand: Hashable, Sendable {
  var level: AccuracyLevel
  /// GeoClue's `TimeThreshold`, in seconds.
  var timeThreshold: UInt32

  init(level: AccuracyLevel = .exact, timeThreshold: UInt32 = 0) {
    (self.level, self.timeThreshold) = (level, timeThreshold)
  }

  init(_ demand: BackendDemand) {
    // One second less than the interval: GeoClue compares timestamps, which jitter, and would drop
    // a location that is a little early. The manager applies the interval exactly.
    let interval = min(max(demand.minimumInterval, .seconds(1)), .seconds(UInt32.max))
    let seconds = interval.components.seconds - 1
    self.init(
      level: AccuracyLevel(demand.desiredAccuracy), timeThreshold: UInt32(clamping: seconds))
  }

  /// The demand that satisfies both.
  func merged(with other: Self) -> Self {
    Self(
      level: max(level, other.level), timeThreshold: min(timeThreshold, other.timeThreshold))
  }
}
