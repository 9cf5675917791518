extension String {
  /// Text from outside, fit for a message: controls, format characters and line breaks of any kind
  /// are written as their numbers, and what is long is cut.
  package init(printable text: some StringProtocol, limit: Int = 128) {
    // A peer may send many lines that are reported. Most need no change.
    let text = String(text)
    if text.utf8.count <= limit, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) {
      self = text
      return
    }
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

  /// The same in quotation marks, which a mark in the text cannot end.
  package init(quoted text: some StringProtocol, limit: Int = 512) {
    let escaped = String(text.flatMap { $0 == "\\" || $0 == "\"" ? ["\\", $0] : [$0] })
    self = "\"\(String(printable: escaped, limit: limit))\""
  }
}
