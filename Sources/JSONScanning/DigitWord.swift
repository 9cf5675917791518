/// Reads decimal digits eight at a time, from words of bytes in little-endian order.
@usableFromInline
package enum DigitWord {
  /// The powers of ten that a double represents exactly.
  @usableFromInline package static let powersOfTen: InlineArray<23, Double> = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]
  /// The powers of ten as integers, for up to seven digits.
  @usableFromInline package static let wholePowersOfTen: InlineArray<8, UInt64> = [
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000,
  ]

  /// Eight ASCII zeros. The exclusive or with ASCII digits yields the values of the digits.
  @inlinable package static var zeros: UInt64 { @inline(__always) get { 0x3030_3030_3030_3030 } }

  /// Marks each byte above 9 by its high bit; all other bits are 0. The lowest mark is correct, and
  /// so is the next one if the byte of the lowest is below 0x80; higher marks may be wrong.
  @inlinable @inline(__always)
  package static func nonDigits(_ values: UInt64) -> UInt64 {
    ((values &+ 0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080
  }

  /// Returns the number formed by the values of eight digits, the first in the lowest byte.
  ///
  /// Adjacent digits are combined into pairs, then fours, then eights, in parallel (D. Lemire,
  /// "Number Parsing at a Gigabyte per Second", 2021).
  @inlinable @inline(__always)
  package static func joined(_ digits: UInt64) -> UInt64 {
    let pairs = digits &* 10 &+ digits &>> 8
    let eight =
      (pairs & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064
      &+ (pairs &>> 16 & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001
    return eight &>> 32
  }

  /// Returns the value and the count of the leading ASCII digits of a word.
  @inlinable @inline(__always)
  package static func leadingDigits(of word: UInt64) -> (value: UInt64, count: Int) {
    let values = word ^ zeros
    let bits = UInt64(truncatingIfNeeded: nonDigits(values).trailingZeroBitCount & ~7)
    let value = bits == 0 ? 0 : joined(values &<< (64 &- bits))
    return (value, Int(truncatingIfNeeded: bits &>> 3))
  }
}
