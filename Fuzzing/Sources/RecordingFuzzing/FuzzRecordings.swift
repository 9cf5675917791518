import AsyncLocation
import FoundationEssentials
import LocationRecording

/// The entry point of libFuzzer: reads arbitrary bytes as a recording, as a whole and in pieces.
///
/// The first byte selects the length of the pieces; the rest is the recording.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRecordings(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let input = UnsafeBufferPointer(start: data, count: count)
  guard input.count > 1 else { return 0 }
  let bytes = Array(input[1...])
  let whole = Outcome(bytes, pieces: max(1, bytes.count))
  let pieces = Outcome(bytes, pieces: Int(input[0]) % 61 + 1)
  require(whole == pieces, "pieces give something else: \(whole), \(pieces)")
  whole.requireKept(bytes, pieces: Int(input[0]) % 61 + 1)
  let offsets = whole.events.map(\.offset)
  require(zip(offsets, offsets.dropFirst()).allSatisfy { $0 <= $1 }, "an offset decreases")
  require(offsets.first.map { $0 == .zero } ?? true, "the first offset is not zero")
  for event in whole.events {
    guard case .location(let location) = event.event else { continue }
    require(location.sourceInformation?.isSimulated == true, "a location is not marked")
  }
  whole.requireRoundTrips()
  return 0
}

/// The result of a reader that has ended or failed.
private struct Outcome: Equatable {
  private(set) var events: [TimedEvent] = []
  private var skipped = 0
  private var error: RecordingError?
  private var format: RecordingFormat?

  /// - Parameter keepsReadablePart: Whether the events before an error are returned together with
  ///   the error.
  init(_ bytes: [UInt8], pieces length: Int, keepsReadablePart: Bool = false) {
    let options = RecordingOptions(
      start: Date(timeIntervalSinceReferenceDate: 800_000_000),
      keepsReadablePart: keepsReadablePart)
    var reader = RecordingReader(options: options)
    do throws(RecordingError) {
      for start in stride(from: 0, to: bytes.count, by: length) {
        events += try reader.read(Array(bytes[start..<min(start + length, bytes.count)]))
      }
      events += try reader.finish()
      error = reader.failure
    } catch {
      self.error = error
      // The number of events before the error depends on the pieces.
      events = []
    }
    (skipped, format) = (error == nil ? reader.skipped.count : 0, reader.format)
  }

  /// Reads the bytes again with the readable part before an error. Requires that the result does
  /// not depend on the pieces, and that a recording without errors is read as before.
  func requireKept(_ bytes: [UInt8], pieces length: Int) {
    let whole = Self(bytes, pieces: max(1, bytes.count), keepsReadablePart: true)
    let pieces = Self(bytes, pieces: length, keepsReadablePart: true)
    require(
      whole.events == pieces.events && whole.error == pieces.error,
      "pieces keep something else: \(whole), \(pieces)")
    require(error != nil || whole == self, "what is sound is kept otherwise: \(self), \(whole)")
    require((whole.error == nil) == (error == nil), "an error is lost: \(self), \(whole)")
  }

  private var locations: [Location] {
    events.compactMap { if case .location(let location) = $0.event { location } else { nil } }
  }

  /// Writes the locations in the formats that represent positions and times exactly, and requires
  /// that they are read again unchanged.
  func requireRoundTrips() {
    let locations = self.locations
    guard !locations.isEmpty else { return }
    var segmentation = TrackSegmentation(TrackOptions(maximumInterval: .seconds(Int64.max)))
    let points = locations.map { segmentation.point(for: $0) }
    for format in [RecordingWriter.Format.gpx, .geoJSON, .geoJSONTrack, .csv, .locationJSON] {
      var writer = RecordingWriter(format: format, name: "\u{1}<\"&'>")
      var bytes: [UInt8] = []
      for point in points { bytes += writer.write(point) }
      bytes += writer.finish()
      let read = Self(bytes, pieces: bytes.count)
      require(read.error == nil, "\(format) cannot be read: \(String(describing: read.error))")
      require(read.skipped == 0, "a part of \(format) is skipped")
      let found = read.locations
      require(found.count == points.count, "\(format) has \(found.count) of \(points.count)")
      for (location, point) in zip(found, points) {
        let expected = point.location
        let longitude =
          format == .gpx && expected.longitude == 180 ? -180 : expected.longitude
        require(
          location.latitude == expected.latitude && location.longitude == longitude
            && location.altitude == expected.altitude, "\(format) changes a position")
        // A location without a date is assigned a different one when it is read.
        guard expected.sourceInformation?.timeSource != .host else { continue }
        require(location.timestamp == expected.timestamp, "\(format) changes a time")
      }
    }
  }
}

/// Ends the program with a message if a condition is false; libFuzzer then stores the input.
private func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  if !condition { fatalError(message()) }
}
