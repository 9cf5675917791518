extension Duration {
  /// The greatest duration, 5,400 thousand million years: as a deadline, one that never comes.
  package static var greatest: Self { Self(attoseconds: .max) }

  /// The sum, or the limit that it passes: `+` traps there. For durations that a user gives.
  package func addingSaturated(_ other: Self) -> Self {
    let (sum, isBeyond) = attoseconds.addingReportingOverflow(other.attoseconds)
    guard isBeyond else { return Self(attoseconds: sum) }
    return Self(attoseconds: other < .zero ? .min : .max)
  }

  /// The difference, or the limit that it passes.
  package func subtractingSaturated(_ other: Self) -> Self {
    let (difference, isBeyond) = attoseconds.subtractingReportingOverflow(other.attoseconds)
    guard isBeyond else { return Self(attoseconds: difference) }
    return Self(attoseconds: other < .zero ? .max : .min)
  }
}
