import AsyncLocation
import TestSupport
import Testing

@testable import LocationRecording

/// Recordings of many points, read piece by piece.
@Suite(.inTurn) struct LongRecordingTests {
  struct Format: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Returns a recording with a number of points.
    let content: @Sendable (Int) -> [UInt8]

    init(testDescription: String, content: @escaping @Sendable (Int) -> [UInt8]) {
      (self.testDescription, self.content) = (testDescription, content)
    }

    init(
      testDescription: String, head: String, point: @escaping @Sendable (Int) -> String,
      tail: String = ""
    ) {
      self.init(testDescription: testDescription) { count in
        var bytes = Array(head.utf8)
        for number in 0..<count { bytes += point(number).utf8 }
        return bytes + tail.utf8
      }
    }
  }

  private static let kml = Format(
    testDescription: "KML", head: "<kml><LineString><coordinates>", point: { "1,\($0 % 90),1\n" },
    tail: "</coordinates></LineString></kml>")

  static let formats = [
    Format(
      testDescription: "GPX", head: "<gpx><trk><trkseg>",
      point: { "<trkpt lat=\"\($0 % 90)\" lon=\"1\"><ele>1</ele></trkpt>" },
      tail: "</trkseg></trk></gpx>"),
    Format(
      testDescription: "NMEA 0183", head: "",
      point: { number in
        let time = 100_000 + number / 60 % 60 * 100 + number % 60
        return String(
          decoding: sentences([NMEAReaderTests.rmc("\(time)", "040526")]), as: UTF8.self)
      }),
    Format(
      testDescription: "gpsd", head: "",
      point: {
        "{\"class\":\"TPV\",\"mode\":2,\"lat\":\($0 % 90),\"lon\":1}\n"
      }),
    Format(testDescription: "CSV", head: "lat,lon\n", point: { "\($0 % 90),1\n" }),
    kml,
    Format(
      testDescription: "TCX", head: "<TrainingCenterDatabase><Track>",
      point: {
        "<Trackpoint><Position><LatitudeDegrees>\($0 % 90)</LatitudeDegrees>"
          + "<LongitudeDegrees>1</LongitudeDegrees></Position></Trackpoint>"
      }, tail: "</Track></TrainingCenterDatabase>"),
    Format(
      testDescription: "IGC", head: "AXXX\nHFDTE040526\n",
      point: {
        let second = $0 % 86_400
        let time = second / 3_600 * 10_000 + second / 60 % 60 * 100 + second % 60
        return "B\(time.padded(to: 6))5206343N00006198WA0058700558\n"
      }),
    Format(
      testDescription: "OwnTracks", head: "",
      point: {
        "{\"_type\":\"location\",\"lat\":\($0 % 90),\"lon\":1,\"tst\":\(1_777_896_000 + $0)}\n"
      }),
    Format(
      testDescription: "Google's location history", head: "{\"locations\":[{}",
      point: { ",{\"latitudeE7\":\($0 % 90),\"longitudeE7\":1,\"accuracy\":9}" }, tail: "]}"),
    Format(
      testDescription: "Google's paths", head: "[{\"visit\":1}",
      point: { ",{\"timelinePath\":[{\"point\":\"\($0 % 90)°, 1°\"}]}" }, tail: "]"),
    Format(
      testDescription: "GeoJSON", head: "",
      point: { "{\"type\":\"Point\",\"coordinates\":[1,\($0 % 90)]}\n" }),
    Format(
      testDescription: "FIT",
      content: { count in
        var file = FITTests.File()
        file.define(1, 20, Array(FITTests.fields.prefix(3)))
        for number in 0..<count { file.add(1, FITTests.record(number, Double(number % 90), [])) }
        return file.bytes
      }),
    Format(
      testDescription: "location JSON", head: "",
      point: {
        "{\"timestamp\":\"2026-05-04T12:00:00Z\",\"latitude\":\($0 % 90),\"longitude\":1}\n"
      }),
    Format(testDescription: "gzip", content: { StoredContent.gzip(kml.content($0)) }),
    Format(
      testDescription: "KMZ",
      content: { StoredContent.archive(kml.content($0), named: "doc.kml") }),
  ]

  @Test("F53 many points are read piece by piece", arguments: formats)
  func reads(_ format: Format) async throws {
    let count = 8_000
    let found = try await withTaskExecutorPreference(LongWork.shared) {
      var reader = RecordingReader()
      var (found, rest) = (0, format.content(count)[...])
      while !rest.isEmpty {
        let events = try reader.read(Array(rest.prefix(4096)))
        rest = rest.dropFirst(4096)
        // A reader that held back locations would return many of them at once.
        #expect(events.count < 5000)
        found += events.count
      }
      return found + (try reader.finish().count)
    }
    #expect(found == count)
  }
}
