/// The 64-bit keyed hash SipHash-2-4: Aumasson and Bernstein, "SipHash: a fast short-input PRF"
/// (2012). Without the key, its values cannot be distinguished from random ones.
package struct SipHash: Sendable, Hashable {
  private let key: (low: UInt64, high: UInt64)

  package init(low: UInt64, high: UInt64) { key = (low, high) }

  package func hash(_ bytes: [UInt8]) -> UInt64 {
    var state = State(key)
    var word: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
      word |= UInt64(byte) << UInt64(index % 8 * 8)
      if index % 8 == 7 {
        state.absorb(word)
        word = 0
      }
    }
    return state.finish(word | UInt64(bytes.count & 0xff) << 56)
  }

  /// The hash of a number as eight little-endian bytes.
  func hash(_ number: UInt64) -> UInt64 {
    var state = State(key)
    state.absorb(number)
    return state.finish(8 << 56)
  }

  /// The hash of a number, mapped to 0..<1.
  func fraction(_ number: UInt64) -> Double {
    Double(hash(number) >> 11) * 0x1p-53
  }

  package static func == (left: Self, right: Self) -> Bool { left.key == right.key }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(key.low)
    hasher.combine(key.high)
  }

  private struct State {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64

    init(_ key: (low: UInt64, high: UInt64)) {
      v0 = key.low ^ 0x736f_6d65_7073_6575
      v1 = key.high ^ 0x646f_7261_6e64_6f6d
      v2 = key.low ^ 0x6c79_6765_6e65_7261
      v3 = key.high ^ 0x7465_6462_7974_6573
    }

    mutating func absorb(_ word: UInt64) {
      v3 ^= word
      for _ in 0..<2 { round() }
      v0 ^= word
    }

    mutating func finish(_ word: UInt64) -> UInt64 {
      absorb(word)
      v2 ^= 0xff
      for _ in 0..<4 { round() }
      return v0 ^ v1 ^ v2 ^ v3
    }

    private mutating func round() {
      v0 &+= v1
      v1 = Self.rotated(v1, 13) ^ v0
      v0 = Self.rotated(v0, 32)
      v2 &+= v3
      v3 = Self.rotated(v3, 16) ^ v2
      v0 &+= v3
      v3 = Self.rotated(v3, 21) ^ v0
      v2 &+= v1
      v1 = Self.rotated(v1, 17) ^ v2
      v2 = Self.rotated(v2, 32)
    }

    private static func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 {
      word << count | word >> (64 - count)
    }
  }
}
