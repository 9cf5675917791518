import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import LocationRecording

/// Recordings whose content before a cut or damage is kept.
@Suite(.inTurn) struct PartialRecordingTests {
  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let bytes: [UInt8]
    /// The latitudes of the locations that are read.
    let latitudes: [Double]
    var waypoints = 0
    /// The line of the damage.
    let line: Int?
    /// A part of the error's message.
    var word = "cut"

    init(
      _ testDescription: String, _ text: String, _ latitudes: [Double], waypoints: Int = 0,
      line: Int?, _ word: String = "cut"
    ) {
      self.init(
        testDescription, bytes: Array(text.utf8), latitudes, waypoints: waypoints, line: line, word)
    }

    init(
      _ testDescription: String, bytes: [UInt8], _ latitudes: [Double], waypoints: Int = 0,
      line: Int?, _ word: String = "cut"
    ) {
      (self.testDescription, self.bytes, self.latitudes) = (testDescription, bytes, latitudes)
      (self.waypoints, self.line, self.word) = (waypoints, line, word)
    }
  }

  /// A waypoint and two points of a track, without the end tags.
  private static let points = """
    <gpx><wpt lat="50" lon="9"/><trk><trkseg>
    <trkpt lat="1" lon="2"><ele>3</ele></trkpt>
    <trkpt lat="2" lon="2"/>

    """

  /// A line with positions, without the closing brackets.
  private static func lines(_ positions: String) -> String {
    "{\"type\":\"LineString\",\n\"coordinates\":[\(positions)"
  }

  private static let feature =
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[2,1]},"properties":{}}"#

  /// A FIT file of two records.
  private static let fit: [UInt8] = {
    var file = FITTests.File()
    file.define(1, 20, FITTests.fields)
    file.add(1, FITTests.record(0, 45))
    file.add(1, FITTests.record(1, 90))
    return file.bytes
  }()

  static func timedPoints(_ count: Int) -> String {
    (1...count).map { number in
      "<Placemark><TimeStamp><when>2026-05-04T12:00:0\(number)Z</when></TimeStamp><Point>"
        + "<coordinates>2,\(number)</coordinates></Point></Placemark>\n"
    }.joined()
  }

  static let scenarios = [
    Scenario("GPX cut in a point", points + "<trkpt lat=\"3\" lo", [1, 2], waypoints: 1, line: 4),
    Scenario("GPX cut after a point", points, [1, 2], waypoints: 1, line: 4, "well-formed"),
    Scenario(
      "GPX cut in the text of a point", points + "<trkpt lat=\"3\" lon=\"4\"><ele>12", [1, 2],
      waypoints: 1, line: 4, "well-formed"),
    Scenario(
      "GPX damaged", points + "<trkpt lat=\"3\" <<</trkseg></trk></gpx>", [1, 2], waypoints: 1,
      line: 4, "well-formed"),
    Scenario(
      "GPX with waypoints alone", "<gpx>\n<wpt lat=\"5\" lon=\"9\"/>\n", [5], waypoints: 1,
      line: 3, "well-formed"),
    Scenario(
      "KML cut in a list", "<kml><LineString><coordinates>2,1,5\n2,2 \n2,3.5", [1, 2], line: 3,
      "well-formed"),
    Scenario(
      "KML cut in a track",
      "<kml><Track><when>2026-05-04T12:00:00Z</when><coord>2 1 5</coord>\n<coord>2 2", [1],
      line: 2, "well-formed"),
    Scenario(
      "KML cut behind points with times", "<kml>\n" + timedPoints(2) + "<Placemark>", [1, 2],
      waypoints: 2, line: 4, "well-formed"),
    // The third point has not been matched with a position of the line yet, so it is a waypoint.
    Scenario(
      "KML cut in the line of points with times",
      "<kml>\n" + timedPoints(3) + "<Placemark><LineString><coordinates>2,1 2,2 2,", [1, 2],
      waypoints: 1, line: 5, "well-formed"),
    Scenario(
      "TCX cut",
      String(
        TCXTests.activity(TCXTests.lap([TCXTests.point(1) + TCXTests.point(2)])).dropLast(150)),
      [47.001], line: 1),
    Scenario("GeoJSON without its brackets", lines("[2,1],[2,2]"), [1, 2], line: 2),
    Scenario("GeoJSON cut in a position", lines("[2,1],[2,2],[2,3"), [1, 2], line: 2),
    Scenario("GeoJSON cut after a number", lines("[2,1],[2,2],[2,3,"), [1, 2], line: 2),
    Scenario(
      "GeoJSON damaged in a number", lines("[2,1],[2,2],[2,3x],[2,4]]}"), [1, 2], line: 2,
      "not valid JSON"),
    Scenario(
      "GeoJSON with its times cut",
      "{\"type\":\"Feature\",\"geometry\":\(lines("[2,1],[2,2]]}")),\"properties\":{\"times\":[\"2026-05",
      [1, 2], line: 2),
    Scenario(
      "lines of GeoJSON",
      "{\"type\":\"MultiLineString\",\"coordinates\":[[[2,1],[2,2]],\n[[2,3],[2,4],[2",
      [1, 2, 3, 4],
      line: 2),
    Scenario(
      "a collection cut in a line",
      "{\"type\":\"FeatureCollection\",\"features\":[\(feature),\n{\"type\":\"Feature\",\"geometry\":"
        + lines("[2,2],[2,3],"), [1, 2, 3], line: 3),
    Scenario(
      "a collection cut in a point",
      "{\"type\":\"FeatureCollection\",\"features\":[\(feature),\n" + feature.dropLast(5), [1],
      line: 2),
    Scenario(
      "a point that may lack its position",
      "{\"type\":\"FeatureCollection\",\"features\":[\(feature),\n"
        + #"{"type":"Feature","geometry":{"type":"Point","coordinates":[2"#, [1], line: 2),
    Scenario(
      "records of Google cut",
      "{\"locations\":[{\"latitudeE7\":10000000,\"longitudeE7\":1},\n{\"latitudeE7\":2,\"longitudeE7\":1",
      [1], line: 2),
    Scenario(
      "a path of Google cut",
      "[{\"startTime\":\"2026-05-04T12:00:00Z\",\n\"timelinePath\":[{\"point\":\"geo:1,2\","
        + "\"durationMinutesOffsetFromStartTime\":\"1\"},{\"point\":\"geo:2,2\"", [1], line: 2),
    Scenario(
      "an activity of Google damaged",
      """
      {"timelineObjects":[{"activitySegment":{"startLocation":{"latitudeE7":10000000,
      "longitudeE7":1},"duration":{"startTimestamp":"2026-05-04T12:00:00Z"},
      "endLocation":{"latitudeE7":20000000,,
      """, [1], line: 3, "not valid JSON"),
    Scenario("FIT without its checksum", bytes: Array(fit.dropLast(2)), [45, 90], line: 3),
    Scenario("FIT cut in a message", bytes: Array(fit.dropLast(9)), [45], line: 2),
  ]

  private static let options = RecordingOptions(start: start, keepsReadablePart: true)

  @Test(arguments: scenarios) func keepsContentBeforeTheDamage(_ scenario: Scenario) throws {
    let recording = try Recording(scenario.bytes, options: Self.options)
    #expect(recording.locations.map { ($0.latitude * 1e6).rounded() / 1e6 } == scenario.latitudes)
    #expect(recording.waypoints.count == scenario.waypoints)
    #expect(recording.skipped.isEmpty)
    let failure = try #require(recording.failure)
    #expect(failure.line == scenario.line)
    #expect(failure.message.contains(scenario.word), "\(failure)")
    // Without the option, the failure is thrown.
    let error = #expect(throws: RecordingError.self) {
      try Recording(scenario.bytes, options: RecordingOptions(start: start))
    }
    #expect(error == failure)
  }

  @Test(arguments: scenarios) func piecesAreReadLikeTheWholeRecording(_ scenario: Scenario) throws {
    let whole = try Recording(scenario.bytes, options: Self.options)
    for length in [1, 3, 40] {
      var reader = RecordingReader(options: Self.options)
      var events: [TimedEvent] = []
      for piece in scenario.bytes.pieces(of: length) { events += try reader.read(piece) }
      events += try reader.finish()
      #expect(events == whole.events)
      #expect(reader.failure == whole.failure)
    }
  }

  /// Text after the damage is not read, in whichever calls it is supplied.
  @Test func nothingIsReadAfterTheDamage() throws {
    var reader = RecordingReader(options: Self.options)
    let damaged = Self.lines("[2,1],[2,2],[2,3x]")
    #expect(try reader.read(Array(damaged.utf8)).count == 2)
    #expect(reader.failure?.line == 2)
    #expect(try reader.read(Array(",[2,5]]}\n\(Self.feature)".utf8)).isEmpty)
    #expect(try reader.nextEvents() == nil)
    #expect(try reader.finish().isEmpty)
    do {
      _ = try reader.read([10])
      Issue.record("read after its end")
    } catch {
      #expect(error.code == .malformed)
      #expect(error != reader.failure)
    }
  }

  /// A long line that is cut is delivered in parts, as a complete line is.
  @Test(.longWork) func aLongCutLineIsDeliveredInParts() throws {
    let count = 3 * RecordingOutput.batchCount / 2
    let positions = (0..<count).map { "[\($0 % 180),1]" }.joined(separator: ",")
    var reader = RecordingReader(options: Self.options)
    reader.supply(Array((Self.lines(positions) + ",x").utf8))
    var counts: [Int] = []
    while let events = try reader.nextEvents() { counts.append(events.count) }
    #expect(counts.reduce(0, +) == count)
    #expect(counts.count > 1)
    #expect(counts.allSatisfy { $0 <= RecordingOutput.batchCount + 1 })
    #expect(try reader.finish().isEmpty)
  }

  @Test(arguments: [
    ("", RecordingError.Code.unknownFormat), ("hello", .unknownFormat),
    ("<gpx>\n<trk>", .malformed),
    ("<!DOCTYPE gpx [<!ENTITY a \"b\">]><gpx/>", .refused),
    ("{\"type\":\"LineString\"", .malformed),
    ("{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\"", .malformed),
    ("{\"locations\":[{\"latitudeE7\":1", .malformed),
    ("title\nother\nanother\nlast\n", .unknownFormat),
  ])
  func anUnreadableRecordingIsAnError(_ text: String, _ code: RecordingError.Code) {
    let error = #expect(throws: RecordingError.self) {
      try Recording(Array(text.utf8), options: Self.options)
    }
    #expect(error?.code == code)
    let errorWithoutOption = #expect(throws: RecordingError.self) { try recording(text) }
    #expect(error == errorWithoutOption)
    let readerError = #expect(throws: RecordingError.self) {
      var reader = RecordingReader(options: Self.options)
      _ = try reader.read(Array(text.utf8))
      _ = try reader.finish()
    }
    #expect(readerError == errorWithoutOption)
  }

  /// Some errors are not damage: a track after too many other points were delivered, and too many
  /// events.
  @Test(.longWork) func otherErrorsAreThrown() {
    let waypoints = String(
      repeating: "<wpt lat=\"1\" lon=\"2\"/>", count: PointSelection.capacity + 1)
    let error = #expect(throws: RecordingError.self) {
      try Recording(
        Array("<gpx>\(waypoints)<trk><trkseg><trkpt lat=\"1\" lon=\"2\"/></trkseg></trk>".utf8),
        options: Self.options)
    }
    #expect(error?.code == .tooLarge)
    var options = Self.options
    options.maximumEventCount = 1
    let another = #expect(throws: RecordingError.self) {
      try Recording(Array(Self.points.utf8), options: options)
    }
    #expect(another?.code == .tooLarge)
  }

  @Test("intact content is read the same", .longWork, arguments: LongRecordingTests.formats)
  func intactContentIsReadTheSame(_ format: LongRecordingTests.Format) throws {
    let bytes = format.content(100)
    let kept = try Recording(bytes, options: Self.options)
    #expect(try kept == Recording(bytes, options: RecordingOptions(start: start)))
    #expect(kept.failure == nil)
    #expect(kept.locations.count == 100)
  }

  @Test func unreadableFileIsAnError() {
    let error = #expect(throws: RecordingError.self) {
      try Recording(contentsOf: "/", options: Self.options)
    }
    #expect(error?.code == .unreadable)
  }
}
