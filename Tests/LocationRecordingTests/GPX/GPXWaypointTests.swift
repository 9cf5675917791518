import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import LocationRecording

/// Tracks, routes and waypoints in one file.
@Suite(.inTurn) struct GPXWaypointTests {
  private static let waypoint = """
    <wpt lat="50" lon="8"><ele>99.5</ele><time>2026-05-04T11:00:00Z</time><name>Inn &amp; pub</name>\
    <cmt>closed</cmt><desc>An &lt;old&gt; one</desc><sym>Lodging</sym><type>food</type></wpt>
    """
  private static let route = """
    <rte><name>Plan</name><rtept lat="48" lon="9"/><rtept lat="49" lon="9"><name>via</name></rtept></rte>
    """
  /// A track of 222 m.
  private static let track = """
    <trk><name>Walk</name><trkseg><trkpt lat="47" lon="9"><time>2026-05-04T12:00:00Z</time></trkpt>\
    <trkpt lat="47.001" lon="9"><time>2026-05-04T12:01:00Z</time></trkpt>\
    <trkpt lat="47.002" lon="9"><time>2026-05-04T12:02:00Z</time></trkpt></trkseg></trk>
    """

  struct Scenario: CustomTestStringConvertible, Sendable {
    var testDescription: String { parts.joined(separator: ", ") }
    let parts: [String]
    let kind: RecordedPointKind?
    let latitudes: [Double]
    let name: String?
    /// The number of omitted route points.
    let omitted: Int

    init(
      _ parts: [String], _ kind: RecordedPointKind?, _ latitudes: [Double], _ name: String?,
      omitted: Int = 0
    ) {
      (self.parts, self.kind, self.latitudes) = (parts, kind, latitudes)
      (self.name, self.omitted) = (name, omitted)
    }

    var text: String {
      let texts = ["wpt": waypoint, "rte": route, "trk": track]
      return GPXReaderTests.gpx(parts.compactMap { texts[$0] }.joined())
    }
  }

  private static let walk = [47, 47.001, 47.002]

  static let scenarios = [
    Scenario(["wpt", "rte", "trk"], .track, walk, "Walk", omitted: 2),
    Scenario(["trk", "rte", "wpt"], .track, walk, "Walk", omitted: 2),
    Scenario(["rte", "trk", "wpt", "rte"], .track, walk, "Walk", omitted: 4),
    Scenario(["wpt", "trk"], .track, walk, "Walk"), Scenario(["trk"], .track, walk, "Walk"),
    Scenario(["trk", "wpt", "trk"], .track, walk + walk, "Walk"),
    Scenario(["wpt", "rte"], .route, [48, 49], "Plan"),
    Scenario(["rte", "wpt", "rte"], .route, [48, 49, 48, 49], "Plan"),
    Scenario(["wpt", "wpt"], .waypoint, [50, 50], nil), Scenario([], nil, [], nil),
  ]

