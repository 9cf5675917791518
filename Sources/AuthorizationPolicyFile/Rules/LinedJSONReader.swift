import AsyncLocation

/// Parses one JSON document strictly (RFC 8259) and reports the line of an error.
///
/// Duplicate names in an object are refused, because it is unclear which one the operator meant.
struct LinedJSONReader: Sendable {
  static let maximumDepth = 16

  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var depth = 0

  static func read(_ bytes: [UInt8]) throws(LinedJSON.Fault) -> LinedJSON {
    var reader = Self(bytes)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      throw reader.fault("the file begins with a byte order mark; save it as UTF-8 without one")
    }
    let document = try reader.value()
    reader.skipBlanks()
    if let byte = reader.peek {
      throw reader.fault("expected the end of the file after the document, found \(name(byte))")
    }
    return document
  }

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  // MARK: Bytes

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private func fault(_ message: String) -> LinedJSON.Fault {
    LinedJSON.Fault(line: line, message: message)
  }

  private static func name(_ byte: UInt8?) -> String {
    switch byte {
    case nil: "the end of the file"
    case (0x21...0x7E)?: "'\(Character(Unicode.Scalar(byte ?? 0)))'"
    case .some(let byte): "the byte \(byte)"
    }
  }

  private mutating func skipBlanks() {
    while let byte = peek, [0x20, 0x09, 0x0A, 0x0D].contains(byte) {
      if byte == 0x0A { line += 1 }
      position += 1
    }
  }

  private mutating func take(_ byte: Unicode.Scalar, _ purpose: String) throws(LinedJSON.Fault) {
    skipBlanks()
    guard let found = peek, found == UInt8(ascii: byte) else {
      throw fault("expected '\(byte)' \(purpose), found \(Self.name(peek))")
    }
    position += 1
  }

  private mutating func takes(_ byte: Unicode.Scalar) -> Bool {
    skipBlanks()
    guard let found = peek, found == UInt8(ascii: byte) else { return false }
    position += 1
    return true
  }

  // MARK: Values

  private mutating func value() throws(LinedJSON.Fault) -> LinedJSON {
    skipBlanks()
    let begin = line
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maximumDepth else { throw fault("values are nested too deeply") }
    let value: LinedJSON.Value
    switch peek {
    case UInt8(ascii: "{"): value = .object(try object())
    case UInt8(ascii: "["): value = .array(try array())
    case UInt8(ascii: "\""): value = .string(try string())
    case UInt8(ascii: "-"), (UInt8(ascii: "0")...UInt8(ascii: "9"))?:
      value = .number(try number())
    case UInt8(ascii: "t"): value = try word("true", .bool(true))
    case UInt8(ascii: "f"): value = try word("false", .bool(false))
    case UInt8(ascii: "n"): value = try word("null", .null)
    default: throw fault("expected a value, found \(Self.name(peek))")
    }
    return LinedJSON(line: begin, value: value)
  }

  private mutating func object() throws(LinedJSON.Fault) -> [LinedJSON.Member] {
    try take("{", "")
    var members: [LinedJSON.Member] = []
    var names: Set<String> = []
    if takes("}") { return members }
    repeat {
      skipBlanks()
      guard peek == UInt8(ascii: "\"") else {
        throw fault("expected a name in quotes, found \(Self.name(peek))")
      }
      let begin = line
      let name = try string()
      guard names.insert(name).inserted else {
        throw LinedJSON.Fault(line: begin, message: "\(name.quotedForMessage) is there twice")
      }
      try take(":", "after \(name.quotedForMessage)")
      members.append(LinedJSON.Member(name: name, line: begin, value: try value()))
    } while takes(",")
    try take("}", "or ','")
    return members
  }

  private mutating func array() throws(LinedJSON.Fault) -> [LinedJSON] {
    try take("[", "")
    var values: [LinedJSON] = []
    if takes("]") { return values }
    repeat { values.append(try value()) } while takes(",")
    try take("]", "or ','")
    return values
  }

  private mutating func word(
    _ text: StaticString, _ value: LinedJSON.Value
  ) throws(LinedJSON.Fault) -> LinedJSON.Value {
    let expected = Array("\(text)".utf8)
    guard bytes[position...].starts(with: expected) else {
      throw fault("expected a value, found \(Self.name(peek)); texts need quotes")
    }
    position += expected.count
    return value
  }

  private mutating func number() throws(LinedJSON.Fault) -> Double {
    let begin = position
    while let byte = peek, Self.isNumeric(byte) { position += 1 }
    let text = String(decoding: bytes[begin..<position], as: UTF8.self)
    guard Self.isNumber(text), let number = Double(text), number.isFinite else {
      throw fault("\(text.quotedForMessage) is not a number")
    }
    return number
  }

  private static func isNumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
      UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  /// JSON requires digits on both sides of the decimal point and forbids leading zeros.
  private static func isNumber(_ text: String) -> Bool {
    var rest = text.utf8[...]
    func digits() -> Int {
      let count = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
      rest = rest.dropFirst(count)
      return count
    }
    if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
    let leadsWithZero = rest.first == UInt8(ascii: "0")
    let whole = digits()
    guard whole > 0, !leadsWithZero || whole == 1 else { return false }
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      guard digits() > 0 else { return false }
    }
    if let byte = rest.first, byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
      rest = rest.dropFirst()
      if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
        rest = rest.dropFirst()
      }
      guard digits() > 0 else { return false }
    }
    return rest.isEmpty
  }

  // MARK: Texts

  private mutating func string() throws(LinedJSON.Fault) -> String {
    position += 1  // The opening quote.
    var text: [UInt8] = []
    while let byte = peek {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let string = String(validating: text, as: UTF8.self) else {
          throw fault("a text is not valid UTF-8")
        }
        return string
      case UInt8(ascii: "\\"): try text.append(contentsOf: escape())
      case 0..<0x20: throw fault("a text holds a control character or does not end on its line")
      default: text.append(byte)
      }
    }
    throw fault("a text does not end")
  }

  private mutating func escape() throws(LinedJSON.Fault) -> [UInt8] {
    guard let byte = peek else { throw fault("a text does not end") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"): return Array(String(try scalar()).utf8)
    default: throw fault("'\\' followed by \(Self.name(byte)) means nothing")
    }
  }

  private mutating func scalar() throws(LinedJSON.Fault) -> Character {
    let first = try unit()
    var units = [first]
    if UTF16.isLeadSurrogate(first) {
      guard bytes[position...].starts(with: Array(#"\u"#.utf8)) else {
        throw fault("half of a surrogate pair stands alone")
      }
      position += 2
      units.append(try unit())
    }
    guard let text = String(validating: units, as: UTF16.self), let character = text.first else {
      throw fault("half of a surrogate pair stands alone")
    }
    return character
  }

  private mutating func unit() throws(LinedJSON.Fault) -> UInt16 {
    let digits = bytes[position...].prefix(4)
    let text = String(decoding: digits, as: UTF8.self)
    let isHexadecimal = text.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    guard digits.count == 4, isHexadecimal, let unit = UInt16(text, radix: 16) else {
      throw fault("'\\u' needs four hexadecimal digits")
    }
    position += 4
    return unit
  }
}

extension String {
  /// The text in quotes, escaped and truncated for a message.
  var quotedForMessage: String { "\"\(String(printable: self, limit: 60))\"" }
}
