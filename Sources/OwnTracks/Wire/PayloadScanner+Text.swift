/// A string in the bytes of its payload.
struct PayloadText {
  /// The bytes between the quotes.
  let range: Range<Int>
  let hasEscapes: Bool
}

extension PayloadScanner {
  private static var ones: UInt64 { 0x0101_0101_0101_0101 }
  private static var highs: UInt64 { 0x8080_8080_8080_8080 }

  /// Loads eight bytes in little-endian order, which must be readable.
  @unsafe @inline(__always)
  func word(uncheckedAt offset: Int) -> UInt64 {
    unsafe UInt64(
      littleEndian: bytes.bytes.unsafeLoadUnaligned(
        fromUncheckedByteOffset: offset, as: UInt64.self))
  }

  /// Marks quotes, backslashes, control characters and non-ASCII bytes in their high bits; marks
  /// after the first may be wrong.
  @inline(__always)
  private static func special(in word: UInt64) -> UInt64 {
    let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
    let escapes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
    return
      ((word &- ones &* 0x20) & ~word | (quotes &- ones) & ~quotes
      | (escapes &- ones) & ~escapes | word) & highs
  }

  /// Reads a member's name, packed as by ``packed(_:)``.
  @inline(__always)
  mutating func name() throws(Fault) -> UInt64 {
    if byte == UInt8(ascii: "\""), bytes.count &- position > 8 {
      // SAFETY: eight bytes are readable after the quote.
      let word = unsafe word(uncheckedAt: position &+ 1)
      let special = Self.special(in: word)
      let bits = UInt64(truncatingIfNeeded: special.trailingZeroBitCount & ~7)
      if special != 0, word &>> bits & 0xFF == UInt64(UInt8(ascii: "\"")) {
        position &+= Int(truncatingIfNeeded: bits &>> 3) &+ 2
        return word & ((1 &<< bits) &- 1)
      }
    }
    return packed(try text())
  }

  /// Reads a string; the scanner must be at its opening quote.
  mutating func text() throws(Fault) -> PayloadText {
    guard byte == UInt8(ascii: "\"") else { throw .syntax }
    position += 1
    let start = position
    var hasEscapes = false
    while true {
      var place = position  // Not in memory, as the position is.
      while bytes.count &- place >= 8 {
        // SAFETY: eight bytes are readable.
        let special = Self.special(in: unsafe word(uncheckedAt: place))
        guard special == 0 else {
          place &+= special.trailingZeroBitCount >> 3
          break
        }
        place &+= 8
      }
      position = place
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return PayloadText(range: start..<position - 1, hasEscapes: hasEscapes)
      case UInt8(ascii: "\\"):
        hasEscapes = true
        try skipEscape()
      case 0..<0x20: throw position < bytes.count ? .invalidText : .syntax
      case 0x80...: try skipMultibyte()
      default: position += 1
      }
    }
  }

  /// The bytes of a short ASCII text, the first in the lowest bits; 0 for an empty text, one of more
  /// than eight bytes, and one with other characters. All names that a decoder compares are short.
  func packed(_ text: PayloadText) -> UInt64 {
    let (start, count) = (text.range.lowerBound, text.range.count)
    guard text.hasEscapes || count <= 8 else { return 0 }
    if !text.hasEscapes, count > 0, bytes.count &- start >= 8 {
      // SAFETY: eight bytes are readable.
      return unsafe word(uncheckedAt: start) & (.max &>> UInt64(64 &- count &* 8))
    }
    var word: UInt64 = 0
    var shift: UInt64 = 0
    var place = start
    while place < text.range.upperBound {
      let byte = unescapedByte(at: &place)
      guard byte > 0, byte < 0x80, shift < 64 else { return 0 }
      word |= UInt64(byte) << shift
      shift += 8
    }
    return word
  }

  /// Returns whether a text is this ASCII name.
  func matches(_ text: PayloadText, _ name: String) -> Bool {
    var place = text.range.lowerBound
    for expected in name.utf8 {
      guard place < text.range.upperBound, unescapedByte(at: &place) == expected else {
        return false
      }
    }
    return place == text.range.upperBound
  }

  /// Reads one byte of a valid text with its escapes resolved; 0 for an escaped character that is
  /// not ASCII.
  private func unescapedByte(at place: inout Int) -> UInt8 {
    let byte = bytes[place]
    place += 1
    guard byte == UInt8(ascii: "\\") else { return byte }
    let letter = bytes[place]
    place += 1
    guard letter == UInt8(ascii: "u") else { return Self.character(escapedAs: letter) ?? 0 }
    let unit = (place..<place + 4).reduce(UInt16(0)) { unit, index in
      unit << 4 | UInt16(Self.hexadecimal(bytes[index]) ?? 0)
    }
    place += 4
    return unit < 0x80 ? UInt8(unit) : 0
  }

  /// Returns the character for the letter after a backslash.
  private static func character(escapedAs letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
    case UInt8(ascii: "b"): 8
    case UInt8(ascii: "f"): 12
    case UInt8(ascii: "n"): 10
    case UInt8(ascii: "r"): 13
    case UInt8(ascii: "t"): 9
    default: nil
    }
  }

  private static func hexadecimal(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  private mutating func skipEscape() throws(Fault) {
    position += 1
    if Self.character(escapedAs: byte) != nil {
      position += 1
      return
    }
    let unit = try skipUnit()
    guard unit >> 11 == 0xD800 >> 11 else { return }
    guard unit < 0xDC00, byte == UInt8(ascii: "\\") else { throw .invalidText }
    position += 1
    guard try skipUnit() >> 10 == 0xDC00 >> 10 else { throw .invalidText }
  }

  /// Skips the letter u and four hexadecimal digits, and returns their value.
  private mutating func skipUnit() throws(Fault) -> UInt16 {
    guard byte == UInt8(ascii: "u") else { throw .invalidText }
    position += 1
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = Self.hexadecimal(byte) else { throw .invalidText }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }

  /// Skips a UTF-8 character of two to four bytes. Overlong forms, surrogates and values above
  /// U+10FFFF are errors.
  private mutating func skipMultibyte() throws(Fault) {
    let second: ClosedRange<UInt8>
    let rest: Int
    switch byte {
    case 0xC2...0xDF: (second, rest) = (0x80...0xBF, 0)
    case 0xE0: (second, rest) = (0xA0...0xBF, 1)
    case 0xED: (second, rest) = (0x80...0x9F, 1)
    case 0xE1...0xEF: (second, rest) = (0x80...0xBF, 1)
    case 0xF0: (second, rest) = (0x90...0xBF, 2)
    case 0xF1...0xF3: (second, rest) = (0x80...0xBF, 2)
    case 0xF4: (second, rest) = (0x80...0x8F, 2)
    default: throw .invalidText
    }
    position += 1
    guard second.contains(byte) else { throw .invalidText }
    position += 1
    for _ in 0..<rest {
      guard byte & 0xC0 == 0x80 else { throw .invalidText }
      position += 1
    }
  }
}
