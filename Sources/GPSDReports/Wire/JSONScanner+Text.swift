import JSONScanning

extension JSONScanner {
  /// Reads a string; the scanner is at its opening quote.
  @_lifetime(copy self)
  mutating func text() throws(Fault) -> JSONText {
    let start = position + 1
    let hasEscapes = try skipText()
    return JSONText(bytes.extracting(start..<position - 1), hasEscapes: hasEscapes)
  }

  /// Reads an ASCII string without escapes; nil for any other value.
  @inline(never)
  @_lifetime(copy bytes)
  static func plainText(in bytes: Span<UInt8>, at position: inout Int) -> JSONText? {
    guard bytes[position] == UInt8(ascii: "\"") else { return nil }
    let start = position + 1
    let end = JSONCharacters.endOfPlainWords(bytes, from: start)
    guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else { return nil }
    position = end + 1
    return JSONText(bytes.extracting(start..<end))
  }
}
