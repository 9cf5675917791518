import AsyncLocation
import FoundationEssentials

/// Writes `Location` values in JSON, one on each line. All values are exact; there are no segments.
struct LocationJSONWriter: FormatWriter {
  private let encoder: JSONEncoder

  init() {
    encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  func begin(name: String?, into output: inout WriterOutput) {}

  func resume(afterSegment segment: Int) {}

  func beginSegment(isFirst: Bool, into output: inout WriterOutput) {}

  func write(_ point: TrackPoint, into output: inout WriterOutput) {
    let location = point.location
    // A location has only finite numbers and dates in range, so encoding cannot fail.
    guard let text = try? encoder.encode(location) else { return }
    output.append(EscapedText(completeJSON: String(decoding: text, as: UTF8.self)))
    output.append("\n")
  }

  func finish(note: String?, into output: inout WriterOutput) {}
}
