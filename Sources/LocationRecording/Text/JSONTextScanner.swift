/// Reads a JSON string after its opening quotation mark, in any pieces, and checks its escapes and
/// its UTF-8. Pure.
struct JSONTextScanner: Sendable {
  /// The byte at the index is not allowed there.
  struct Fault: Error, Hashable, Sendable {}

  private enum State {
    case plain
    /// After a backslash.
    case escape
    /// In the four digits after `\u`.
    case unit(UInt32, digits: Int)
    /// After the first half of a surrogate pair, before the backslash or the `u` of the second.
    case pair, pairLetter
    /// In a multibyte character: the range of the next byte, and the number of bytes after that.
    case character(ClosedRange<UInt8>, more: Int)
  }

  private var state = State.plain
  private var highSurrogate: UInt32?
  private var bytes: [UInt8] = []
  private var isTooLong = false

  /// The text; nil if it is longer than ``JSONTokenizer/maximumText``.
  var text: String? { isTooLong ? nil : String(decoding: bytes, as: UTF8.self) }

  /// Prepares to read another string.
  mutating func begin() {
    bytes.removeAll(keepingCapacity: true)
    (state, highSurrogate, isTooLong) = (.plain, nil, false)
  }

  /// A tracker for the structure of the bytes from here on, which are not checked.
  func structure(depth: Int) -> JSONStructure {
    if case .escape = state {
      return JSONStructure(depth: depth, isInString: true, isEscaped: true)
    }
    return JSONStructure(depth: depth, isInString: true)
  }

  /// Reads up to and including the closing quotation mark. Returns false if the bytes end before
  /// it.
  mutating func read(_ input: Span<UInt8>, at index: inout Int) throws(Fault) -> Bool {
    while index < input.count {
      if case .plain = state {
        let start = index
        while index < input.count, Self.isPlain(input[index]) { index += 1 }
        append(input.extracting(start..<index))
        guard index < input.count else { return false }
      }
      let byte = input[index]
      if case .plain = state, byte == UInt8(ascii: "\"") {
        index += 1
        return true
      }
      try read(byte)
      index += 1
    }
    return false
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  private mutating func append(_ more: Span<UInt8>) {
    guard bytes.count + more.count <= JSONTokenizer.maximumText else {
      isTooLong = true
      return
    }
    for index in more.indices { bytes.append(more[index]) }
  }

  private mutating func append(_ scalar: Unicode.Scalar) { append(Array(String(scalar).utf8).span) }

  /// Reads a byte that is not plain ASCII, or that continues an escape or a character.
  private mutating func read(_ byte: UInt8) throws(Fault) {
    switch state {
    case .plain: try beginSequence(byte)
    case .escape: try readEscape(byte)
    case .unit(let value, let digits):
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        throw Fault()
      }
      let value = value << 4 | UInt32(digit)
      state = .unit(value, digits: digits + 1)
      if digits == 3 { try endUnit(value) }
    case .pair:
      guard byte == UInt8(ascii: "\\") else { throw Fault() }
      state = .pairLetter
    case .pairLetter:
      guard byte == UInt8(ascii: "u") else { throw Fault() }
      state = .unit(0, digits: 0)
    case .character(let range, let more):
      guard range.contains(byte) else { throw Fault() }
      append([byte].span)
      state = more == 0 ? .plain : .character(0x80...0xBF, more: more - 1)
    }
  }

  /// Begins an escape or a multibyte character. Overlong forms, surrogates and values above
  /// U+10FFFF are errors.
  private mutating func beginSequence(_ byte: UInt8) throws(Fault) {
    switch byte {
    case UInt8(ascii: "\\"):
      state = .escape
      return
    case 0xC2...0xDF: state = .character(0x80...0xBF, more: 0)
    case 0xE0: state = .character(0xA0...0xBF, more: 1)
    case 0xED: state = .character(0x80...0x9F, more: 1)
    case 0xE1...0xEF: state = .character(0x80...0xBF, more: 1)
    case 0xF0: state = .character(0x90...0xBF, more: 2)
    case 0xF1...0xF3: state = .character(0x80...0xBF, more: 2)
    case 0xF4: state = .character(0x80...0x8F, more: 2)
    default: throw Fault()
    }
    append([byte].span)
  }

  private mutating func readEscape(_ byte: UInt8) throws(Fault) {
    state = .plain
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): append(Unicode.Scalar(byte))
    case UInt8(ascii: "b"): append("\u{8}")
    case UInt8(ascii: "f"): append("\u{C}")
    case UInt8(ascii: "n"): append("\n")
    case UInt8(ascii: "r"): append("\r")
    case UInt8(ascii: "t"): append("\t")
    case UInt8(ascii: "u"): state = .unit(0, digits: 0)
    default: throw Fault()
    }
  }

  private mutating func endUnit(_ unit: UInt32) throws(Fault) {
    if let high = highSurrogate {
      highSurrogate = nil
      guard (0xDC00..<0xE000).contains(unit),
        let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (unit - 0xDC00))
      else { throw Fault() }
      append(scalar)
      state = .plain
    } else if (0xD800..<0xDC00).contains(unit) {
      highSurrogate = unit
      state = .pair
    } else {
      guard let scalar = Unicode.Scalar(unit) else { throw Fault() }
      append(scalar)
      state = .plain
    }
  }
}
