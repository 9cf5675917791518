import JSONScanning

/// A token of JSON, and the place where it begins.
struct JSONToken: Hashable, Sendable {
  struct Number: Hashable, Sendable {
    /// The nearest double.
    let value: Double
    /// The number, if it has no fraction and no exponent, and fits in 64 bits.
    let integer: Int64?
  }

  enum Kind: Hashable, Sendable {
    case beginObject, endObject, beginArray, endArray
    /// The name of a member; nil if it is longer than ``JSONTokenizer/maximumText``.
    case name(String?)
    /// Nil if it is longer than ``JSONTokenizer/maximumText``.
    case string(String?)
    case number(Number)
    case boolean, null
  }

  let kind: Kind
  let place: TextPlace

  /// The change of the number of open containers.
  var nesting: Int {
    switch kind {
    case .beginObject, .beginArray: 1
    case .endObject, .endArray: -1
    case .name, .string, .number, .boolean, .null: 0
    }
  }
}

/// Splits JSON (RFC 8259) into tokens. The bytes may arrive in any pieces; each is read once.
/// Pure.
///
/// Memory is bounded: a text longer than ``maximumText`` is checked, but not stored.
struct JSONTokenizer: Sendable {
  /// The reason that bytes are not JSON, and the place.
  struct Fault: Error, Hashable, Sendable {
    enum Problem: Hashable, Sendable { case syntax, cut, tooDeep, invalidText, invalidNumber }

    let problem: Problem
    let place: TextPlace
  }

  /// The maximum number of objects and arrays around a value.
  static let maximumDepth = 64
  /// The maximum number of bytes of a text after unescaping.
  static let maximumText = 1 << 16
  /// The maximum number of characters of a number; a longer one is an error.
  static let maximumNumber = JSONNumber.maximumLength

  /// The tokens that the grammar allows next.
  private enum Expectation { case value, valueOrEnd, name, nameOrEnd, colon, separator, nothing }

  /// The token that is being read.
  private enum Lexeme {
    case none, text, number
    case word([UInt8], matched: Int, JSONToken.Kind)
  }

  private static let trueWord = Array("true".utf8)
  private static let falseWord = Array("false".utf8)
  private static let nullWord = Array("null".utf8)

  private var expectation = Expectation.value
  private var lexeme = Lexeme.none
  private var textScanner = JSONTextScanner()
  private var numberText: [UInt8] = []
  /// Whether each open container is an object.
  private var containers: [Bool] = []
  /// Whether the string that is being read is the name of a member.
  private var isName = false
  /// The place where the token begins.
  private var tokenPlace = TextPlace()

  /// The number of bytes that were read.
  private var offset = 0
  private var line = 1
  private var lineStart = 0

  /// The number of bytes that were read or copied.
  private(set) var processed = 0
  /// The number of open objects and arrays.
  var depth: Int { containers.count }
  /// The tokens that would end the open objects and arrays, from the innermost on.
  var closingTokens: [JSONToken.Kind] {
    containers.reversed().map { $0 ? .endObject : .endArray }
  }
  /// Whether nothing but white space was read since the beginning or the last ``restart()``.
  var isAtStart: Bool {
    if case .none = lexeme { expectation == .value && containers.isEmpty } else { false }
  }
  /// The place of the next byte.
  var place: TextPlace { place(at: offset) }
  /// A tracker for the structure of the bytes from here on, which are not checked.
  var structure: JSONStructure {
    if case .text = lexeme {
      textScanner.structure(depth: depth)
    } else {
      JSONStructure(depth: depth)
    }
  }

  /// Reads up to the end of the next token.
  ///
  /// - Parameter index: The index of the next byte to read. After an error, that of the first
  ///   invalid byte or, for an invalid number, of the byte after its characters in these bytes.
  /// - Returns: The token; nil if the bytes end before its end is known.
  mutating func next(_ bytes: Span<UInt8>, at index: inout Int) throws(Fault) -> JSONToken? {
    let origin = offset - index
    defer {
      processed += origin + index - offset
      offset = origin + index
    }
    while index < bytes.count {
      switch lexeme {
      case .none:
        let byte = bytes[index]
        if byte == 32 || byte == 10 || byte == 13 || byte == 9 {
          index += 1
          if byte == 10 { (line, lineStart) = (line + 1, origin + index) }
          continue
        }
        tokenPlace = place(at: origin + index)
        if let token = try begin(byte, at: &index) { return token }
      case .text:
        do throws(JSONTextScanner.Fault) {
          guard try textScanner.read(bytes, at: &index) else { continue }
        } catch {
          throw Fault(problem: .invalidText, place: place(at: origin + index))
        }
        lexeme = .none
        if !isName { return end(.string(textScanner.text)) }
        expectation = .colon
        return token(.name(textScanner.text))
      case .number:
        let start = index
        while index < bytes.count, Self.isInNumber(bytes[index]) { index += 1 }
        guard numberText.count + index - start <= Self.maximumNumber else {
          throw Fault(problem: .invalidNumber, place: tokenPlace)
        }
        if numberText.isEmpty, index < bytes.count {
          return try endNumber(bytes.extracting(start..<index))
        }
        for position in start..<index { numberText.append(bytes[position]) }
        processed += index - start
        if index < bytes.count { return try endNumber() }
      case .word(let word, let matched, let kind):
        guard bytes[index] == word[matched] else {
          throw Fault(problem: .syntax, place: place(at: origin + index))
        }
        index += 1
        lexeme = .word(word, matched: matched + 1, kind)
        if matched + 1 == word.count {
          lexeme = .none
          return end(kind)
        }
      }
    }
    return nil
  }

