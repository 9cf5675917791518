/// A small seeded random number generator for reproducible tests.
///
/// SplitMix64, after Guy L. Steele Jr., Doug Lea and Christine H. Flood, "Fast Splittable
/// Pseudorandom Number Generators", OOPSLA 2014: a counter with the golden-ratio increment, mixed
/// by two multiplications. Its period is 2⁶⁴. Not cryptographically secure.
public struct SplitMix64: RandomNumberGenerator, Sendable, Hashable {
  private var state: UInt64

  /// Creates a generator; equal seeds give equal sequences on every machine.
  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
