/// Rounds a number to multiples of a step, with hysteresis: the last multiple is kept until the
/// number is more than 0.75 steps away from it.
struct HysteresisRounding: Sendable {
  /// The step.
  let size: Double
  /// The largest distance between a number and its rounded value.
  var reach: Double { size * 0.75 }

  /// The period of cyclic numbers, such as 360 for degrees.
  private let period: Double?
  /// The last multiple; nil before the first number.
  private(set) var value: Double?

  init(_ size: Double, period: Double? = nil) {
    (self.size, self.period) = (size, period)
  }

  /// Continues from a stored multiple; nil changes nothing. Returns false for a number that is not
  /// a multiple.
  mutating func restore(_ stored: Double?) -> Bool {
    guard let stored else { return true }
    guard isMultiple(stored) else { return false }
    value = stored
    return true
  }

  /// Whether a number is a possible result of rounding.
  func isMultiple(_ number: Double) -> Bool {
    abs(number) <= 1e9 && number.remainder(dividingBy: size) == 0
      && period.map { (0..<$0).contains(number) } ?? true
  }

  /// The maximum number of multiples reported at a place; a climbing aircraft needs fewer.
  static let reportedLimit = 64

  /// Rounds a number without a period, at a place.
  ///
  /// The result is the first multiple reported at the place that is near enough, so that it does
  /// not depend on the path to the place. If none is near enough, the result is rounded as by
  /// ``round(_:)`` and appended to `reported`, up to ``reportedLimit``.
  mutating func round(_ number: Double, reported: inout [Double]) -> Double {
    let last = value
    // The distance for adopting a multiple is smaller than that for leaving it, so that jitter does
    // not change the result.
    let first = reported.first {
      abs(number - $0) <= size * 0.6 || $0 == last && abs(number - $0) <= reach
    }
    if let first {
      value = first
      return first
    }
    let rounded = round(number)
    if reported.count < Self.reportedLimit { reported.append(rounded) }
    return rounded
  }

  /// Rounds a number. The last result is kept while it is within ``reach``.
  mutating func round(_ number: Double) -> Double {
    if let value {
      let difference = number - value
      let distance = period.map { difference.remainder(dividingBy: $0) } ?? difference
      if abs(distance) <= reach { return value }
    }
    // Valid numbers are smaller. The clamp keeps the result for an invalid one in the range that
    // `isMultiple(_:)` accepts.
    let nearest = (min(max(number, -1e9), 1e9) / size).rounded() * size
    let rounded = nearest == period ? 0 : nearest
    value = rounded
    return rounded
  }
}
