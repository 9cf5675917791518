/// A JSON string, as a part of the bytes of its document.
@usableFromInline
package struct JSONText: ~Escapable {
  /// The bytes between the quotes: valid UTF-8 and valid escapes.
  @usableFromInline package let bytes: Span<UInt8>
  @usableFromInline package let hasEscapes: Bool

  @inlinable
  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>, hasEscapes: Bool = false) {
    (self.bytes, self.hasEscapes) = (bytes, hasEscapes)
  }

  /// Returns the text with its escapes resolved.
  package func string() -> String {
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
        unescaped.append(JSONCharacters.character(escapedAs: letter) ?? letter)
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

  /// Returns whether the text is this ASCII name.
  package func matches(_ name: String) -> Bool {
    var place = 0
    for expected in name.utf8 {
      guard place < bytes.count, asciiByte(at: &place) == expected else { return false }
    }
    return place == bytes.count
  }

  /// The bytes of a short ASCII text, the first in the lowest bits; 0 if the text is empty, has
  /// more than eight bytes, or contains NUL or a character that is not ASCII.
  package var packed: UInt64 {
    guard hasEscapes || bytes.count <= 8 else { return 0 }
    if !hasEscapes, bytes.count == 8 {
      // SAFETY: eight bytes are readable.
      let word = unsafe bytes.word(uncheckedAt: 0)
      return word & 0x8080_8080_8080_8080 == 0 ? word : 0
    }
    var word: UInt64 = 0
    var shift: UInt64 = 0
    var place = 0
    while place < bytes.count {
      guard let byte = asciiByte(at: &place), byte > 0, byte < 0x80, shift < 64 else { return 0 }
      word |= UInt64(byte) << shift
      shift += 8
    }
    return word
  }

  /// Reads one byte with its escape resolved; nil for an escaped character that is not ASCII.
  private func asciiByte(at place: inout Int) -> UInt8? {
    let byte = bytes[place]
    place += 1
    guard byte == UInt8(ascii: "\\") else { return byte }
    let letter = bytes[place]
    place += 1
    guard letter == UInt8(ascii: "u") else {
      return JSONCharacters.character(escapedAs: letter)
    }
    let unit = hexadecimal(at: place)
    place += 4
    return unit < 0x80 ? UInt8(unit) : nil
  }

  /// Returns the value of four hexadecimal digits.
  private func hexadecimal(at index: Int) -> UInt32 {
    (index..<index + 4).reduce(0) { $0 << 4 | UInt32(JSONCharacters.hexadecimal(bytes[$1]) ?? 0) }
  }
}
