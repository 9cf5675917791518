extension String {
  /// One line to show to people: control, bidirectional and invisible format characters become
  /// `\u{…}`, what is past `limit` characters becomes "…".
  func escaped(limit: Int) -> String {
    var result = ""
    var count = 0
    for scalar in unicodeScalars {
      guard count < limit else { return result + "…" }
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned,
        .privateUse:
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default:
        result.unicodeScalars.append(scalar)
      }
      count += 1
    }
    return result
  }
}
