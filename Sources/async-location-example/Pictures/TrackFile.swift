import AsyncLocation
import LocationRecording

/// Reads the track of a recording that the user names.
struct TrackFile: Sendable {
  /// The path; `-` for standard input.
  let path: String

  struct Content: Sendable {
    var track: Track
    /// What to say of parts that were skipped; nil if there are none.
    let notice: String?
  }

  /// Returns the track piece by piece, so that only its locations are in memory.
  ///
  /// - Parameter progress: Called with the number of bytes that were read so far.
  /// - Throws: ``UsageError`` with the path and the reason.
  func read(progress: (Int) async -> Void) async throws -> Content {
    var reader = RecordingReader()
    var segmentation = TrackSegmentation()
    var track = Track()
    var count = 0
    do {
      let file = try RecordingFile(path: path == "-" ? "/dev/stdin" : path)
      while let bytes = try file.read() {
        try Task.checkCancellation()
        for event in try reader.read(bytes) {
          if let point = segmentation.point(for: event.event) { track.append(point) }
        }
        count += bytes.count
        await progress(count)
      }
      for event in try reader.finish() {
        if let point = segmentation.point(for: event.event) { track.append(point) }
      }
    } catch let error as RecordingError {
      throw UsageError("\(path): \(error)")
    }
    let skipped = reader.skipped
    let notice = skipped.parts.first.map { part in
      "\(path): \(skipped.count) \(skipped.count == 1 ? "part was" : "parts were") skipped; "
        + "the first: \(part)"
    }
    guard track.pointCount > 0 else {
      throw UsageError("\(path): it contains no locations" + (notice.map { ". " + $0 } ?? ""))
    }
    return Content(track: track, notice: notice)
  }
}
