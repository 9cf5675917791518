import JSONScanning

/// The JSON of a message, which is one object.
enum Payload {
  /// The maximum length in bytes.
  static let maximumLength = 1 << 20

  /// Returns a scanner at the first member of the payload's object.
  @inline(__always)
  @_lifetime(copy bytes)
  static func scanner(_ bytes: Span<UInt8>) throws(OwnTracksError) -> JSONDocumentScanner {
    guard bytes.count <= maximumLength else { throw .tooLong }
    var scanner = JSONDocumentScanner(bytes)
    scanner.skipSpace()
    guard scanner.position < bytes.count else { throw .emptyPayload }
    guard scanner.byte == UInt8(ascii: "{") else { throw .notAnObject }
    scanner.position += 1
    scanner.skipSpace()
    return scanner
  }
}

extension JSONDocumentScanner {
  /// Reads a member's name, packed as by ``JSONText/packed``. All names that the decoder compares
  /// are short.
  @inline(__always)
  mutating func packedName() throws(Fault) -> UInt64 {
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
    return try text().packed
  }

  /// Skips the closing brace of an object without members. Returns false if a member follows.
  mutating func skipEmptyObject() -> Bool {
    guard byte == UInt8(ascii: "}") else { return false }
    position += 1
    return true
  }
}

extension OwnTracksError {
  static var tooLong: Self { Self(.tooLong, "The payload has more than 1 MiB.") }
  static var emptyPayload: Self { Self(.notJSON, "The payload is empty.") }
  static var notAnObject: Self { Self(.notJSON, "The payload is not a JSON object.") }

  init(_ fault: JSONDocumentScanner.Fault) {
    self =
      switch fault {
      case .expected: Self(.notJSON, "The payload is not valid JSON.")
      case .invalidText: Self(.notJSON, "A text in the payload is not valid UTF-8 or JSON.")
      case .tooDeep: Self(.notJSON, "The payload is nested more than 32 levels deep.")
      case .trailingBytes: Self(.notJSON, "Bytes follow the payload's JSON object.")
      }
  }
}

extension [UInt8] {
  init(copying payload: Span<UInt8>) {
    // SAFETY: the pointer does not leave the closure.
    self = unsafe payload.withUnsafeBufferPointer { unsafe Array($0) }
  }
}
