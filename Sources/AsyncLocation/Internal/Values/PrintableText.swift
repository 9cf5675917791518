extension String {
  /// External text, made safe for a message: control and format characters, line separators and
  /// characters without a defined appearance are replaced by their code points, and the text is
  /// truncated after `limit` Unicode scalars.
  package init(printable text: some StringProtocol, limit: Int = 128) {
    // Fast path: a peer may send many lines that are reported, and most lines need no change.
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

  /// External text, made safe for a message and quoted. Quotation marks and backslashes in the text
  /// are escaped.
  package init(quoted text: some StringProtocol, limit: Int = 512) {
    let escaped = String(text.flatMap { $0 == "\\" || $0 == "\"" ? ["\\", $0] : [$0] })
    self = "\"\(String(printable: escaped, limit: limit))\""
  }
}
