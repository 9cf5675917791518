import JSONScanning

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

  private func hexadecimal(at index: Int) -> UInt32 {
    (index..<index + 4).reduce(0) { $0 << 4 | UInt32(JSONCharacters.hexadecimal(bytes[$1]) ?? 0) }
  }
}

extension JSONScanner {
  /// Reads a string; the scanner is at its opening quote.
  @_lifetime(copy self)
  mutating func text() throws(Fault) -> ScannedText {
    let start = position + 1
    let hasEscapes = try skipText()
    return ScannedText(bytes.extracting(start..<position - 1), hasEscapes: hasEscapes)
  }

  /// Reads an ASCII string without escapes; nil for any other value.
  @inline(never)
  @_lifetime(copy bytes)
  static func plainText(in bytes: Span<UInt8>, at position: inout Int) -> ScannedText? {
    guard bytes[position] == UInt8(ascii: "\"") else { return nil }
    let start = position + 1
    let end = JSONCharacters.endOfPlainWords(bytes, from: start)
    guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else { return nil }
    position = end + 1
    return ScannedText(bytes.extracting(start..<end))
  }
}
