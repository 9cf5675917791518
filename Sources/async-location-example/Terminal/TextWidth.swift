/// Computes the number of terminal columns of a text. Expects escaped text.
enum TextWidth {
  static func columns(_ text: String) -> Int {
    text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : text.reduce(0) { $0 + columns($1) }
  }

  static func columns(_ character: Character) -> Int {
    var widest = 0
    for scalar in character.unicodeScalars { widest = max(widest, columns(scalar)) }
    return widest
  }

  /// The longest prefix of a text that fits.
  static func prefix(_ text: String, columns limit: Int) -> String {
    var used = 0
    return String(
      text.prefix { character in
        used += columns(character)
        return used <= limit
      })
  }

  /// The text padded with spaces to a number of columns: on the right, or on the left if `trailing`
  /// is true.
  static func pad(_ text: String, _ width: Int, trailing: Bool = false) -> String {
    let spaces = String(repeating: " ", count: max(0, width - columns(text)))
    return trailing ? spaces + text : text + spaces
  }

  private static func columns(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    switch scalar.value {
    // The blocks that are Wide or Fullwidth in Unicode's East Asian Width.
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
      0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}
