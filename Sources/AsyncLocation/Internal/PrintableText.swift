extension String {
  /// Text from outside, fit for a message: controls, format characters and line breaks of any kind
  /// are written as their numbers, and what is long is cut.
  package init(printable text: some StringProtocol, limit: Int = 128) {
    self = ""
    for (index, scalar) in text.unicodeScalars.enumerated() {
      guard index < limit else {
        append("…")
        return
      }
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned,
        .privateUse:
        append("\\u{\(String(scalar.value, radix: 16))}")
      default: unicodeScalars.append(scalar)
      }
    }
  }
}
