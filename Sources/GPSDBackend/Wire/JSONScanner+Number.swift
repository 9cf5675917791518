extension JSONScanner {
  /// The powers of ten that a double represents exactly.
  private static let powersOfTen: InlineArray<23, Double> = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]
  /// The powers of ten that fit into a 64-bit word.
  private static let wholePowersOfTen: InlineArray<20, UInt64> = [
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    10_000_000_000, 100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000,
    1_000_000_000_000_000, 10_000_000_000_000_000, 100_000_000_000_000_000,
    1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
  ]
  /// The maximum length of a number; longer ones are not measurements.
  private static let maximumLength = 1024
  private static var trueWord: UInt64 { 0x6575_7274 }
  private static var falseWord: UInt64 { 0x65_736C_6166 }

  /// Reads the double nearest to a number. Nil for a word, such as `null` or `NaN`, for an invalid
  /// JSON number and for one that is too large. The scanner must not be at a quote or bracket.
  mutating func number() throws(Fault) -> Double? {
    var place = position
    let number = Self.plainNumber(in: bytes, at: &place, isNearEnd: true)
    guard number == number, !Self.isInToken(bytes[place]) else { return try unusualNumber() }
    position = place
    return number
  }

  /// Reads a number of up to nineteen digits without an exponent. For any other value returns NaN
  /// and leaves the position unchanged. The caller checks what follows the number.
  ///
  /// A significand of up to 53 bits and a power of ten of up to 22 are exact doubles, so one
  /// rounded division gives the nearest result (W. Clinger, "How to Read Floating Point Numbers
  /// Accurately", 1990). Other numbers take the slow path.
  ///
  /// - Parameter isNearEnd: False if the longest plain number and a word are readable.
  @inline(__always)
  static func plainNumber(
    in bytes: Span<UInt8>, at position: inout Int, isNearEnd: Bool
  ) -> Double {
    // SAFETY: far from the end the caller has checked that the bytes are readable.
    let sign = isNearEnd ? bytes[position] : unsafe bytes[unchecked: position]
    let isNegative = sign == UInt8(ascii: "-")
    let first = isNegative ? position &+ 1 : position
    let word = load(bytes, first, isNearEnd)
    let values = word ^ zeros
    let others = nonDigits(values)
    guard others != 0 else { return longNumber(in: bytes, at: &position) }
    // The bits of the digits before the decimal point or the end.
    let whole = UInt64(truncatingIfNeeded: others.trailingZeroBitCount & ~7)
    guard whole > 0, whole == 8 || values & 0xFF != 0 else { return .nan }
    var magnitude: Double
    if word &>> whole & 0xFF == UInt64(UInt8(ascii: ".")) {
      let below = 1 &<< whole &- 1
      let digits = values & below | values &>> 8 & ~below  // Without the point.
      let rest = others & (others &- 1)
      let significand: UInt64
      let decimals: Int
      let stop: Int
      if rest != 0 {
        let end = UInt64(truncatingIfNeeded: rest.trailingZeroBitCount & ~7)
        decimals = Int(truncatingIfNeeded: (end &- whole) &>> 3) &- 1
        significand = joined(digits &<< (72 &- end))
        stop = first &+ Int(truncatingIfNeeded: end &>> 3)
      } else {
        // The decimals continue in the next word.
        let (more, count) = Self.digits(of: load(bytes, first &+ 8, isNearEnd))
        guard count < 8 else { return longNumber(in: bytes, at: &position) }
        decimals = 7 &- Int(truncatingIfNeeded: whole &>> 3) &+ count
        // SAFETY: the count is below 8.
        significand = joined(digits &<< 8) &* (unsafe wholePowersOfTen[unchecked: count]) &+ more
        stop = first &+ 8 &+ count
      }
      guard decimals > 0 else { return .nan }
      position = stop
      // SAFETY: two words have at most 15 decimals.
      magnitude =
        Double(Int64(truncatingIfNeeded: significand)) / (unsafe powersOfTen[unchecked: decimals])
    } else {
      magnitude = Double(Int64(truncatingIfNeeded: joined(values &<< (64 &- whole))))
      position = first &+ Int(truncatingIfNeeded: whole &>> 3)
    }
    if isNegative { magnitude.negate() }
    return magnitude
  }

  @inline(__always)
  private static func load(_ bytes: Span<UInt8>, _ place: Int, _ isNearEnd: Bool) -> UInt64 {
    isNearEnd ? bytes.paddedWord(at: place) : unsafe bytes.word(uncheckedAt: place)
  }

  /// Reads a number with more digits, as above.
  @inline(never)
  private static func longNumber(in bytes: Span<UInt8>, at position: inout Int) -> Double {
    func number(at place: inout Int) -> UInt64 {
      let (value, count) = digits(of: bytes.paddedWord(at: place))
      place += count
      guard count == 8 else { return value }
      let (rest, more) = digits(of: bytes.paddedWord(at: place))
      place += more
      return value &* wholePowersOfTen[more] &+ rest
    }
    var place = position
    let isNegative = bytes[place] == UInt8(ascii: "-")
    if isNegative { place += 1 }
    let first = place
    var significand = number(at: &place)
    let wholeDigits = place - first
    var decimals = 0
    if bytes[place] == UInt8(ascii: ".") {
      place += 1
      let point = place
      let fraction = number(at: &place)
      decimals = place - point
      guard decimals > 0, wholeDigits + decimals < 20 else { return .nan }
      significand = significand &* wholePowersOfTen[decimals] &+ fraction
    }
    guard wholeDigits > 0, wholeDigits == 1 || bytes[first] != UInt8(ascii: "0"),
      wholeDigits + decimals < 20, significand <= 1 << 53
    else { return .nan }
    position = place
    let magnitude = Double(Int64(truncatingIfNeeded: significand)) / powersOfTen[decimals]
    return isNegative ? -magnitude : magnitude
  }

  /// Returns the value and the count of the leading digits of a little-endian word.
  @inline(__always)
  private static func digits(of word: UInt64) -> (value: UInt64, count: Int) {
    let values = word ^ zeros
    let bits = UInt64(truncatingIfNeeded: nonDigits(values).trailingZeroBitCount & ~7)
    let value = bits == 0 ? 0 : joined(values &<< (64 &- bits))
    return (value, Int(truncatingIfNeeded: bits &>> 3))
  }

  static var zeros: UInt64 { 0x3030_3030_3030_3030 }

  /// Marks bytes above 9 in their high bits. The lowest mark is correct, and so is the next one if
  /// the lowest is for an ASCII byte; marks beyond may be wrong.
  @inline(__always)
  static func nonDigits(_ values: UInt64) -> UInt64 {
    ((values &+ 0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080
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

  /// Reads a number with an exponent or many digits, or a word.
  @inline(never)
  private mutating func unusualNumber() throws(Fault) -> Double? {
    let token = try token()
    guard token.count <= Self.maximumLength, mayConvert(), Self.isNumber(token) else { return nil }
    let value = Double(String(copying: token))
    return value?.isFinite == true ? value : nil
  }

  /// Reads `true` as 1 and `false` as 0; NaN for any other value.
  ///
  /// - Parameter word: The eight bytes at the position.
  @inline(__always)
  static func plainFlag(at position: inout Int, _ word: UInt64) -> Double {
    let isTrue = word & 0xFFFF_FFFF == trueWord
    guard isTrue || word & 0xFF_FFFF_FFFF == falseWord else { return .nan }
    position += isTrue ? 4 : 5
    return isTrue ? 1 : 0
  }

  /// Reads `true` or `false`; nil for any other word or number.
  mutating func flag() throws(Fault) -> Bool? {
    let token = try token()
    if token.elementsEqual("true") { return true }
    return token.elementsEqual("false") ? false : nil
  }

  /// Skips a number or a word, valid or not; throws for anything else.
  @_lifetime(copy self)
  mutating func token() throws(Fault) -> Span<UInt8> {
    let start = position
    while Self.isInToken(byte) { position += 1 }
    let token = bytes.extracting(start..<position)
    guard !token.isEmpty else { throw .syntax }
    switch token[0] {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."):
      return token
    default: break
    }
    for known in ["true", "false", "null"] where token.elementsEqual(known) { return token }
    for known in ["nan", "inf", "infinity"] where Self.equalsIgnoringCase(token, known) {
      return token
    }
    throw .syntax
  }

  private static func equalsIgnoringCase(_ token: Span<UInt8>, _ letters: String) -> Bool {
    guard token.count == letters.utf8.count else { return false }
    return zip(token.indices, letters.utf8).allSatisfy { token[$0] | 0x20 == $1 }
  }

  @inline(__always)
  private static func isInToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","): false  // The most frequent case.
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }

  /// Returns whether a token matches RFC 8259's grammar of numbers.
  private static func isNumber(_ token: Span<UInt8>) -> Bool {
    var index = 0
    func byte() -> UInt8? { index < token.count ? token[index] : nil }
    func skipDigits() -> Int {
      let start = index
      while let digit = byte(), digit &- UInt8(ascii: "0") < 10 { index += 1 }
      return index - start
    }
    if byte() == UInt8(ascii: "-") { index += 1 }
    let leading = byte()
    let wholeDigits = skipDigits()
    guard wholeDigits == 1 || wholeDigits > 1 && leading != UInt8(ascii: "0") else { return false }
    if byte() == UInt8(ascii: ".") {
      index += 1
      guard skipDigits() > 0 else { return false }
    }
    if let letter = byte(), letter | 0x20 == UInt8(ascii: "e") {
      index += 1
      if let sign = byte(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { index += 1 }
      guard skipDigits() > 0 else { return false }
    }
    return index == token.count
  }
}
