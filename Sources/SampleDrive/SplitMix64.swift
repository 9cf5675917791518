/// A small generator whose numbers depend on its seed alone.
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

  /// Evenly spread over 0..<1.
  mutating func uniform() -> Double {
    Double(next() >> 11) / 9_007_199_254_740_992
  }

  /// Mean 0, variance 1, within ±6: a sum of twelve, since it needs no function that differs in
  /// its last digit from machine to machine.
  mutating func gaussian() -> Double {
    var sum = -6.0
    for _ in 0..<12 { sum += uniform() }
    return sum
  }
}
