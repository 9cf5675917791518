extension JSONByteScanner where Self: ~Escapable {
  /// Skips a text, from its opening quote to after its closing quote, and checks it for errors.
  ///
  /// - Returns: Whether it has escapes.
  @inlinable
  package mutating func skipText() throws(Fault) -> Bool {
    guard byte == UInt8(ascii: "\"") else { throw .expected(.name) }
    position += 1
    var hasEscapes = false
    while true {
      skipPlainText()
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return hasEscapes
      case UInt8(ascii: "\\"):
        hasEscapes = true
        try skipEscape()
      case 0..<0x20: throw controlFault
      case 0x80...: try skipMultibyte()
      default: position += 1  // Near the end, `skipPlainText` may stop before plain bytes.
      }
    }
  }

  /// Skips an escape from its backslash on. Surrogates must be paired.
  @inlinable
  mutating func skipEscape() throws(Fault) {
    position += 1
    if JSONCharacters.character(escapedAs: byte) != nil {
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
  @inlinable
  mutating func skipUnit() throws(Fault) -> UInt16 {
    guard byte == UInt8(ascii: "u") else { throw .invalidText }
    position += 1
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = JSONCharacters.hexadecimal(byte) else { throw .invalidText }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }

  /// Skips a UTF-8 character of two to four bytes. Overlong forms, surrogates and values above
  /// U+10FFFF are errors. Each byte is read only if the one before it was valid.
  @inlinable
  mutating func skipMultibyte() throws(Fault) {
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
