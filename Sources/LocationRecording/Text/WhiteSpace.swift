extension UInt8 {
  /// Whether the byte is white space of ASCII.
  var isWhiteSpace: Bool { self == 32 || (9...13).contains(self) }
}

extension [UInt8] {
  /// The bytes without white space at both ends.
  var trimmed: ArraySlice<UInt8> {
    let start = firstIndex { !$0.isWhiteSpace } ?? endIndex
    let end = lastIndex { !$0.isWhiteSpace }.map { $0 + 1 } ?? start
    return self[start..<end]
  }
}
