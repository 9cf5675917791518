/// The names in a Swift file, in order, including those in string interpolations but not those in
/// comments and the text of strings.
struct SwiftNames {
  struct Name {
    let text: String
    let line: Int
    /// The number of braces around the name.
    let depth: Int
    /// Whether the name follows a dot.
    let isMember: Bool
  }

  private(set) var all: [Name] = []
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var depth = 0

  init(_ source: some Sequence<UInt8>) {
    bytes = Array(source)
    while position < bytes.count { readCode() }
  }

  /// The names of types that the file declares.
  func types(atTopLevelOnly: Bool) -> [Name] {
    let keywords: Set = ["actor", "class", "enum", "protocol", "struct", "typealias"]
    return zip(all, all.dropFirst()).compactMap { keyword, name in
      keywords.contains(keyword.text) && !keyword.isMember && name.isType
        && (name.depth == 0 || !atTopLevelOnly) ? name : nil
    }
  }

  /// The modules that the file imports.
  var imports: [Name] {
    let kinds: Set = ["class", "enum", "func", "let", "protocol", "struct", "typealias", "var"]
    return all.indices.compactMap { index in
      guard all[index].text == "import", !all[index].isMember else { return nil }
      return all[(index + 1)...].first { !kinds.contains($0.text) }
    }
  }

  /// Reads up to the end of the file, or through the parenthesis that ends an interpolation.
  private mutating func readCode() {
    var parentheses = 0
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"):
        skipUntil { $0 == UInt8(ascii: "\n") }
      case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"): readBlockComment()
      case UInt8(ascii: "\""), UInt8(ascii: "#"): readString()
      case UInt8(ascii: "("):
        parentheses += 1
        advance()
      case UInt8(ascii: ")"):
        parentheses -= 1
        advance()
        if parentheses < 0 { return }
      case UInt8(ascii: "{"):
        depth += 1
        advance()
      case UInt8(ascii: "}"):
        depth -= 1
        advance()
      default:
        if Self.isIdentifierByte(byte) { readName() } else { advance() }
      }
    }
  }

  private mutating func readName() {
    let start = position
    skipUntil { !Self.isIdentifierByte($0) }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    let isMember = start > 0 && bytes[start - 1] == UInt8(ascii: ".")
    all.append(Name(text: text, line: line, depth: depth, isMember: isMember))
  }

  /// Reads a string literal. Skips a number sign that begins no literal.
  private mutating func readString() {
    var signs = 0
    while peek(signs) == UInt8(ascii: "#") { signs += 1 }
    guard peek(signs) == UInt8(ascii: "\"") else { return advance(by: signs) }
    let isMultiline = peek(signs + 1) == UInt8(ascii: "\"") && peek(signs + 2) == UInt8(ascii: "\"")
    let end =
      Array(repeating: UInt8(ascii: "\""), count: isMultiline ? 3 : 1)
      + Array(repeating: UInt8(ascii: "#"), count: signs)
    let escape = [UInt8(ascii: "\\")] + Array(repeating: UInt8(ascii: "#"), count: signs)
    advance(by: end.count)
    while position < bytes.count {
      if starts(with: end) { return advance(by: end.count) }
      if starts(with: escape) {
        advance(by: escape.count)
        let isInterpolation = peek() == UInt8(ascii: "(")
        advance()
        if isInterpolation { readCode() }
      } else {
        advance()
      }
    }
  }

  /// Reads a block comment, which may contain others.
  private mutating func readBlockComment() {
    var nesting = 0
    repeat {
      if starts(with: Array("/*".utf8)) {
        nesting += 1
        advance(by: 2)
      } else if starts(with: Array("*/".utf8)) {
        nesting -= 1
        advance(by: 2)
      } else {
        advance()
      }
    } while nesting > 0 && position < bytes.count
  }

  private static func isIdentifierByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
      true
    default: false
    }
  }

  private func peek(_ distance: Int = 0) -> UInt8? {
    position + distance < bytes.count ? bytes[position + distance] : nil
  }

  private func starts(with prefix: [UInt8]) -> Bool {
    bytes[position...].starts(with: prefix)
  }

  private mutating func advance(by count: Int = 1) {
    for _ in 0..<count where position < bytes.count {
      if bytes[position] == UInt8(ascii: "\n") { line += 1 }
      position += 1
    }
  }

  private mutating func skipUntil(_ isEnd: (UInt8) -> Bool) {
    while let byte = peek(), !isEnd(byte) { advance() }
  }
}

extension SwiftNames.Name {
  /// Whether the name begins with a capital letter, as the names of types do.
  var isType: Bool { text.first?.isUppercase ?? false }
}
