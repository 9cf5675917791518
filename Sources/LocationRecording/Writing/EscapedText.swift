/// Untrusted text, escaped for one format. Pure.
///
/// Control characters, line separators and characters that change the direction of text are never
/// written unescaped, so that a file is harmless in a terminal or an editor. If the format has an
/// escape for them, the text reads back unchanged; otherwise U+FFFD replaces them.
struct EscapedText: Hashable, Sendable {
  let text: String
  /// The number of characters that were replaced.
  let replacedCharacterCount: Int

  private enum Form {
    case plain
    case escaped(String)
    case replaced
  }

  /// - Parameters:
  ///   - special: The printable characters of ASCII that need an escape.
  ///   - form: The form of each character.
  private init(
    _ text: String, special: String, _ form: (Unicode.Scalar) -> Form
  ) {
    guard !text.utf8.allSatisfy({ (0x20...0x7E).contains($0) && !special.utf8.contains($0) }) else {
      (self.text, replacedCharacterCount) = (text, 0)
      return
    }
    var result = ""
    var count = 0
    for scalar in text.unicodeScalars {
      switch form(scalar) {
      case .plain: result.unicodeScalars.append(scalar)
      case .escaped(let escape): result += escape
      case .replaced:
        result += "\u{FFFD}"
        count += 1
      }
    }
    (self.text, replacedCharacterCount) = (result, count)
  }

  /// Escapes an attribute's value or an element's text for XML 1.0, which has only three control
  /// characters below U+0020.
  init(xml text: String) {
    self.init(text, special: "&<>\"'") { scalar in
      switch scalar {
      case "&": .escaped("&amp;")
      case "<": .escaped("&lt;")
      case ">": .escaped("&gt;")
      case "\"": .escaped("&quot;")
      case "'": .escaped("&apos;")
      case "\t", "\n", "\r": .escaped("&#\(scalar.value);")
      case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": .replaced
      default: scalar.isHarmful ? .escaped("&#\(scalar.value);") : .plain
      }
    }
  }

  /// Escapes a JSON string, with its quotation marks. `<` is escaped too, so that a page can
  /// include the JSON in a script.
  init(json text: String) {
    let escaped = Self(text, special: "\"\\<") { scalar in
      switch scalar {
      case "\"": .escaped("\\\"")
      case "\\": .escaped("\\\\")
      default: Self.jsonForm(scalar)
      }
    }
    self.text = "\"\(escaped.text)\""
    replacedCharacterCount = 0
  }

  /// Escapes complete JSON, in which the special characters occur only within strings.
  init(completeJSON text: String) {
    self.init(text, special: "<", Self.jsonForm)
  }

  /// Escapes a field of CSV, in quotation marks if it needs them. CSV has no escape for control
  /// characters.
  init(csv text: String) {
    let escaped = Self(text, special: "\"") { scalar in
      switch scalar {
      case "\"": .escaped("\"\"")
      default: scalar.isHarmful ? .replaced : .plain
      }
    }
    let needsQuotes = text.utf8.contains { "\",; ".utf8.contains($0) }
    self.text = needsQuotes ? "\"\(escaped.text)\"" : escaped.text
    replacedCharacterCount = escaped.replacedCharacterCount
  }

  private static func jsonForm(_ scalar: Unicode.Scalar) -> Form {
    guard scalar.isHarmful || scalar == "<" else { return .plain }
    return .escaped(
      String(scalar).utf16.reduce(into: "") { text, unit in
        let digits = String(unit, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      })
  }
}

extension Unicode.Scalar {
  /// Whether it is a control or format character, or a separator of lines or paragraphs.
  fileprivate var isHarmful: Bool {
    guard value >= 0x7F else { return value < 0x20 }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return false
    }
  }
}

extension EscapedText {
  /// Text of this package, which needs no escape.
  init(written text: String) { (self.text, replacedCharacterCount) = (text, 0) }
}