  /// Handles the end of the bytes.
  ///
  /// - Returns: The number that ends there; nil if there is none.
  /// - Throws: A fault with the problem `cut` if the text is incomplete.
  mutating func finish() throws(Fault) -> JSONToken? {
    if case .number = lexeme, depth == 0 { return try endNumber() }
    guard expectation == .nothing else { throw Fault(problem: .cut, place: place) }
    return nil
  }

  /// Skips a byte that is not part of the text. The places of later tokens count it.
  mutating func skip(_ byte: UInt8) {
    offset += 1
    if byte == 10 { (line, lineStart) = (line + 1, offset) }
  }

  /// Prepares to read another text. Lines and columns continue to count.
  mutating func restart() {
    (expectation, lexeme, containers) = (.value, .none, [])
    numberText = []
  }

  private func place(at offset: Int) -> TextPlace {
    TextPlace(line: line, column: offset - lineStart + 1)
  }

  /// Begins a token, or reads a comma or a colon. Returns a token that is complete after one byte.
  private mutating func begin(_ byte: UInt8, at index: inout Int) throws(Fault) -> JSONToken? {
    let isObject = containers.last ?? false
    switch (expectation, byte) {
    case (.valueOrEnd, UInt8(ascii: "]")), (.nameOrEnd, UInt8(ascii: "}")),
      (.separator, UInt8(ascii: "]")) where !isObject,
      (.separator, UInt8(ascii: "}")) where isObject:
      index += 1
      containers.removeLast()
      return end(isObject ? .endObject : .endArray)
    case (.separator, UInt8(ascii: ",")):
      index += 1
      expectation = isObject ? .name : .value
      return nil
    case (.colon, UInt8(ascii: ":")):
      index += 1
      expectation = .value
      return nil
    case (.name, UInt8(ascii: "\"")), (.nameOrEnd, UInt8(ascii: "\"")):
      beginText(isName: true, at: &index)
      return nil
    case (.value, _), (.valueOrEnd, _): return try beginValue(byte, at: &index)
    case (.name, _), (.nameOrEnd, _), (.colon, _), (.separator, _), (.nothing, _):
      throw Fault(problem: .syntax, place: tokenPlace)
    }
  }

  private mutating func beginValue(_ byte: UInt8, at index: inout Int) throws(Fault) -> JSONToken? {
    guard depth <= Self.maximumDepth else { throw Fault(problem: .tooDeep, place: tokenPlace) }
    switch byte {
    case UInt8(ascii: "{"):
      index += 1
      containers.append(true)
      expectation = .nameOrEnd
      return token(.beginObject)
    case UInt8(ascii: "["):
      index += 1
      containers.append(false)
      expectation = .valueOrEnd
      return token(.beginArray)
    case UInt8(ascii: "\""): beginText(isName: false, at: &index)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): lexeme = .number
    case UInt8(ascii: "t"): lexeme = .word(Self.trueWord, matched: 0, .boolean)
    case UInt8(ascii: "f"): lexeme = .word(Self.falseWord, matched: 0, .boolean)
    case UInt8(ascii: "n"): lexeme = .word(Self.nullWord, matched: 0, .null)
    default: throw Fault(problem: .syntax, place: tokenPlace)
    }
    return nil
  }

  private mutating func beginText(isName: Bool, at index: inout Int) {
    index += 1
    self.isName = isName
    lexeme = .text
    textScanner.begin()
  }

  private mutating func endNumber() throws(Fault) -> JSONToken {
    let text = numberText
    numberText.removeAll(keepingCapacity: true)
    return try endNumber(text.span)
  }

  private mutating func endNumber(_ text: Span<UInt8>) throws(Fault) -> JSONToken {
    var end = 0
    guard let number = JSONNumber(text, at: &end), end == text.count else {
      let place = TextPlace(line: tokenPlace.line, column: tokenPlace.column + end)
      throw Fault(problem: .syntax, place: place)
    }
    guard let value = number.value(in: text, text.indices) else {
      throw Fault(problem: .invalidNumber, place: tokenPlace)
    }
    lexeme = .none
    return self.end(.number(JSONToken.Number(value: value, integer: number.integer)))
  }

  /// Whether a character may be in a number.
  private static func isInNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
      UInt8(ascii: "+"), UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  /// Returns the last token of a value, and expects what may follow a value.
  private mutating func end(_ kind: JSONToken.Kind) -> JSONToken {
    expectation = containers.isEmpty ? .nothing : .separator
    return token(kind)
  }

  private func token(_ kind: JSONToken.Kind) -> JSONToken {
    JSONToken(kind: kind, place: tokenPlace)
  }
}
