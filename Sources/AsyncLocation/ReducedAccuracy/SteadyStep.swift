/// Rounds a number to multiples of a step, with hysteresis: the last multiple is kept until the
/// number is more than 0.75 steps away from it.
struct SteadyStep: Sendable {
  /// The step. ``reach`` is the largest distance between a number and its rounded value.
  let size: Double
  var reach: Double { size * 0.75 }

  /// The period of cyclic numbers, such as 360 for degrees.
  private let period: Double?
  /// The last multiple; nil before the first number.
  private(set) var value: Double?

  init(_ size: Double, period: Double? = nil) {
    (self.size, self.period) = (size, period)
  }

  /// Continues from a multiple that was stored. Returns false for a number that is none.
  mutating func restore(_ stored: Double?) -> Bool {
    guard let stored else { return true }
    guard abs(stored) <= 1e9, stored.remainder(dividingBy: size) == 0,
      period.map({ (0..<$0).contains(stored) }) ?? true
    else { return false }
    value = stored
    return true
  }

  mutating func round(_ number: Double) -> Double {
    if let value {
      let difference = number - value
      let distance = period.map { difference.remainder(dividingBy: $0) } ?? difference
      if abs(distance) <= reach { return value }
    }
    // Numbers beyond the speed of light are invalid; the clamp keeps the result in range.
    let nearest = (min(max(number, -1e9), 1e9) / size).rounded() * size
    let rounded = nearest == period ? 0 : nearest
    value = rounded
    return rounded
  }
}
