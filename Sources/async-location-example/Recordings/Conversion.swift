import AsyncLocation
import LocationRecording

/// Turns points into the text of a format. Pure; keeps what was not taken yet.
struct Conversion: ~Copyable {
  let format: RecordingWriter.Format
  private(set) var pointCount = 0
  private(set) var segmentCount = 0
  private var writer: RecordingWriter?
  private var simplification: StreamedSimplification?
  private var bytes: [UInt8] = []

  /// - Parameter tolerance: The metres of a simplification; nil for none.
  init(format: RecordingWriter.Format, tolerance: Double?) {
    self.format = format
    simplification = tolerance.map { StreamedSimplification(tolerance: $0) }
  }

  /// The number of bytes that were not taken.
  var byteCount: Int { bytes.count }

  /// Takes the next points.
  ///
  /// - Parameter name: The name of the track; the first one counts.
  mutating func take(_ points: [TrackPoint], name: String?) throws(LocationError) {
    let kept = try simplification?.add(points) ?? points
    write(kept, name: name)
  }

  /// Ends the text, and returns the number of characters that the format could not represent.
  mutating func finish(name: String?) throws(LocationError) -> Int {
    let kept = try simplification?.finish() ?? []
    write(kept, name: name)
    let writer = self.writer.take() ?? RecordingWriter(format: format, name: name)
    let count = writer.replacedCharacterCount
    bytes += writer.finish()
    return count
  }

  /// Returns the text since the last call.
  mutating func takeText() -> String {
    defer { bytes.removeAll(keepingCapacity: true) }
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func write(_ points: [TrackPoint], name: String?) {
    if writer == nil { writer = RecordingWriter(format: format, name: name) }
    pointCount += points.count
    for point in points {
      if point.beginning != nil { segmentCount += 1 }
      bytes += writer?.write(point) ?? []
    }
  }
}
