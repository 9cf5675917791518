/// Adds up rises and descents between turning points. Pure.
///
/// A low or a high becomes a turning point once the altitude differs from it by the hysteresis. The
/// sums then include the whole rise or descent, and grow with it until the next turning point. So
/// noise below the hysteresis adds nothing, and a long rise is counted in full.
struct AltitudeChange: Sendable, Hashable {
  /// The sums in metres, neither of them negative.
  struct Sums: Sendable, Hashable {
    var up = 0.0
    var down = 0.0
  }

  private enum State: Hashable {
    case empty
    /// No turning point yet: the lowest and the highest altitude so far.
    case level(low: Double, high: Double)
    /// The highest altitude since the last low.
    case rising(high: Double)
    /// The lowest altitude since the last high.
    case falling(low: Double)
  }

  private(set) var sums = Sums()
  private let hysteresis: Double
  private var state = State.empty

  /// - Parameter hysteresis: The hysteresis in metres.
  init(hysteresis: Double) { self.hysteresis = hysteresis }

  /// Adds the next altitude, in metres.
  mutating func add(_ altitude: Double) {
    switch state {
    case .empty: state = .level(low: altitude, high: altitude)
    case .level(let low, let high):
      state = .level(low: min(low, altitude), high: max(high, altitude))
      if altitude > low, altitude - low >= hysteresis { rise(from: low, to: altitude) }
      if altitude < high, high - altitude >= hysteresis { fall(from: high, to: altitude) }
    case .rising(let high):
      if altitude > high {
        rise(from: high, to: altitude)
      } else if altitude < high, high - altitude >= hysteresis {
        fall(from: high, to: altitude)
      }
    case .falling(let low):
      if altitude < low {
        fall(from: low, to: altitude)
      } else if altitude > low, altitude - low >= hysteresis {
        rise(from: low, to: altitude)
      }
    }
  }

  private mutating func rise(from low: Double, to altitude: Double) {
    sums.up += altitude - low
    state = .rising(high: altitude)
  }

  private mutating func fall(from high: Double, to altitude: Double) {
    sums.down += high - altitude
    state = .falling(low: altitude)
  }
}
