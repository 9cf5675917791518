import AsyncLocation

/// The text of a recording, piece by piece. Pure.
///
/// It can be copied, so that text which was not stored can be written again.
struct RecordingText {
  let format: RecordingWriter.Format
  private var writer: any FormatWriter
  private var output = WriterOutput()
  private var last: Location?
  private var hasPoints: Bool

  var replacedCharacterCount: Int { output.replacedCharacterCount }

  /// The text of a new recording.
  init(_ format: RecordingWriter.Format, name: String? = nil) {
    self.format = format
    (writer, hasPoints) = (format.writer(), false)
    writer.begin(name: name, into: &output)
  }

  /// The text that continues a recording, without its end.
  ///
  /// - Parameter segment: The number of its last segment; 0 if it has no points.
  init(_ format: RecordingWriter.Format, afterSegment segment: Int) {
    self.format = format
    (writer, hasPoints) = (format.writer(), segment > 0)
    writer.resume(afterSegment: segment)
  }

  /// Returns the text before the first point, which else comes with that point.
  mutating func begin() -> [UInt8] { output.takeBytes() }

  /// Returns the text of the next point.
  mutating func write(_ point: TrackPoint) -> [UInt8] {
    if point.beginning(after: last) != nil {
      writer.beginSegment(isFirst: !hasPoints, into: &output)
    }
    writer.write(point.location, lost: point.lostCount, into: &output)
    (last, hasPoints) = (point.location, true)
    return output.takeBytes()
  }

  /// Returns what would complete the recording here. Further points replace it.
  ///
  /// - Parameter note: Why the recording ended early, in the formats that have a place for it.
  func end(note: String? = nil) -> [UInt8] {
    var (writer, output) = (writer, output)
    writer.finish(note: note, into: &output)
    return output.takeBytes()
  }
}
