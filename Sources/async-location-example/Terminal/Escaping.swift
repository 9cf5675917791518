/// Makes untrusted text safe to print on a terminal.
///
/// Escapes invisible and control characters: C0, DEL, C1, line separators, bidirectional and other
/// format controls, scalars without a rendering, private-use and unassigned scalars. The escapes
/// are those of JSON, so that a line of JSON keeps its meaning.
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

  /// As ``escape(_:)``, but truncates the text to a number of scalars and marks the truncation.
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
