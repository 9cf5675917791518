import JSONScanning

extension JSONScanner {
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
  /// and leaves the position unchanged. The caller checks the byte after the number.
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
    // SAFETY: unless `isNearEnd`, the caller has checked that the bytes are readable.
    let sign = isNearEnd ? bytes[position] : unsafe bytes[unchecked: position]
    let isNegative = sign == UInt8(ascii: "-")
    let first = isNegative ? position &+ 1 : position
    let word = load(bytes, first, isNearEnd)
    let values = word ^ DigitWord.zeros
    let others = DigitWord.nonDigits(values)
    guard others != 0 else { return longNumber(in: bytes, at: &position) }
    // The number of bits of the digits before the decimal point or the end.
    let whole = UInt64(truncatingIfNeeded: others.trailingZeroBitCount & ~7)
    // A number without digits before the point, or with leading zeros, is not plain.
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
        significand = DigitWord.joined(digits &<< (72 &- end))
        stop = first &+ Int(truncatingIfNeeded: end &>> 3)
      } else {
        // The decimals continue in the next word.
        let (more, count) = DigitWord.leadingDigits(of: load(bytes, first &+ 8, isNearEnd))
        guard count < 8 else { return longNumber(in: bytes, at: &position) }
        decimals = 7 &- Int(truncatingIfNeeded: whole &>> 3) &+ count
        // SAFETY: the count is below 8.
        let power = unsafe DigitWord.wholePowersOfTen[unchecked: count]
        significand = DigitWord.joined(digits &<< 8) &* power &+ more
        stop = first &+ 8 &+ count
      }
      guard decimals > 0 else { return .nan }
      position = stop
      // SAFETY: two words have at most 15 decimals.
      let power = unsafe DigitWord.powersOfTen[unchecked: decimals]
      magnitude = Double(Int64(truncatingIfNeeded: significand)) / power
    } else {
      magnitude = Double(Int64(truncatingIfNeeded: DigitWord.joined(values &<< (64 &- whole))))
      position = first &+ Int(truncatingIfNeeded: whole &>> 3)
    }
    if isNegative { magnitude.negate() }
    return magnitude
  }

  @inline(__always)
  private static func load(_ bytes: Span<UInt8>, _ place: Int, _ isNearEnd: Bool) -> UInt64 {
    isNearEnd ? bytes.paddedWord(at: place) : unsafe bytes.word(uncheckedAt: place)
  }

  /// Reads a number with more digits, as `plainNumber` does.
  @inline(never)
  private static func longNumber(in bytes: Span<UInt8>, at position: inout Int) -> Double {
    var place = position
    guard let number = JSONNumber(bytes, at: &place), !number.hasExponent,
      let value = number.exactValue
    else { return .nan }
    position = place
    return value
  }

  /// Reads a number with an exponent or many digits, or a word.
  @inline(never)
  private mutating func unusualNumber() throws(Fault) -> Double? {
    let token = try token()
    var place = 0
    guard token.count <= JSONNumber.maximumLength, mayConvert(),
      let number = JSONNumber(token, at: &place), place == token.count
    else { return nil }
    return number.value(in: token, token.indices)
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

  /// Reads a number, valid or not, or a word such as `null` or `nan`. Throws for anything else.
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
}
