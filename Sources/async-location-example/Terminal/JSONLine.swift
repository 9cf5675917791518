import FoundationEssentials

/// A value as one line of JSON with sorted keys, harmless to a terminal.
enum JSONLine {
  static func line(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(Numbers.time(date))
    }
    // All that needs escaping lies within strings, where JSON takes it.
    return Escaping.escape(String(decoding: try encoder.encode(value), as: UTF8.self))
  }
}
