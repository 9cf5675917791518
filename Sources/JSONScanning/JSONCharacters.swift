/// Finds and decodes the special characters inside a text.
@usableFromInline
package enum JSONCharacters {
  /// A one in each byte.
  @usableFromInline static var ones: UInt64 { 0x0101_0101_0101_0101 }
  /// The high bit of each byte.
  @usableFromInline static var highBits: UInt64 { 0x8080_8080_8080_8080 }

  /// Marks each byte of a word that equals `byte` by its high bit; all other bits are 0. The lowest
  /// mark is correct; higher marks may be wrong.
  @inlinable @inline(__always)
  package static func matches(_ byte: UInt8, in word: UInt64) -> UInt64 {
    let difference = word ^ (ones &* UInt64(byte))
    return (difference &- ones) & ~difference & highBits
  }

  /// Marks quotes, backslashes, control characters and non-ASCII bytes of a word by their high
  /// bits; all other bits are 0. The lowest mark is correct; higher marks may be wrong.
  @inlinable @inline(__always)
  package static func special(in word: UInt64) -> UInt64 {
    let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
    let escapes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
    return
      ((word &- ones &* 0x20) & ~word | (quotes &- ones) & ~quotes
      | (escapes &- ones) & ~escapes | word) & highBits
  }

  /// Returns the offset of the first special byte at or after `offset`. If no whole word from there
  /// on contains one, returns the offset after these words, fewer than eight bytes from the end.
  @inlinable @inline(__always)
  package static func endOfPlainWords(_ bytes: Span<UInt8>, from offset: Int) -> Int {
    var place = offset
    while bytes.count &- place >= 8 {
      // SAFETY: eight bytes are readable.
      let special = special(in: unsafe bytes.word(uncheckedAt: place))
      guard special == 0 else { return place &+ special.trailingZeroBitCount >> 3 }
      place &+= 8
    }
    return place
  }

  /// Returns the character for the letter after a backslash; nil for `u` and for invalid
  /// escapes.
  @inlinable
  package static func character(escapedAs letter: UInt8) -> UInt8? {
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

  /// Returns the value of a hexadecimal digit; nil for any other byte.
  @inlinable
  package static func hexadecimal(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
