/// Reads and checks a JSON document in a single pass, up to the first error.
///
/// The scanner builds no tree: the caller requests the values that it expects and skips the others.
/// The cost is proportional to the length of the document. The grammar is that of RFC 8259, in
/// UTF-8 without a byte order mark. Lone surrogates, and nesting beyond ``maximumDepth``, are
/// errors.
@usableFromInline
package struct JSONDocumentScanner: JSONByteScanner, ~Escapable {
  /// An error in a document.
  @usableFromInline
  package enum Fault: JSONFault, Hashable {
    /// Something else, or the end, was found instead of this part.
    case expected(JSONExpectation)
    /// A text has a wrong escape, a control character, or bytes that are not UTF-8.
    case invalidText
    case tooDeep, trailingBytes
  }

  @usableFromInline package let bytes: Span<UInt8>
  /// The offset of the next byte. After an error, the offset of the first byte of an invalid number
  /// or word; otherwise that of the invalid byte or of the byte after it.
  @usableFromInline package var position: Int

  @inlinable
  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>, at position: Int = 0) {
    self.bytes = bytes
    self.position = position
  }

  /// The next byte; at the end 0, which no token contains.
  @inlinable package var byte: UInt8 {
    @inline(__always) get {
      // SAFETY: the position is never negative, and is checked to be less than the count.
      position < bytes.count ? unsafe bytes[unchecked: position] : 0
    }
  }

  /// The error for a control character in a text, or for a document that ends inside a text.
  @inlinable package var controlFault: Fault {
    position < bytes.count ? .invalidText : .expected(.endOfText)
  }

  @inlinable @inline(__always)
  package mutating func skipSpace() {
    while byte <= 32, byte == 32 || byte == 9 || byte == 10 || byte == 13 { position &+= 1 }
  }

  @inlinable @inline(__always)
  package mutating func skipPlainText() {
    position = JSONCharacters.endOfPlainWords(bytes, from: position)
  }

  /// Checks that only whitespace is left.
  @inlinable
  package mutating func finish() throws(Fault) {
    skipSpace()
    guard position == bytes.count else { throw .trailingBytes }
  }

  /// Reads a text from its opening quote on.
  @inlinable
  @_lifetime(copy self)
  package mutating func text() throws(Fault) -> JSONText {
    let start = position &+ 1
    let hasEscapes = try skipText()
    return JSONText(bytes.extracting(start..<position &- 1), hasEscapes: hasEscapes)
  }

  /// Whether the next byte begins a number.
  @inlinable package var isAtNumber: Bool {
    @inline(__always) get { byte == UInt8(ascii: "-") || byte &- UInt8(ascii: "0") < 10 }
  }

  /// Reads the double nearest to a number. Returns nil if the number is too large for a double or
  /// too long to be converted, and for any other value, which is skipped.
  ///
  /// - Parameter depth: The number of open brackets around the value.
  @inlinable @inline(__always)
  package mutating func number(depth: Int) throws(Fault) -> Double? {
    guard isAtNumber else {
      try skipValue(depth: depth)
      return nil
    }
    let start = position
    return try readNumber().value(in: bytes, start..<position)
  }

  @inlinable
  package mutating func skipScalar() throws(Fault) {
    if isAtNumber { _ = try readNumber() } else { try skipWord() }
  }

  @inlinable @inline(__always)
  mutating func readNumber() throws(Fault) -> JSONNumber {
    var place = position  // A local variable can stay in a register.
    guard let number = JSONNumber(bytes, at: &place) else { throw .expected(.value) }
    position = place
    return number
  }

  /// Skips `true`, `false` or `null`.
  @usableFromInline
  mutating func skipWord() throws(Fault) {
    let word: StaticString
    switch byte {
    case UInt8(ascii: "t"): word = "true"
    case UInt8(ascii: "f"): word = "false"
    case UInt8(ascii: "n"): word = "null"
    default: throw .expected(.value)
    }
    for index in 0..<word.utf8CodeUnitCount {
      let place = position &+ index
      // SAFETY: the index is below the number of bytes of the static string.
      guard place < bytes.count, bytes[place] == (unsafe word.utf8Start[index]) else {
        throw .expected(.value)
      }
    }
    position &+= word.utf8CodeUnitCount
  }
}
