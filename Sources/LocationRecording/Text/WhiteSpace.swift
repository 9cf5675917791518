import JSONScanning

extension UInt8 {
  /// Whether the byte is ASCII white space.
  var isWhiteSpace: Bool { self == 32 || (9...13).contains(self) }
}

extension Span<UInt8> {
  /// The range of the bytes without white space at both ends.
  var trimmedRange: Range<Int> {
    var (start, end) = (0, count)
    while start < end, self[start].isWhiteSpace { start &+= 1 }
    while end > start, self[end &- 1].isWhiteSpace { end &-= 1 }
    return start..<end
  }
}

extension String {
  /// The text without white space at both ends.
  var trimmed: String {
    let range = utf8.span.trimmedRange
    return range.count == utf8.count ? self : String(copying: utf8.span.extracting(range))
  }
}
