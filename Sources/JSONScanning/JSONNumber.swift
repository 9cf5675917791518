/// A JSON number, by the grammar of RFC 8259.
@usableFromInline
package struct JSONNumber: BitwiseCopyable {
  /// The maximum length of a number that is converted; longer ones are not measurements.
  package static var maximumLength: Int { 1024 }

  @usableFromInline let isNegative: Bool
  /// All digits as one number, modulo 2⁶⁴.
  @usableFromInline var significand: UInt64 = 0
  /// The number of digits before and after the decimal point.
  @usableFromInline var digitCount = 0
  /// The power of ten of the last digit.
  @usableFromInline var exponent = 0
  /// Whether the number is written with an exponent.
  @usableFromInline package var hasExponent = false

  /// Reads a number; nil if there is no valid number.
  ///
  /// - Parameter position: The offset of the number's first byte. The initializer moves it past a
  ///   valid number, otherwise to the first invalid byte. If a number has leading zeros, this is
  ///   the first zero.
  @inlinable @inline(__always)
  package init?(_ bytes: Span<UInt8>, at position: inout Int) {
    var place = position
    defer { position = place }
    isNegative = place < bytes.count && bytes[place] == UInt8(ascii: "-")
    if isNegative { place &+= 1 }
    let first = place
    Self.readDigits(bytes, at: &place, &significand)
    digitCount = place &- first
    guard digitCount == 1 || digitCount > 1 && bytes[first] != UInt8(ascii: "0") else {
      place = first
      return nil
    }
    if place < bytes.count, bytes[place] == UInt8(ascii: ".") {
      place &+= 1
      let firstDecimal = place
      Self.readDigits(bytes, at: &place, &significand)
      guard place > firstDecimal else { return nil }
      exponent = firstDecimal &- place
      digitCount &-= exponent
    }
    if place < bytes.count, bytes[place] | 0x20 == UInt8(ascii: "e") {
      guard readExponent(bytes, at: &place) else { return nil }
    }
  }

  /// Appends digits to a significand, eight at a time where eight bytes are readable.
  @inlinable @inline(__always)
  static func readDigits(
    _ bytes: Span<UInt8>, at place: inout Int, _ significand: inout UInt64
  ) {
    while bytes.count &- place >= 8 {
      // SAFETY: eight bytes are readable.
      let values = unsafe bytes.word(uncheckedAt: place) ^ DigitWord.zeros
      let others = DigitWord.nonDigits(values)
      guard others != 0 else {
        significand = significand &* 100_000_000 &+ DigitWord.joined(values)
        place &+= 8
        continue
      }
      let bits = UInt64(truncatingIfNeeded: others.trailingZeroBitCount & ~7)
      guard bits > 0 else { return }
      let count = Int(truncatingIfNeeded: bits &>> 3)
      significand =
        significand &* DigitWord.wholePowersOfTen[count]
        &+ DigitWord.joined(values &<< (64 &- bits))
      place &+= count
      return
    }
    while place < bytes.count, bytes[place] &- UInt8(ascii: "0") < 10 {
      significand = significand &* 10 &+ UInt64(bytes[place] &- UInt8(ascii: "0"))
      place &+= 1
    }
  }

  /// Reads an exponent from its letter on. Returns false if it has no digits.
  @usableFromInline
  mutating func readExponent(_ bytes: Span<UInt8>, at place: inout Int) -> Bool {
    func byte() -> UInt8 { place < bytes.count ? bytes[place] : 0 }
    place += 1
    let isNegative = byte() == UInt8(ascii: "-")
    if isNegative || byte() == UInt8(ascii: "+") { place += 1 }
    let start = place
    var exponent = 0
    while byte() &- UInt8(ascii: "0") < 10 {
      // Beyond the limit the value does not matter: the number is converted from its text.
      exponent = min(exponent * 10 + Int(byte() - UInt8(ascii: "0")), 1 << 30)
      place += 1
    }
    guard place > start else { return false }
    self.exponent += isNegative ? -exponent : exponent
    hasExponent = true
    return true
  }

  /// The double nearest to the number if one rounded operation computes it; otherwise nil.
  ///
  /// A significand of up to 53 bits and a power of ten of up to 22 are exact doubles, so one
  /// rounded operation gives the nearest result (W. Clinger, "How to Read Floating Point Numbers
  /// Accurately", 1990).
  @inlinable package var exactValue: Double? {
    @inline(__always) get {
      guard digitCount < 20, significand <= 1 << 53, exponent.magnitude <= 22 else { return nil }
      let whole = Double(Int64(truncatingIfNeeded: significand))
      let power = DigitWord.powersOfTen[Int(truncatingIfNeeded: exponent.magnitude)]
      let magnitude = exponent < 0 ? whole / power : whole * power
      return isNegative ? -magnitude : magnitude
    }
  }

  /// The number if it has no fraction and no exponent, and fits into an `Int64`; otherwise nil.
  package var integer: Int64? {
    guard digitCount < 20, exponent == 0, !hasExponent else { return nil }
    return Int64(exactly: isNegative ? -Int128(significand) : Int128(significand))
  }

  /// Returns the double nearest to the number; nil if the number is too large for a double or too
  /// long to be converted from its text.
  ///
  /// - Parameter range: The number's bytes.
  @inlinable @inline(__always)
  package func value(in bytes: Span<UInt8>, _ range: Range<Int>) -> Double? {
    exactValue ?? longValue(in: bytes, range)
  }

  /// Converts a number with more digits or a greater exponent; see `value(in:_:)`.
  @usableFromInline @inline(never)
  func longValue(in bytes: Span<UInt8>, _ range: Range<Int>) -> Double? {
    // Coordinates printed with all their digits are converted here, without an allocation.
    if digitCount < 20, (-18...0).contains(exponent) {
      let magnitude = Self.quotient(significand, -exponent)
      return isNegative ? -magnitude : magnitude
    }
    guard range.count <= Self.maximumLength else { return nil }
    let text = bytes.extracting(range)
    let value = Double(String(copying: text))
    return value?.isFinite == true ? value : nil
  }

  /// Returns the double nearest to a number above 2⁵³ divided by a power of ten of up to 18.
  private static func quotient(_ significand: UInt64, _ decimals: Int) -> Double {
    var divisor: UInt64 = 1
    for _ in 0..<decimals { divisor *= 10 }
    // The quotient has at least 57 bits, so its last bit can serve as a sticky bit for all bits
    // after it.
    var (quotient, remainder) = (UInt128(significand) << 64).quotientAndRemainder(
      dividingBy: UInt128(divisor))
    var exponent = -64
    let excess = 64 - quotient.leadingZeroBitCount
    if excess > 0 {
      remainder |= quotient & (1 << UInt128(excess) - 1)
      quotient >>= UInt128(excess)
      exponent += excess
    }
    let bits = UInt64(truncatingIfNeeded: quotient) | (remainder == 0 ? 0 : 1)
    return Double(sign: .plus, exponent: exponent, significand: Double(bits))
  }
}
