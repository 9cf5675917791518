/// A reference reader, character by character, implemented from RFC 8259 and the scanner's
/// extensions: words for numbers that are not finite, and tokens that begin like a number. Slow and
/// simple; shares no code with the scanner.
struct JSONReference {
  indirect enum Value: Equatable {
    /// A JSON number that a double can hold.
    case number(Double)
    case flag(Bool)
    case text([UInt8])
    case list([Value])
    case object([Member])
    case null
    /// A token that begins like a number, or a word for one, and is not a JSON number.
    case unreadable([UInt8])
  }
  struct Member: Equatable {
    let key: [UInt8]
    let value: Value
  }
  private struct Malformed: Error {}

  private let bytes: ArraySlice<UInt8>
  private var index: Int

  private init(_ bytes: ArraySlice<UInt8>) { (self.bytes, index) = (bytes, bytes.startIndex) }

  /// The members of a line, without its end; nil when it is malformed.
  static func members(of line: ArraySlice<UInt8>) -> [Member]? {
    var reference = Self(line)
    reference.skipBlanks()
    guard case .object(let members)? = try? reference.value() else { return nil }
    reference.skipBlanks()
    return reference.byte == nil ? members : nil
  }

  private var byte: UInt8? { index < bytes.endIndex ? bytes[index] : nil }

  private mutating func skipBlanks() {
    while let byte, byte == 32 || byte == 9 || byte == 13 { index += 1 }
  }

  private mutating func skip(_ wanted: Unicode.Scalar) -> Bool {
    guard byte == UInt8(ascii: wanted) else { return false }
    index += 1
    return true
  }

  private mutating func value() throws -> Value {
    if skip("{") { return .object(try elements(to: "}") { try $0.member() }) }
    if skip("[") { return .list(try elements(to: "]") { try $0.value() }) }
    return skip("\"") ? .text(try text()) : try token()
  }

  private mutating func elements<Element>(
    to bracket: Unicode.Scalar, _ element: (inout Self) throws -> Element
  ) throws -> [Element] {
    skipBlanks()
    if skip(bracket) { return [] }
    var elements: [Element] = []
    while true {
      elements.append(try element(&self))
      skipBlanks()
      if skip(bracket) { return elements }
      guard skip(",") else { throw Malformed() }
      skipBlanks()
    }
  }

  private mutating func member() throws -> Member {
    guard skip("\"") else { throw Malformed() }
    let key = try text()
    skipBlanks()
    guard skip(":") else { throw Malformed() }
    skipBlanks()
    return Member(key: key, value: try value())
  }

  /// Reads a text after its opening quote. Only escapes of one character are supported.
  private mutating func text() throws -> [UInt8] {
    var text: [UInt8] = []
    while let byte {
      index += 1
      switch byte {
      case UInt8(ascii: "\""): return text
      case 32..<128 where byte != UInt8(ascii: "\\"): text.append(byte)
      case UInt8(ascii: "\\"):
        guard let letter = self.byte,
          let found = zip("\"\\/bfnrt".utf8, [34, 92, 47, 8, 12, 10, 13, 9] as [UInt8])
            .first(where: { $0.0 == letter })
        else { throw Malformed() }
        text.append(found.1)
        index += 1
      default: throw Malformed()
      }
    }
    throw Malformed()
  }

  private mutating func token() throws -> Value {
    let start = index
    while let byte, Self.isInToken(byte) { index += 1 }
    let token = bytes[start..<index]
    guard let first = token.first else { throw Malformed() }
    if first < UInt8(ascii: "A") {
      guard Self.isNumber(token), let number = Double(String(decoding: token, as: UTF8.self)),
        number.isFinite
      else { return .unreadable(Array(token)) }
      return .number(number)
    }
    switch String(decoding: token, as: UTF8.self) {
    case "true": return .flag(true)
    case "false": return .flag(false)
    case "null": return .null
    case let word where ["nan", "inf", "infinity"].contains(word.lowercased()):
      return .unreadable(Array(token))
    default: throw Malformed()
    }
  }

  private static func isInToken(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
      || isDigit(byte) || 65...90 ~= byte || 97...122 ~= byte
  }

  private static func isDigit(_ byte: UInt8) -> Bool { 48...57 ~= byte }

  /// RFC 8259, section 6, as an automaton.
  private static func isNumber(_ token: ArraySlice<UInt8>) -> Bool {
    enum State { case start, minus, zero, whole, point, decimals, letter, sign, exponent }
    var state = State.start
    for byte in token {
      let (isDigit, isZero) = (isDigit(byte), byte == 48)
      let isLetter = byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E")
      let isPoint = byte == UInt8(ascii: ".")
      let isMinus = byte == UInt8(ascii: "-")
      switch state {
      case .start where isMinus: state = .minus
      case .start where isDigit, .minus where isDigit: state = isZero ? .zero : .whole
      case .whole where isDigit: break
      case .zero where isPoint, .whole where isPoint: state = .point
      case .point where isDigit: state = .decimals
      case .decimals where isDigit: break
      case .zero where isLetter, .whole where isLetter, .decimals where isLetter: state = .letter
      case .letter where isMinus || byte == UInt8(ascii: "+"): state = .sign
      case .letter where isDigit, .sign where isDigit, .exponent where isDigit: state = .exponent
      default: return false
      }
    }
    return state == .zero || state == .whole || state == .decimals || state == .exponent
  }
}
