/// Rounds a number to multiples of a step, and keeps to one until the number is clearly beyond it:
/// by half a step and a quarter more.
struct SteadyStep: Sendable {
  /// The step, and how far a number can lie from what it is rounded to.
  let size: Double
  var reach: Double { size * 0.75 }

  /// Where numbers begin anew, as degrees of a circle do.
  private let period: Double?
  private var value: Double?

  init(_ size: Double, period: Double? = nil) {
    (self.size, self.period) = (size, period)
  }

  mutating func round(_ number: Double) -> Double {
    if let value {
      let difference = number - value
      let distance = period.map { difference.remainder(dividingBy: $0) } ?? difference
      if abs(distance) <= reach { return value }
    }
    // Beyond the speed of light lie only numbers that overflow.
    let nearest = (min(max(number, -1e9), 1e9) / size).rounded() * size
    let rounded = nearest == period ? 0 : nearest
    value = rounded
    return rounded
  }
}
