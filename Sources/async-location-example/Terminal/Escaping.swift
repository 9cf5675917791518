/// Makes text from outside harmless to a terminal and to whoever reads it.
///
/// Escapes what is invisible or acts: C0, DEL, C1, separators of lines, bidirectional and other
/// format controls, whatever renders as nothing, private and unassigned scalars. The form is
/// JSON's, so that a line of JSON stays the same JSON.
enum Escaping {
  static func escape(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: mustEscape) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if mustEscape(scalar) {
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
          result += "\\u" + hex(unit)
        }
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// ``escape(_:)`` for text of unknown length: cut to a number of scalars, the cut marked.
  static func escape(_ text: String, limit: Int) -> String {
    let scalars = text.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return escape(text) }
    return escape(String(scalars[..<end])) + "..."
  }

  private static func mustEscape(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x7F { return scalar.value < 0x20 }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
      .unassigned:
      return true
    default:
      return scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  private static func hex(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
