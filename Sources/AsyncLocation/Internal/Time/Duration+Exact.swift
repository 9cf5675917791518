extension Duration {
  /// The longest duration, about 5.4 × 10¹² years. As a deadline it is never reached.
  package static var greatest: Self { Self(attoseconds: .max) }

  /// The sum, clamped to the range of `Duration`, where `+` traps. For durations from users.
  package func addingSaturated(_ other: Self) -> Self {
    let (sum, isBeyond) = attoseconds.addingReportingOverflow(other.attoseconds)
    guard isBeyond else { return Self(attoseconds: sum) }
    return Self(attoseconds: other < .zero ? .min : .max)
  }

  /// The difference, clamped to the range of `Duration`.
  package func subtractingSaturated(_ other: Self) -> Self {
    let (difference, isBeyond) = attoseconds.subtractingReportingOverflow(other.attoseconds)
    guard isBeyond else { return Self(attoseconds: difference) }
    return Self(attoseconds: other < .zero ? .max : .min)
  }
}

/// Conversion between durations and seconds as `Double`, for magnitudes up to 2⁴⁰ s (about 35,000
/// years). Whole nanoseconds below 2²² s (about 49 days) round-trip exactly.
package enum ExactSeconds {
  private static let limit = 1 << 40

  /// The nearest duration that round-trips through a number of seconds.
  package static func exact(_ duration: Duration) -> Duration {
    self.duration(number(duration)) ?? .zero
  }

  /// The nearest number of seconds, for a duration clamped to 2⁴⁰ s. Whole nanoseconds below 2²² s
  /// print with at most nine decimal places: division of durations would give 86404.00000000001 for
  /// 86,404 s.
  package static func number(_ duration: Duration) -> Double {
    let bounded = min(max(duration, .seconds(-limit)), .seconds(limit))
    let (seconds, attoseconds) = bounded.components
    guard seconds.magnitude < 1 << 22, attoseconds % 1_000_000_000 == 0 else {
      return Double(seconds) + Double(attoseconds) / 1e18
    }
    // Both operands are integers that `Double` represents exactly, so the division yields the
    // nearest number.
    return Double(seconds * 1_000_000_000 + attoseconds / 1_000_000_000) / 1e9
  }

  /// The duration of a number of seconds; nil if the number is not finite or beyond the limit.
  package static func duration(_ seconds: Double) -> Duration? {
    guard seconds.magnitude <= Double(limit) else { return nil }
    let whole = seconds.rounded(.down)
    return .seconds(Int64(whole)) + .nanoseconds(Int64(((seconds - whole) * 1e9).rounded()))
  }
}
