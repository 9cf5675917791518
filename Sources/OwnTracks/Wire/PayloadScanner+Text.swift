import JSONScanning

/// A string in the bytes of its payload.
struct PayloadText {
  /// The bytes between the quotes.
  let range: Range<Int>
  let hasEscapes: Bool
}

extension PayloadScanner {
  /// Reads a member's name, packed as by ``packed(_:)``.
  @inline(__always)
  mutating func name() throws(Fault) -> UInt64 {
    if byte == UInt8(ascii: "\""), bytes.count &- position > 8 {
      // SAFETY: eight bytes are readable after the quote.
      let word = unsafe bytes.word(uncheckedAt: position &+ 1)
      let special = JSONCharacters.special(in: word)
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
    let start = position + 1
    let hasEscapes = try skipText()
    return PayloadText(range: start..<position - 1, hasEscapes: hasEscapes)
  }

  /// The bytes of a short ASCII text, the first in the lowest bits; 0 for an empty text, one of more
  /// than eight bytes, and one with other characters. All names that a decoder compares are short.
  func packed(_ text: PayloadText) -> UInt64 {
    let (start, count) = (text.range.lowerBound, text.range.count)
    guard text.hasEscapes || count <= 8 else { return 0 }
    if !text.hasEscapes, count > 0, bytes.count &- start >= 8 {
      // SAFETY: eight bytes are readable.
      return unsafe bytes.word(uncheckedAt: start) & (.max &>> UInt64(64 &- count &* 8))
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
    guard letter == UInt8(ascii: "u") else {
      return JSONCharacters.character(escapedAs: letter) ?? 0
    }
    let unit = (place..<place + 4).reduce(UInt16(0)) { unit, index in
      unit << 4 | UInt16(JSONCharacters.hexadecimal(bytes[index]) ?? 0)
    }
    place += 4
    return unit < 0x80 ? UInt8(unit) : 0
  }
}
