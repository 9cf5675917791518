/// Text from outside, escaped for one format. Pure.
///
/// No format gets a control character, a character that changes the direction of text, or a line
/// separator as it is, so that no file does harm in a terminal or an editor. Where the format has
/// an escape for it, the text reads back as it was; else U+FFFD replaces the character.
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
  ///   - form: The form of any character.
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

  /// For an attribute's value or the text of an element in XML 1.0, which has no control characters
  /// below U+0020 but three.
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

  /// For JSON, with its quotation marks. A page that includes the JSON in a script can do so as it
  /// is: `<` is escaped too.
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

  /// For JSON that is complete: in it, such characters are only within strings.
  init(completeJSON text: String) {
    self.init(text, special: "<", Self.jsonForm)
  }

  /// For a field of CSV, in quotation marks if it needs them. CSV has no escape for control
  /// characters.
  init(csv text: String) {
    let escaped = Self(text, special: "\"") { scalar in
      switch scalar {
      case "\"": .escaped("\"\"")
      default: scalar.isHarmful ? .replaced : .plain
      }
    }
    let needsMarks = text.utf8.contains { $0 == 34 || $0 == 44 || $0 == 59 || $0 == 32 }
    self.text = needsMarks ? "\"\(escaped.text)\"" : escaped.text
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
  /// True for control and format characters, and for separators of lines and paragraphs.
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
