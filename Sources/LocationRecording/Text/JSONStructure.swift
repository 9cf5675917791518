/// Tracks the strings and the nesting of JSON, byte by byte. Accepts any bytes.
struct JSONStructure {
  /// The kind of a byte.
  enum Element {
    /// A byte within a string, except its closing quote, a backslash and the byte after a
    /// backslash.
    case character
    /// The opening quote of a string.
    case string
    /// The end of an object or an array, which the depth no longer counts.
    case end
    case other
  }

  /// The number of open objects and arrays; negative after ends without a beginning.
  private(set) var depth: Int
  private var isInString: Bool
  private var isEscaped: Bool

  /// Whether no object, array or string is open.
  var isComplete: Bool { depth == 0 && !isInString }

  init(depth: Int = 0, isInString: Bool = false, isEscaped: Bool = false) {
    (self.depth, self.isInString, self.isEscaped) = (depth, isInString, isEscaped)
  }

  mutating func read(_ byte: UInt8) -> Element {
    if isInString { return readInString(byte) }
    switch byte {
    case UInt8(ascii: "\""):
      isInString = true
      return .string
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      depth += 1
      return .other
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      depth -= 1
      return .end
    default: return .other
    }
  }

  private mutating func readInString(_ byte: UInt8) -> Element {
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInString = false
    } else {
      return .character
    }
    return .other
  }
}