  @Test("F83 the track of a file has the points of one kind", arguments: scenarios)
  func reads(_ scenario: Scenario) throws {
    let recording = try recording(scenario.text)
    #expect(recording.locations.map(\.latitude) == scenario.latitudes)
    #expect(recording.pointKind == scenario.kind)
    #expect(recording.name == scenario.name)
    #expect(recording.omitted.routePointCount == scenario.omitted)
    // The points of a route have names, which are counted as omitted.
    #expect(recording.omitted.isEmpty == (scenario.omitted == 0 && scenario.kind != .route))
    #expect(recording.waypoints.count == scenario.parts.count { $0 == "wpt" })
    #expect(recording.skipped.isEmpty)
    #expect(recording.events.first.map(\.offset) ?? .zero == .zero)
    let track = Track(recording, options: TrackOptions(maximumInterval: .seconds(1 << 40)))
    let count = scenario.parts.count { $0 == "trk" }
    if scenario.kind == .track { #expect(track.segments.count == count) }
    if count == 1 { #expect(abs(track.length - 222.4) < 0.1) }
    #expect(track.waypoints == recording.waypoints)
  }

  /// Pieces of any length give the same result.
  @Test(.longWork, arguments: scenarios)
  func readsPieces(_ scenario: Scenario) throws {
    let whole = try recording(scenario.text)
    let bytes = Array(scenario.text.utf8)
    for length in [1, 50, 333] {
      var reader = RecordingReader(options: RecordingOptions(start: start))
      var (events, waypoints) = ([TimedEvent](), [Waypoint]())
      for piece in bytes.pieces(of: length) {
        events += try reader.read(piece)
        waypoints += reader.waypoints
      }
      events += try reader.finish()
      waypoints += reader.waypoints
      #expect(events == whole.events)
      #expect(waypoints == whole.waypoints)
      #expect(reader.pointKind == whole.pointKind)
      #expect(reader.omitted == whole.omitted)
    }
  }

  @Test func aWaypointHasItsTexts() throws {
    let found = try recording(GPXReaderTests.gpx(Self.waypoint + Self.track)).waypoints
    let expected = try Waypoint(
      Coordinate(latitude: 50, longitude: 8), name: "Inn & pub", comment: "closed",
      details: "An <old> one", symbol: "Lodging", type: "food",
      timestamp: date("2026-05-04T11:00:00Z"), altitude: 99.5)
    #expect(found == [expected])
  }

  @Test("F83 links are counted") func linksAreCounted() throws {
    let links = "<link href=\"https://a\"><text>a</text></link><url>b</url>"
    let found = try recording(
      GPXReaderTests.gpx(
        Self.waypoint.replacing("<sym>", with: links + "<sym>")
          + Self.track.replacing(
            "</time></trkpt></trkseg>", with: "</time>\(links)</trkpt></trkseg>")))
    #expect(found.omitted.extensionCount == 4)
    #expect(found.omitted.extensionNames == ["link", "url"])
    #expect(found.waypoints.count == 1)
    #expect(found.locations.count == 3)
    #expect(found.skipped.isEmpty)
  }

  @Test func outOfRangeAltitudesAreDiscarded() throws {
    let found = try recording(#"<gpx><wpt lat="1" lon="2"><ele>1e300</ele></wpt></gpx>"#).waypoints
    #expect(found == [try Waypoint(Coordinate(latitude: 1, longitude: 2))])
    #expect(throws: LocationError.self) {
      try Waypoint(Coordinate(latitude: 1, longitude: 2), altitude: .nan)
    }
  }

  /// The points of the route are already delivered as locations, so the track cannot replace them.
  @Test("F83 a track after too many other points is refused", .longWork)
  func aLateTrackIsRefused() throws {
    var reader = RecordingReader()
    _ = try reader.read(Array("<gpx><rte>".utf8))
    let points = Array(String(repeating: "<rtept lat='1' lon='2'/>", count: 1000).utf8)
    var count = 0
    for _ in 0...66 {
      let events = try reader.read(points)
      #expect(count > 0 || events.isEmpty || events.count > PointSelection.capacity)
      count += events.count
    }
    #expect(count == 67_000)
    do {
      _ = try reader.read(Array(("</rte>\n" + Self.track).utf8))
      Issue.record("the track is read")
    } catch {
      #expect(error.code == .tooLarge)
      #expect(error.line == 2)
    }
  }

  // MARK: Round trips

  @Test(
    "F83 waypoints are written and read again",
    arguments: RecordingWriter.Format.allCases.filter(\.holdsWaypoints))
  func readsBack(_ format: RecordingWriter.Format) throws {
    #expect(format.holdsWaypoints)
    var track = Track(try recording(GPXReaderTests.gpx(Self.waypoint + Self.track)))
    let bare = try Waypoint(Coordinate(latitude: 1.25, longitude: -2))
    let hostile = try Waypoint(
      Coordinate(latitude: 1, longitude: 2), name: #"a "b" </name>\u{202E}"#, details: "c\nd")
    track.waypoints += [bare, hostile]
    let found = try Recording(track.encoded(as: format))
    #expect(found.skipped.isEmpty)
    #expect(found.waypoints == track.waypoints)
    #expect(found.pointKind == .track)
    #expect(found.locations.map(\.coordinate) == track.points.map(\.location.coordinate))
    // Waypoints without a track are locations too.
    let alone = try Recording(Track(waypoints: track.waypoints).encoded(as: format))
    #expect(alone.waypoints == track.waypoints)
    #expect(alone.locations.map(\.coordinate) == track.waypoints.map(\.coordinate))
  }

  @Test(arguments: RecordingWriter.Format.allCases)
  func omittedWaypointsAreCounted(_ format: RecordingWriter.Format) throws {
    let track = Track(try recording(GPXReaderTests.gpx(Self.waypoint + Self.track)))
    let waypoint = try #require(track.waypoints.first)
    var writer = RecordingWriter(format: format)
    _ = writer.write(waypoint)
    #expect(writer.omittedWaypointCount == (format.holdsWaypoints ? 0 : 1))
    for point in track.points { _ = writer.write(point) }
    // In GPX, waypoints precede the track.
    let isWritten = !writer.write(waypoint).isEmpty
    #expect(isWritten == (format.holdsWaypoints && format != .gpx))
    let expected = format.holdsWaypoints ? (format == .gpx ? 1 : 0) : 2
    #expect(writer.omittedWaypointCount == expected)
  }

  @Test func dividedTracksKeepEachWaypointOnce() throws {
    let track = Track(
      try recording(GPXReaderTests.gpx(Self.waypoint + Self.track)), options: .recordedGapsOnly)
    for parts in [
      track.split(), try track.split(every: .seconds(60)), try track.split(everyMetres: 90),
    ] {
      #expect(parts.flatMap(\.waypoints) == track.waypoints)
      #expect(Track.merged(parts, name: "Walk") == track)
    }
    let end = date("2026-05-04T12:01:00Z")
    #expect(track.clipped(to: .distantPast..<end).waypoints == track.waypoints)
    #expect(try track.simplified(tolerance: 5).waypoints == track.waypoints)
  }
}
