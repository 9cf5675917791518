extension JSONScanner {
  /// Skips an array without nested arrays, without checking its contents. The scanner is at its
  /// opening bracket.
  ///
  /// - Returns: False if the end cannot be found this way; the position is then unchanged.
  mutating func skipFlatList() -> Bool {
    let start = position + 1
    guard start < end,
      let length = bytes.extracting(start..<end).firstOffset(of: UInt8(ascii: "]")),
      Self.isFlat(bytes.extracting(start..<start + length))
    else { return false }
    position = start + length + 1
    return true
  }

  /// Returns whether the bytes before a closing bracket contain no opening bracket, no escape and
  /// no unterminated text, so that the closing bracket is not inside a text and ends the array.
  private static func isFlat(_ body: Span<UInt8>) -> Bool {
    typealias Block = SIMD16<UInt8>
    let (quote, bracket, escape) = (
      Block(repeating: UInt8(ascii: "\"")), Block(repeating: UInt8(ascii: "[")),
      Block(repeating: UInt8(ascii: "\\"))
    )
    // For each lane: whether the number of quotes is odd.
    var isOdd = SIMDMask<SIMD16<Int8>>(repeating: false)
    var isOther = isOdd  // For each lane: whether a bracket or an escape was found.
    var offset = 0
    func scan(_ block: Block) {
      isOdd .^= block .== quote
      isOther .|= (block .== bracket) .| (block .== escape)
    }
    while body.count - offset >= 16 {
      // SAFETY: the load checks its bounds, and every bit pattern is a vector of bytes.
      unsafe scan(body.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Block.self))
      offset += 16
    }
    if offset < body.count {
      var rest = Block()
      for lane in 0..<body.count - offset { rest[lane] = body[offset + lane] }
      scan(rest)
    }
    guard !any(isOther) else { return false }
    return SIMD16<Int8>().replacing(with: 1, where: isOdd).wrappedSum() & 1 == 0
  }
}
