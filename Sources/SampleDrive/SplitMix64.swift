/// A small random number generator that depends only on its seed.
///
/// The algorithm is Sebastiano Vigna's SplitMix64, which is in the public domain.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Uniformly distributed in 0..<1.
  mutating func uniform() -> Double {
    Double(next() >> 11) / 9_007_199_254_740_992
  }

  /// Approximately normal with mean 0 and variance 1, within ±6. A sum of twelve uniform numbers
  /// avoids functions whose last digit differs between machines.
  mutating func gaussian() -> Double {
    var sum = -6.0
    for _ in 0..<12 { sum += uniform() }
    return sum
  }
}
