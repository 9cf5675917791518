import AsyncLocation
import TestSupport
import Testing

@testable import LocationRecording

/// Recordings of many points, piece by piece.
@Suite(.inTurn) struct LongRecordingTests {
  struct Format: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let head: String
    let point: @Sendable (Int) -> String
    var tail = ""
  }

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
    Format(
      testDescription: "KML", head: "<kml><LineString><coordinates>", point: { "1,\($0 % 90),1\n" },
      tail: "</coordinates></LineString></kml>"),
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
      testDescription: "GeoJSON", head: "",
      point: { "{\"type\":\"Point\",\"coordinates\":[1,\($0 % 90)]}\n" }),
  ]

  @Test("F53 many points are read piece by piece", arguments: formats)
  func reads(_ format: Format) async throws {
    let count = 20_000
    let found = try await withTaskExecutorPreference(LongWork.shared) {
      var reader = RecordingReader()
      var found = try reader.read(Array(format.head.utf8)).count
      for first in stride(from: 0, to: count, by: 100) {
        let points = (first..<first + 100).map(format.point).joined()
        let events = try reader.read(Array(points.utf8))
        // What is held back does not grow.
        #expect(events.count < 5000)
        found += events.count
      }
      found += try reader.read(Array(format.tail.utf8)).count
      return found + (try reader.finish().count)
    }
    #expect(found == count)
  }
}
