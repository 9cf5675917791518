import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct RecordingTests {
  @Test(arguments: [
    "", " \n", "hello", "a,b\n1,2\n", "PK\u{3}\u{4}", "[]", "{}", "{\"a\":1}", "\u{FEFF}", "$", "#",
    "lat\n1\n",
  ])
  func doesNotRecognize(_ text: String) {
    let error = #expect(throws: RecordingError.self) { try recording(text) }
    #expect(error?.code == .unknownFormat)
  }

  @Test(arguments: [
    ("\n <gpx/>", RecordingFormat.gpx), ("$GPGGA,,,,,,,,,,,,,,\n", .nmea),
    ("{\"class\":\"TPV\"}", .gpsd), ("x {\"class\":\"TPV\"}", .gpsd),
    ("{\"features\":[],\"type\":\"FeatureCollection\"}", .geoJSON), ("lat,lon", .csv),
    ("# c\nname;Lat (deg);Lon (deg)\n", .csv),
  ])
  func recognizes(_ text: String, _ format: RecordingFormat) throws {
    #expect(try recording(text).format == format)
  }

  @Test(
    "F83 a tar archive is not read as the recording in it",
    arguments: [
      "lat,lon\n1,2\n", "$GPGGA,,,,,,,,,,,,,,\n",
      "HFDTE040526\nB1000004700000N00800000EA0050000500\n",
    ])
  func archiveIsNoRecording(_ text: String) {
    var header = [UInt8](repeating: 0, count: 512)
    header.replaceSubrange(0..<5, with: "a.csv".utf8)
    header.replaceSubrange(257..<262, with: "ustar".utf8)
    let error = #expect(throws: RecordingError.self) { try recording(header + Array(text.utf8)) }
    #expect(error?.message.contains("tar archive") == true)
  }

  @Test func readsUTF16() throws {
    for text in [GPXReaderTests.track(#"<trkpt lat="1" lon="2"/>"#), "lat,lon\n1,2\n"] {
      let bytes = TextTests.units(text, isBigEndian: true, hasMark: true)
      #expect(try recording(bytes).locations.count == 1)
    }
    let declared = #"<?xml version="1.0" encoding="UTF-16"?><gpx><wpt lat="1" lon="2"/></gpx>"#
    let bytes = TextTests.units(declared, isBigEndian: false, hasMark: true)
    #expect(try recording(bytes).locations.count == 1)
  }

  @Test func readsAFile() throws {
    let path = NSTemporaryDirectory() + "recording-\(UUID().uuidString).csv"
    try Data("lat,lon\n1,2\n".utf8).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(try Recording(contentsOf: path).locations.count == 1)
  }

  @Test(arguments: ["/nowhere/at.all", "/"])
  func reportsUnreadableFiles(_ path: String) {
    let error = #expect(throws: RecordingError.self) { try Recording(contentsOf: path) }
    #expect(error?.code == .unreadable)
  }

  /// A FIFO without a writer is empty; opening it does not wait.
  @Test func openingAFIFODoesNotWait() throws {
    let path = NSTemporaryDirectory() + "fifo-\(UUID().uuidString)"
    try #require(mkfifo(path, 0o600) == 0)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let error = #expect(throws: RecordingError.self) { try Recording(contentsOf: path) }
    #expect(error?.code == .unknownFormat)
  }

  @Test func theNumberOfEventsIsBounded() {
    let options = RecordingOptions(maximumEventCount: 2)
    let error = #expect(throws: RecordingError.self) {
      try Recording(Array("lat,lon\n1,2\n1,2\n1,2\n".utf8), options: options)
    }
    #expect(error?.code == .tooLarge)
  }

  @Test func readingAfterTheEndThrows() throws {
    var reader = RecordingReader()
    #expect(try reader.read(Array("lat,lon\n1,2".utf8)).isEmpty)
    #expect(try reader.finish().count == 1)
    do {
      _ = try reader.read([10])
      Issue.record("read after its end")
    } catch {
      #expect(error.code == .malformed)
    }
  }

  @Test func keepsTheFirstSkippedParts() throws {
    let rows = String(repeating: "x,y\n", count: 250)
    let skipped = try recording("lat,lon\n1,2\n" + rows).skipped
    #expect(skipped.count == 250)
    #expect(skipped.parts.count == SkippedContent.capacity)
  }

  /// Each content is cut at each byte, and each of its bytes is changed.
  @Test("F53 damaged recordings are read or refused", .longWork) func survivesDamage() throws {
    let contents = [
      GPXReaderTests.track(
        #"<trkpt lat="1" lon="2"><ele>3</ele><time>2026-05-04T12:00:00Z</time></trkpt>"#),
      String(decoding: sentences([NMEAReaderTests.gga("120000")]), as: UTF8.self),
      GPSDReaderTests.lines[1], GeoJSONReaderTests.line,
      "lat,lon,time\n\"1\",2,2026-05-04T12:00:00Z\n",
    ]
    for content in contents {
      let bytes = Array(content.utf8)
      for index in bytes.indices {
        _ = try? recording(Array(bytes[..<index]))
        for byte: UInt8 in [0, 9, 10, 13, 34, 36, 44, 60, 0x1E, 0x7F, 0xFF] {
          var changed = bytes
          changed[index] = byte
          _ = try? recording(changed)
        }
      }
    }
  }
}
