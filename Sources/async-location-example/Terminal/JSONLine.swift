import FoundationEssentials

/// Encodes a value as one line of JSON with sorted keys that is safe to print on a terminal.
enum JSONLine {
  static func line(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(NumberText.time(date))
    }
    // Characters that need escaping occur only in strings, where JSON allows escapes.
    return Escaping.escape(String(decoding: try encoder.encode(value), as: UTF8.self))
  }
}
