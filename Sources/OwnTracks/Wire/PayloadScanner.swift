import JSONScanning

/// Reads the JSON of one payload in a single pass and finds every error in it.
///
/// It is not a document parser: the caller requests the values that it expects and skips the others.
/// Nothing here recurses, and the cost is proportional to the length of the payload. The grammar is
/// that of RFC 8259, in UTF-8 without a byte order mark. Lone surrogates are errors.
struct PayloadScanner: JSONByteScanner, ~Escapable {
  /// Why a payload is not JSON, or not a message.
  enum Fault: JSONFault, Hashable {
    case empty, tooLong, notAnObject, syntax, invalidText, tooDeep, trailingBytes
  }

  /// The maximum length of a payload in bytes.
  static let maximumLength = 1 << 20

  let bytes: Span<UInt8>
  /// The offset of the next byte.
  var position = 0

  /// Begins at the first member of the payload's object.
  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) throws(Fault) {
    self.bytes = bytes
    guard bytes.count <= Self.maximumLength else { throw .tooLong }
    skipSpace()
    guard position < bytes.count else { throw .empty }
    guard byte == UInt8(ascii: "{") else { throw .notAnObject }
    position += 1
    skipSpace()
  }

  /// The next byte; 0 at the end, which no token contains.
  var byte: UInt8 {
    @inline(__always) get {
      // SAFETY: the position is never negative, and less than the count.
      position < bytes.count ? unsafe bytes[unchecked: position] : 0
    }
  }

  /// A payload that ends inside of a text is incomplete.
  var controlFault: Fault { position < bytes.count ? .invalidText : .syntax }

  @inline(__always)
  mutating func skipSpace() {
    while byte <= 32, byte == 32 || byte == 9 || byte == 10 || byte == 13 { position &+= 1 }
  }

  @inline(__always)
  mutating func skipPlainText() {
    position = JSONCharacters.endOfPlainWords(bytes, from: position)
  }

  /// Skips the closing brace of an object without members; false if a member follows.
  mutating func takeEmptyObject() -> Bool {
    guard byte == UInt8(ascii: "}") else { return false }
    position += 1
    return true
  }

  /// Checks that only whitespace is left.
  mutating func finish() throws(Fault) {
    skipSpace()
    guard position == bytes.count else { throw .trailingBytes }
  }

  /// Skips a value of any kind and checks it for errors. The payload's object is open around it.
  mutating func skipValue() throws(Fault) { try skipValue(depth: 1) }

  mutating func skipScalar() throws(Fault) {
    if isAtNumber { try skipNumber() } else { try skipWord() }
  }

  private mutating func skipWord() throws(Fault) {
    let word: StaticString
    switch byte {
    case UInt8(ascii: "t"): word = "true"
    case UInt8(ascii: "f"): word = "false"
    case UInt8(ascii: "n"): word = "null"
    default: throw .syntax
    }
    for index in 0..<word.utf8CodeUnitCount {
      // SAFETY: a static string has as many bytes.
      guard byte == (unsafe word.utf8Start[index]) else { throw .syntax }
      position += 1
    }
  }
}

extension OwnTracksError {
  init(_ fault: PayloadScanner.Fault) {
    self =
      switch fault {
      case .empty: Self(.notJSON, "The payload is empty.")
      case .tooLong: Self(.tooLong, "The payload has more than 1 MiB.")
      case .notAnObject: Self(.notJSON, "The payload is not a JSON object.")
      case .syntax: Self(.notJSON, "The payload is not valid JSON.")
      case .invalidText: Self(.notJSON, "A text in the payload is not valid UTF-8 or JSON.")
      case .tooDeep: Self(.notJSON, "The payload is nested more than 32 levels deep.")
      case .trailingBytes: Self(.notJSON, "Bytes follow the payload's JSON object.")
      }
  }
}
