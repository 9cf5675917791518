extension UInt8 {
  /// Whether the byte is ASCII white space.
  package var isWhiteSpace: Bool { self == 32 || (9...13).contains(self) }

  /// Whether the byte is a digit of ASCII.
  package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

extension Span<UInt8> {
  /// The range of the bytes without white space at both ends.
  package var trimmedRange: Range<Int> {
    var (start, end) = (0, count)
    while start < end, self[start].isWhiteSpace { start &+= 1 }
    while end > start, self[end &- 1].isWhiteSpace { end &-= 1 }
    return start..<end
  }
}
