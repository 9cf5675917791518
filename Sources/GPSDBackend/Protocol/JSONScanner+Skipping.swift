extension JSONScanner {
  /// Steps over a value of any kind, and finds what is wrong in it.
  ///
  /// - Parameter depth: How many brackets are open around the value.
  mutating func skipValue(depth: Int) throws(Fault) {
    var depth = depth
    let outerDepth = depth
    var objects: UInt64 = 0  // Bit n is set when the n-th open bracket is an object's.
    while true {
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        let isObject = byte == UInt8(ascii: "{")
        depth += 1
        guard depth <= Self.maximumDepth else { throw .tooDeep }
        let bit = UInt64(1) << UInt64(depth)
        objects = isObject ? objects | bit : objects & ~bit
        position += 1
        skipSpace()
        if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          position += 1
          depth -= 1
          break
        }
        if isObject { try skipKey() }
        continue
      case UInt8(ascii: "\""): _ = try text()
      default: _ = try token()
      }
      // A value ended: close what ends with it, or go on to the next.
      var isNext = false
      while depth > outerDepth, !isNext {
        let isObject = objects >> UInt64(depth) & 1 == 1
        isNext = try takeSeparator(or: isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        if isNext {
          if isObject { try skipKey() }
        } else {
          depth -= 1
        }
      }
      if !isNext { return }
    }
  }

  private mutating func skipKey() throws(Fault) {
    _ = try text()
    skipSpace()
    try take(UInt8(ascii: ":"))
  }
}
