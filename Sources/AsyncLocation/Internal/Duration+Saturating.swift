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
