import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import LocationRecording

extension RecordingWriter.Format {
  /// The formats that a recorder writes.
  static let recordable: [Self] = [
    .gpx, .geoJSON, .geoJSONLines, .geoJSONSequence, .csv, .gpsd, .locationJSON,
  ]
}

@Suite(.inTurn) struct RecordedContentTests {
  private static func scan(
    _ bytes: [UInt8], _ format: RecordingWriter.Format, chunk: Int = .max
  ) throws -> RecordedContent {
    var scanner = RecordedContentScanner(format)
    var rest = bytes[...]
    while !rest.isEmpty {
      try scanner.read(Array(rest.prefix(chunk)))
      rest = rest.dropFirst(chunk)
    }
    return try scanner.finish()
  }

  /// After a loss of power, a block of the last write may be zeros although later blocks were
  /// written.
  @Test(
    "F52 zeros in a recording are removed, or skipped by its reader",
    arguments: RecordingWriter.Format.recordable)
  func zeros(_ format: RecordingWriter.Format) throws {
    let points = Array(Track(try TrackRecorderTests.locations(0..<5)).points)
    var text = RecordingText(format)
    var bytes = text.begin()
    var ends: [Int] = []
    for point in points {
      bytes += text.write(point)
      ends.append(bytes.count)
    }
    let middle = (ends[1] + ends[2]) / 2
    for index in middle..<middle + 20 { bytes[index] = 0 }
    bytes += text.end()
    let content = try Self.scan(bytes, format)
    var next = RecordingText(format, afterSegment: content.lastSegment)
    var repaired = Array(bytes.prefix(content.bodyLength))
    repaired += next.write(points[4])
    repaired += next.end()
    let found = try Recording(repaired).locations.map(\.coordinate)
    #expect(found.starts(with: points[..<2].map(\.location.coordinate)), "\(found.count)")
    #expect(found.last == points[4].location.coordinate)
  }

