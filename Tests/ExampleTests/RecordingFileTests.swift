import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import async_location_example

/// The built tool replays a file of each format, or reports its faults.
@Suite(.inTurn) struct RecordingFileTests {
  struct File: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let content: String
  }

  static let files = [
    File(
      testDescription: "GPX",
      content: #"<gpx><trk><trkseg><trkpt lat="1.5" lon="2"/></trkseg></trk></gpx>"#),
    File(
      testDescription: "NMEA 0183",
      content: "$GPGGA,120000,0130.0,N,00200.0,E,1,08,1.0,1.0,M,1.0,M,,*78\n"),
    File(
      testDescription: "gpsd",
      content: #"{"class":"TPV","mode":3,"time":"2026-05-04T12:00:00Z","lat":1.5,"lon":2}"#),
    File(
      testDescription: "GeoJSON", content: #"{"type":"Point","coordinates":[2,1.5]}"#),
    File(testDescription: "CSV", content: "lat,lon\n1.5,2\n"),
    File(
      testDescription: "locations",
      content: #"{"timestamp":"2026-05-04T12:00:00.000Z","latitude":1.5,"longitude":2}"#),
  ]

  private func run(_ command: String, _ content: String) async throws -> ChildProcess.Ended {
    let path = NSTemporaryDirectory() + "recording-\(UUID().uuidString)"
    try Data(content.utf8).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await ChildProcess("\(command) --backend replay --file \(path)").end()
  }

  @Test(arguments: files)
  func eachFormatIsReplayed(_ file: File) async throws {
    let ended = try await run("watch --format json", file.content)
    #expect(ended.status == 0, "\(ended.errors)")
    let lines = ended.output.split(separator: "\n")
    let location = try JSONDecoder().decode(
      Location.self, from: Data(try #require(lines.first).utf8))
    #expect(location.latitude == 1.5)
    #expect(location.sourceInformation?.isSimulated == true)
  }

  @Test("F83 parts that are not replayed are reported") func onlyTheTrackIsReplayed() async throws {
    let ended = try await run(
      "watch --format json",
      """
      <gpx><wpt lat="9" lon="2"/><rte><rtept lat="8" lon="2"/></rte><trk><trkpt lat="1.5" lon="2"/></trk></gpx>
      """)
    #expect(ended.status == 0, "\(ended.errors)")
    #expect(ended.output.split(separator: "\n").count == 1)
    #expect(ended.output.contains("1.5"))
    #expect(
      ended.errors.contains(
        ": 1 location had no usable date: the times are made up; 1 point of routes left out; its "
          + "track is read; 1 waypoint left out: they are no part of"
      )
    )
  }

  @Test(arguments: [
    ("", "the recording is empty"), ("hello\n", "line 1"), ("<gpx>\n<trk>", "line 2"),
    ("lat,lon\n1,x\n", "line 2"), ("<gpx/>", "no locations"),
  ])
  func refuses(_ content: String, _ message: String) async throws {
    let ended = try await run("once", content)
    #expect(ended.status == 2)
    #expect(ended.output.isEmpty)
    #expect(ended.errors.contains(message), "\(ended.errors)")
  }

  @Test func countsSkippedParts() async throws {
    let ended = try await run("once", "lat,lon\n1,2\nx,2\n3\n")
    #expect(ended.status == 0)
    #expect(ended.errors.contains("2 parts were skipped; the first: line 3"))
  }
}
