extension PayloadScanner {
  /// The powers of ten that a double represents exactly.
  private static let powersOfTen: InlineArray<23, Double> = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]
  /// The same as integers, up to the digits of a word.
  private static let wholePowersOfTen: InlineArray<8, UInt64> = [
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000,
  ]
  /// The maximum length of a number; longer ones are not measurements.
  private static let maximumNumberLength = 1024

  /// What the grammar of a number yields in one pass.
  private struct Decimal: BitwiseCopyable {
    var isNegative = false
    /// All digits as one number, modulo 2⁶⁴.
    var significand: UInt64 = 0
    var digits = 0
    /// The power of ten of the last digit.
    var exponent = 0
  }

  /// Reads the double nearest to a number; nil for one that is too large or too long, and for a
  /// value that is not a number, which is skipped.
  @inline(__always)
  mutating func number() throws(Fault) -> Double? {
    guard byte == UInt8(ascii: "-") || byte &- UInt8(ascii: "0") < 10 else {
      try skipValue()
      return nil
    }
    let start = position
    let decimal = try decimal()
    // A significand of up to 53 bits and a power of ten of up to 22 are exact doubles, so one
    // rounded operation gives the nearest result (W. Clinger, "How to Read Floating Point Numbers
    // Accurately", 1990).
    if decimal.digits < 20, decimal.significand <= 1 << 53, decimal.exponent.magnitude <= 22 {
      let whole = Double(Int64(truncatingIfNeeded: decimal.significand))
      let power = Self.powersOfTen[Int(truncatingIfNeeded: decimal.exponent.magnitude)]
      let magnitude = decimal.exponent < 0 ? whole / power : whole * power
      return decimal.isNegative ? -magnitude : magnitude
    }
    return longNumber(decimal, start)
  }

  /// Skips a number and checks its grammar.
  mutating func skipNumber() throws(Fault) { _ = try decimal() }

  @inline(__always)
  private mutating func decimal() throws(Fault) -> Decimal {
    var decimal = Decimal()
    var place = position  // Not in memory, as the position is.
    if byte == UInt8(ascii: "-") {
      decimal.isNegative = true
      place &+= 1
    }
    let first = place
    readDigits(at: &place, &decimal.significand)
    decimal.digits = place &- first
    guard decimal.digits == 1 || decimal.digits > 1 && bytes[first] != UInt8(ascii: "0") else {
      throw .syntax
    }
    if place < bytes.count, bytes[place] == UInt8(ascii: ".") {
      place &+= 1
      let point = place
      readDigits(at: &place, &decimal.significand)
      guard place > point else { throw .syntax }
      decimal.exponent = point &- place
      decimal.digits &-= decimal.exponent
    }
    position = place
    if byte | 0x20 == UInt8(ascii: "e") { try readExponent(&decimal) }
    return decimal
  }

  /// Appends digits to a significand, eight at a time where as many bytes are readable.
  @inline(__always)
  private func readDigits(at place: inout Int, _ significand: inout UInt64) {
    while bytes.count &- place >= 8 {
      // SAFETY: eight bytes are readable.
      let values = unsafe word(uncheckedAt: place) ^ 0x3030_3030_3030_3030
      // Marks bytes above 9 in their high bits. The lowest mark is correct; others may be wrong.
      let others = ((values &+ 0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080
      guard others != 0 else {
        significand = significand &* 100_000_000 &+ Self.joined(values)
        place &+= 8
        continue
      }
      let bits = UInt64(truncatingIfNeeded: others.trailingZeroBitCount & ~7)
      guard bits > 0 else { return }
      let count = Int(truncatingIfNeeded: bits &>> 3)
      significand =
        significand &* Self.wholePowersOfTen[count] &+ Self.joined(values &<< (64 &- bits))
      place &+= count
      return
    }
    while place < bytes.count, bytes[place] &- UInt8(ascii: "0") < 10 {
      significand = significand &* 10 &+ UInt64(bytes[place] &- UInt8(ascii: "0"))
      place &+= 1
    }
  }

  /// Returns the number formed by eight digits in little-endian order.
  ///
  /// Adjacent digits are combined to pairs, then fours, then eights, in parallel (D. Lemire,
  /// "Number Parsing at a Gigabyte per Second", 2021).
  @inline(__always)
  private static func joined(_ digits: UInt64) -> UInt64 {
    let pairs = digits &* 10 &+ digits &>> 8
    let eight =
      (pairs & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064
      &+ (pairs &>> 16 & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001
    return eight &>> 32
  }

  private mutating func readExponent(_ decimal: inout Decimal) throws(Fault) {
    position += 1
    let isNegative = byte == UInt8(ascii: "-")
    if isNegative || byte == UInt8(ascii: "+") { position += 1 }
    let start = position
    var exponent = 0
    while byte &- UInt8(ascii: "0") < 10 {
      // Beyond the limit the value does not matter: the number is converted from its text.
      exponent = min(exponent * 10 + Int(byte - UInt8(ascii: "0")), 1 << 30)
      position += 1
    }
    guard position > start else { throw .syntax }
    decimal.exponent += isNegative ? -exponent : exponent
  }

  /// Converts a number with more digits or a greater exponent, as above.
  @inline(never)
  private func longNumber(_ decimal: Decimal, _ start: Int) -> Double? {
    // The positions of a receiver or a program that prints all digits: no memory is allocated.
    if decimal.digits < 20, (-18...0).contains(decimal.exponent) {
      let magnitude = Self.quotient(decimal.significand, -decimal.exponent)
      return decimal.isNegative ? -magnitude : magnitude
    }
    guard position - start <= Self.maximumNumberLength else { return nil }
    let digits = bytes.extracting(start..<position)
    // SAFETY: the pointer does not leave the closure.
    let text = unsafe digits.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    let value = Double(text)
    return value?.isFinite == true ? value : nil
  }

  /// Returns the double nearest to a number above 2⁵³ divided by a power of ten of up to 18.
  private static func quotient(_ significand: UInt64, _ decimals: Int) -> Double {
    var divisor: UInt64 = 1
    for _ in 0..<decimals { divisor *= 10 }
    // At least 57 bits, so that the last one can stand for all that follow it.
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
