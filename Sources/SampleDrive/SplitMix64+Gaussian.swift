import MockBackend

extension SplitMix64 {
  /// Uniform in 0..<1.
  mutating func uniform() -> Double {
    Double(next() >> 11) / 9_007_199_254_740_992
  }

  /// Mean 0, variance 1, within ±6: a sum of twelve, since it needs no function whose last digit
  /// differs between machines.
  mutating func gaussian() -> Double {
    var sum = -6.0
    for _ in 0..<12 { sum += uniform() }
    return sum
  }
}
