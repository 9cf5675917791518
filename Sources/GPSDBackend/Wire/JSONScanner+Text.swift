/// A string in the bytes of its line.
struct ScannedText: ~Escapable {
  let bytes: Span<UInt8>
  let hasEscapes: Bool

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>, hasEscapes: Bool = false) {
    (self.bytes, self.hasEscapes) = (bytes, hasEscapes)
  }

  /// Returns the text with its escapes resolved.
  func string() -> String {
    guard hasEscapes else { return String(copying: bytes) }
    var unescaped: [UInt8] = []
    unescaped.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "\\") else {
        unescaped.append(bytes[index])
        index += 1
        continue
      }
      let letter = bytes[index + 1]
      index += 2
      guard letter == UInt8(ascii: "u") else {
        unescaped.append(JSONScanner.character(escapedAs: letter) ?? letter)
        continue
      }
      var scalar = hexadecimal(at: index)
      index += 4
      if scalar >> 10 == 0xD800 >> 10 {  // The scanner has checked that the low surrogate follows.
        scalar = 0x10000 + (scalar & 0x3FF) << 10 + hexadecimal(at: index + 2) & 0x3FF
        index += 6
      }
      unescaped.append(contentsOf: String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8)
    }
    return String(decoding: unescaped, as: UTF8.self)
  }

  private func hexadecimal(at index: Int) -> UInt32 {
    (index..<index + 4).reduce(0) { $0 << 4 | UInt32(JSONScanner.hexadecimal(bytes[$1]) ?? 0) }
  }
}

extension JSONScanner {
  private static var ones: UInt64 { 0x0101_0101_0101_0101 }
  private static var highs: UInt64 { 0x8080_8080_8080_8080 }

  /// Sets the high bit of the first byte that equals `byte`; marks above it may be wrong.
  @inline(__always)
  static func matches(_ byte: UInt8, in word: UInt64) -> UInt64 {
    let difference = word ^ (ones &* UInt64(byte))
    return (difference &- ones) & ~difference & highs
  }

  /// Reads a string; the scanner is at its opening quote.
  @_lifetime(copy self)
  mutating func text() throws(Fault) -> ScannedText {
    guard byte == UInt8(ascii: "\"") else { throw .syntax }
    position += 1
    let start = position
    var hasEscapes = false
    while true {
      while bytes.count &- position >= 8 {
        // SAFETY: eight bytes are readable.
        let special = Self.special(in: unsafe bytes.word(uncheckedAt: position))
        guard special == 0 else {
          position += special.trailingZeroBitCount >> 3
          break
        }
        position += 8
      }
      switch byte {
      case UInt8(ascii: "\""):
        let text = bytes.extracting(start..<position)
        position += 1
        return ScannedText(text, hasEscapes: hasEscapes)
      case UInt8(ascii: "\\"):
        hasEscapes = true
        try skipEscape()
      case 0..<0x20: throw .invalidText
      case 0x80...: try skipMultibyte()
      default: position += 1
      }
    }
  }

  /// Reads an ASCII string without escapes; nil for any other value.
  @inline(never)
  @_lifetime(copy bytes)
  static func plainText(in bytes: Span<UInt8>, at position: inout Int) -> ScannedText? {
    guard bytes[position] == UInt8(ascii: "\"") else { return nil }
    let start = position + 1
    var place = start
    while bytes.count &- place >= 8 {
      // SAFETY: eight bytes are readable.
      let special = special(in: unsafe bytes.word(uncheckedAt: place))
      guard special != 0 else {
        place &+= 8
        continue
      }
      place += special.trailingZeroBitCount >> 3
      guard bytes[place] == UInt8(ascii: "\"") else { return nil }
      position = place + 1
      return ScannedText(bytes.extracting(start..<place))
    }
    return nil
  }

  /// Marks quotes, backslashes, control characters and non-ASCII bytes; marks after the first may
  /// be wrong.
  @inline(__always)
  private static func special(in word: UInt64) -> UInt64 {
    let controls = (word &- ones &* 0x20) & ~word & highs
    return controls | matches(UInt8(ascii: "\""), in: word)
      | matches(UInt8(ascii: "\\"), in: word) | (word & highs)
  }

  /// Returns the character for the letter after a backslash.
  static func character(escapedAs letter: UInt8) -> UInt8? {
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

  static func hexadecimal(_ digit: UInt8) -> UInt8? {
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
  /// U+10FFFF are errors. Each byte is read only if the one before it was valid.
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
