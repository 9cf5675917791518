import AsyncLocation

/// Writes the text of one format. Pure; memory is bounded as documented for each format.
protocol FormatWriter {
  /// Called once, before everything else.
  mutating func begin(name: String?, into output: inout WriterOutput)
  /// Called before the first location of each segment.
  mutating func beginSegment(isFirst: Bool, into output: inout WriterOutput)
  mutating func write(_ location: Location, into output: inout WriterOutput)
  /// Called once, after everything else.
  mutating func finish(into output: inout WriterOutput)
}

/// Collects what a format's writer has written.
struct WriterOutput {
  private var bytes: [UInt8] = []
  private(set) var replacedCharacterCount = 0

  /// Returns the bytes since the last call.
  mutating func takeBytes() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  /// Appends text of the format.
  mutating func append(_ text: String) { bytes += text.utf8 }

  mutating func append(_ text: [UInt8]) { bytes += text }

  /// Appends text from outside, escaped.
  mutating func append(_ text: EscapedText) {
    append(text.text)
    replacedCharacterCount += text.replacedCharacterCount
  }
}
