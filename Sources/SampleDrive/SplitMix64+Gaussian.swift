import MockBackend

extension SplitMix64 {
  /// Returns a uniformly distributed number in 0..<1.
  mutating func uniform() -> Double {
    Double(next() >> 11) / 9_007_199_254_740_992
  }

  /// Returns an approximately normally distributed number with mean 0 and variance 1, within ±6. It
  /// is the sum of twelve uniform numbers, because this needs no function whose last digit differs
  /// between machines.
  mutating func gaussian() -> Double {
    var sum = -6.0
    for _ in 0..<12 { sum += uniform() }
    return sum
  }
}