  /// A recording that is cut anywhere is continued after its complete points.
  @Test(
    "F52 a cut recording is repaired and continued", arguments: RecordingWriter.Format.recordable)
  func cuts(_ format: RecordingWriter.Format) async throws {
    try await withTaskExecutorPreference(LongWork.shared) {
      var random = RandomTrack(seed: 52)
      let track = try random.track(segments: 3, points: 4)
      let addedPoints = try random.track(segments: 2, points: 3).points.map { point in
        TrackPoint(
          try point.location.with { $0.timestamp += 10_000 }, beginning: point.beginning)
      }
      var text = RecordingText(format)
      var bytes = text.begin()
      var ends: [Int] = []
      for point in track.points {
        bytes += text.write(point)
        ends.append(bytes.count)
      }
      bytes += text.end()
      let coordinates = track.points.map(\.location.coordinate)
      // Every length within the second and third point, and some other lengths.
      for length in 0...bytes.count
      where length % 31 == 0 || (ends[0] - 40..<ends[2]).contains(length) {
        let cut = Array(bytes.prefix(length))
        let content = try Self.scan(cut, format)
        var repaired = Array(cut.prefix(content.bodyLength))
        var next = RecordingText(format, afterSegment: content.lastSegment)
        if content.bodyLength == 0 {
          next = RecordingText(format)
          repaired += next.begin()
        } else if content.lacksLineFeed {
          repaired.append(10)
        }
        // The last point may be missing, because its end is not certain.
        let completeCount = ends.count { $0 <= length + (content.lacksLineFeed ? 1 : 0) }
        let closed = repaired + next.end()
        let count = (try? Recording(closed).locations.count) ?? 0  // An empty file is no recording.
        #expect(
          (completeCount - 1...completeCount).contains(count)
            || count == 0 && completeCount < 2, "\(length)")
        for point in addedPoints { repaired += next.write(point) }
        let recording = try Recording(repaired + next.end())
        try #require(recording.skipped.isEmpty, "\(length): \(recording.skipped)")
        try #require(
          recording.locations.map(\.coordinate)
            == Array(coordinates.prefix(count)) + addedPoints.map(\.location.coordinate),
          "\(length)")
        if count > 0, format != .locationJSON {
          #expect(recording.segmentStarts.contains(count), "\(length): no segment was begun")
        }
      }
    }
  }

  @Test(arguments: RecordingWriter.Format.recordable)
  func piecesAreScannedLikeTheWholeContent(_ format: RecordingWriter.Format) throws {
    var random = RandomTrack(seed: 1)
    let bytes = try random.track(segments: 3, points: 4).encoded(as: format)
    let whole = try Self.scan(bytes, format)
    for chunk in [1, 2, 7, 64, 1000] {
      #expect(try Self.scan(bytes, format, chunk: chunk) == whole)
    }
    #expect(whole.bodyLength > 0)
    #expect(whole.lastSegment > 0)
  }

  @Test func contentAfterAHoleIsCut() throws {
    let track = try Track((0..<9).map { try location(0, Double($0), at: Double($0)) })
    for format in [RecordingWriter.Format.gpx, .geoJSON] {
      var bytes = track.encoded(as: format)
      let middle = bytes.count * 2 / 3
      bytes.replaceSubrange(middle..<middle + 20, with: [UInt8](repeating: 0, count: 20))
      let content = try Self.scan(bytes, format)
      let text = RecordingText(format, afterSegment: content.lastSegment)
      let recording = try Recording(Array(bytes.prefix(content.bodyLength)) + text.end())
      #expect((4...6).contains(recording.locations.count))
      #expect(recording.skipped.isEmpty)
    }
  }

  private static let collection = "{\"type\":\"FeatureCollection\",\"features\":[\n"

  /// Another program wrote no line feed, or the power failed before the line feed.
  @Test(
    "F54 a last line without line feed stays",
    arguments: [
      (.locationJSON, "{\"token\":\"secret\"}"),
      (.gpsd, "{\"class\":\"TPV\"}\n{\"class\":\"SKY\"}"),
      (.geoJSONLines, "{\"type\":\"Feature\"}"), (.geoJSONSequence, "\u{1E}{\"type\":\"Feature\"}"),
    ] as [(RecordingWriter.Format, String)])
  func lastLine(_ format: RecordingWriter.Format, _ text: String) throws {
    let content = try Self.scan(Array(text.utf8), format)
    #expect(content.bodyLength == text.utf8.count)
    #expect(content.lastSegment > 0)
    #expect(content.lacksLineFeed)
  }

  static let foreign: [(RecordingWriter.Format, String)] = [
    (.gpx, "<gpx><trk><trkseg></trkseg></trk></gpx>\n"),
    (.gpx, "{\"class\":\"TPV\"}\n"),
    (.geoJSON, "{\"type\":\"FeatureCollection\", \"features\": [\n]}\n"),
    (.geoJSON, "<?xml version=\"1.0\"?>\n"),
    (.geoJSON, collection + "{\"geometry\":null,\"type\":\"Feature\"}\n]}\n"),
    (
      .geoJSON,
      collection + "{\"type\":\"Feature\",\"properties\":{\"segment\":1}},\n{\"id\":7},\n]}\n"
    ),
    (.geoJSON, collection + "{\n\"geometry\":null\n}\n]}\n"),
    (.geoJSONLines, "{\"type\":\"Feature\"}\n{\"id\":7}\n"),
    (.geoJSONLines, "{\"type\":\"Point\"}\n"),
    (.geoJSONSequence, "{\"type\":\"Feature\"}\n"),
    (.csv, "lat,lon\n1,2\n"),
    (.csv, "some text"),
    (.gpsd, "$GPRMC,1\n"),
    (.locationJSON, "text\n"),
    (.gpsd, String(repeating: "x", count: RecordedContentScanner.maximumLine + 1)),
  ]

  @Test("F54 other content is refused", arguments: foreign)
  func refuses(_ format: RecordingWriter.Format, _ text: String) {
    #expect(throws: RecordedContentScanner.ForeignFile.self) {
      try Self.scan(Array(text.utf8), format)
    }
  }

  /// The note at the end of a revoked recording does not prevent reading or continuing it.
  @Test("F58 a recording with a note reads and can be continued")
  func note() throws {
    let track = try Track((0..<3).map { try location(0, Double($0), at: Double($0)) })
    for format in RecordingWriter.Format.recordable {
      var text = RecordingText(format)
      var bytes = text.begin()
      for point in track.points { bytes += text.write(point) }
      let bodyLength = bytes.count
      let note = text.end(note: "The recording ended.")
      let hasNote = String(decoding: note, as: UTF8.self).contains("The recording ended.")
      #expect(hasNote == [.gpx, .geoJSON, .gpsd].contains(format))
      let recording = try Recording(bytes + note)
      #expect(recording.locations.count == 3)
      #expect(recording.skipped.isEmpty)
      let content = try Self.scan(bytes + note, format)
      if format.isDocument { #expect((bodyLength - 2...bodyLength).contains(content.bodyLength)) }
    }
  }
}

extension Recording {
  /// The indices of the locations that follow a gap.
  var segmentStarts: Set<Int> {
    var (starts, count) = (Set<Int>(), 0)
    for event in events {
      switch event.event {
      case .location: count += 1
      case .unavailable: starts.insert(count)
      default: break
      }
    }
    return starts
  }
}
