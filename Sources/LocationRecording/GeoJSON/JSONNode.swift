import AsyncLocation

/// A value of a JSON text, and where it begins.
struct JSONNode: Hashable, Sendable {
  enum Value: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONNode])
    /// The last of members with one name counts.
    case object([String: JSONNode])
  }

  let value: Value
  /// The offset of its first byte.
  let offset: Int
}

/// Reads JSON (RFC 8259). Pure. The values are nested at most ``maximumDepth`` deep.
struct JSONParser {
  static let maximumDepth = 64

  /// Why a text is not JSON, and where.
  struct Fault: Error, Hashable, Sendable {
    enum Problem: Hashable, Sendable { case syntax, cut, tooDeep, invalidText, invalidNumber }

    let problem: Problem
    let offset: Int
  }

  private let bytes: [UInt8]
  private var position = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads a text that is one value.
  static func parse(_ bytes: [UInt8]) throws(Fault) -> JSONNode {
    var parser = Self(bytes)
    parser.skipSpace()
    let node = try parser.node(depth: 0)
    parser.skipSpace()
    guard parser.position == bytes.count else { throw parser.fault(.syntax) }
    return node
  }

  private func fault(_ problem: Fault.Problem) -> Fault {
    Fault(problem: position < bytes.count ? problem : .cut, offset: position)
  }

  private mutating func skipSpace() {
    while position < bytes.count, [32, 10, 13, 9].contains(bytes[position]) { position += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) throws(Fault) {
    guard skip(character) else { throw fault(.syntax) }
  }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func node(depth: Int) throws(Fault) -> JSONNode {
    guard depth <= Self.maximumDepth else { throw fault(.tooDeep) }
    guard position < bytes.count else { throw fault(.cut) }
    let offset = position
    let value: JSONNode.Value
    switch bytes[position] {
    case UInt8(ascii: "{"): value = .object(try object(depth: depth))
    case UInt8(ascii: "["): value = .array(try array(depth: depth))
    case UInt8(ascii: "\""): value = .string(try string())
    case UInt8(ascii: "t"): value = try word("true", .bool(true))
    case UInt8(ascii: "f"): value = try word("false", .bool(false))
    case UInt8(ascii: "n"): value = try word("null", .null)
    default: value = try number()
    }
    return JSONNode(value: value, offset: offset)
  }

  private mutating func object(depth: Int) throws(Fault) -> [String: JSONNode] {
    var members: [String: JSONNode] = [:]
    try take("{")
    skipSpace()
    if skip("}") { return members }
    while true {
      skipSpace()
      guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
        throw fault(.syntax)
      }
      let name = try string()
      skipSpace()
      try take(":")
      skipSpace()
      members[name] = try node(depth: depth + 1)
      skipSpace()
      if skip("}") { return members }
      try take(",")
    }
  }

  private mutating func array(depth: Int) throws(Fault) -> [JSONNode] {
    var elements: [JSONNode] = []
    try take("[")
    skipSpace()
    if skip("]") { return elements }
    while true {
      skipSpace()
      elements.append(try node(depth: depth + 1))
      skipSpace()
      if skip("]") { return elements }
      try take(",")
    }
  }

  private mutating func word(
    _ text: String, _ value: JSONNode.Value
  ) throws(Fault) -> JSONNode.Value {
    for byte in text.utf8 {
      guard position < bytes.count, bytes[position] == byte else { throw fault(.syntax) }
      position += 1
    }
    return value
  }

  private mutating func number() throws(Fault) -> JSONNode.Value {
    let start = position
    var isInteger = true
    _ = skip("-")
    let digits = position
    try skipDigits()
    if bytes[digits] == UInt8(ascii: "0"), position > digits + 1 {
      position = digits
      throw fault(.syntax)
    }
    if skip(".") {
      isInteger = false
      try skipDigits()
    }
    if skip("e") || skip("E") {
      isInteger = false
      if !skip("+") { _ = skip("-") }
      try skipDigits()
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isInteger, let integer = Int64(text) { return .integer(integer) }
    guard let number = Double(text), number.isFinite else {
      position = start
      throw fault(.invalidNumber)
    }
    return .number(number)
  }

  private mutating func skipDigits() throws(Fault) {
    let start = position
    while position < bytes.count, (48...57).contains(bytes[position]) { position += 1 }
    guard position > start else { throw fault(.syntax) }
  }

  private mutating func string() throws(Fault) -> String {
    try take("\"")
    var text: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        guard let string = String(validating: text, as: UTF8.self) else {
          throw fault(.invalidText)
        }
        return string
      case UInt8(ascii: "\\"):
        position += 1
        text += try escape()
      case 0..<32: throw fault(.invalidText)
      default:
        text.append(byte)
        position += 1
      }
    }
    throw fault(.cut)
  }

  private mutating func escape() throws(Fault) -> [UInt8] {
    guard position < bytes.count else { throw fault(.cut) }
    defer { position += 1 }
    switch bytes[position] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [bytes[position]]
    case UInt8(ascii: "b"): return [8]
    case UInt8(ascii: "f"): return [12]
    case UInt8(ascii: "n"): return [10]
    case UInt8(ascii: "r"): return [13]
    case UInt8(ascii: "t"): return [9]
    case UInt8(ascii: "u"):
      var unit = try hexadecimal()
      if (0xD800..<0xDC00).contains(unit), position + 2 < bytes.count,
        bytes[position + 1] == UInt8(ascii: "\\"), bytes[position + 2] == UInt8(ascii: "u")
      {
        position += 2
        let low = try hexadecimal()
        guard (0xDC00..<0xE000).contains(low) else { throw fault(.invalidText) }
        unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(unit) else { throw fault(.invalidText) }
      return Array(String(scalar).utf8)
    default: throw fault(.syntax)
    }
  }

  /// Reads four digits after the current `u`; ends at the last.
  private mutating func hexadecimal() throws(Fault) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      position += 1
      guard position < bytes.count,
        let digit = Character(Unicode.Scalar(bytes[position])).hexDigitValue
      else { throw fault(.invalidText) }
      value = value << 4 | UInt32(digit)
    }
    return value
  }
}
