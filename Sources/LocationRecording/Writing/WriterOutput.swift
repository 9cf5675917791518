/// Writes the text of one format. Pure; memory is bounded as documented for each format.
protocol FormatWriter {
  /// Called once, before everything else.
  mutating func begin(name: String?, into output: inout WriterOutput)
  /// Called instead of ``begin(name:into:)`` if the text follows that of another writer.
  ///
  /// - Parameter segment: The number of the last segment.
  mutating func resume(afterSegment segment: Int)
  /// Writes a waypoint. Called only for formats that hold any, and where their
  /// ``RecordingWriter/Format/WaypointPlace`` permits it.
  mutating func write(_ waypoint: Waypoint, into output: inout WriterOutput)
  /// Called once, before the first segment or the end.
  mutating func beginTrack(into output: inout WriterOutput)
  /// Called before the first location of each segment.
  mutating func beginSegment(isFirst: Bool, into output: inout WriterOutput)
  mutating func write(_ point: TrackPoint, into output: inout WriterOutput)
  /// Called once, after everything else.
  ///
  /// - Parameter note: The reason that the recording ended early, as plain text without markup.
  ///   Formats without a place for it leave it out.
  mutating func finish(note: String?, into output: inout WriterOutput)
}

extension FormatWriter {
  func write(_ waypoint: Waypoint, into output: inout WriterOutput) {}

  func beginTrack(into output: inout WriterOutput) {}
}

/// Collects the text of a format's writer.
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

  /// Appends escaped text.
  mutating func append(_ text: EscapedText) {
    append(text.text)
    replacedCharacterCount += text.replacedCharacterCount
  }
}
