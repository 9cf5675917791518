import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import LocationRecording

/// Reads and writes KML, with the extensions of Google.
@Suite(.inTurn) struct KMLTests {
  static func document(_ content: String) -> String {
    #"<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2" "#
      + #"xmlns:gx="http://www.google.com/kml/ext/2.2"><Document><name>All</name>\#(content)</Document></kml>"#
  }

  static func track(_ whens: [String], _ coords: [String]) -> String {
    "<Placemark><name>Ride</name><gx:Track><altitudeMode>absolute</altitudeMode>"
      + whens.map { "<when>\($0)</when>" }.joined()
      + coords.map { "<gx:coord>\($0)</gx:coord>" }.joined() + "</gx:Track></Placemark>"
  }

  static let whens = ["2026-05-04T12:00:00Z", "2026-05-04T12:00:05.250Z", "2026-05-04T12:00:10Z"]

  @Test func readsATimedTrack() throws {
    let text = Self.document(Self.track(Self.whens, ["8.5 47.1 400", "", "8.7  47.3"]))
    let recording = try recording(text)
    #expect(recording.format == .kml)
    #expect(recording.name == "Ride")
    #expect(recording.pointKind == .track)
    #expect(recording.locations.map(\.coordinate.latitude) == [47.1, 47.3])
    #expect(recording.locations.map(\.altitude) == [400, nil])
    #expect(
      recording.locations.map(\.timestamp.timeIntervalSince1970) == [1_777_896_000, 1_777_896_010])
    #expect(recording.skipped.count == 0)
  }

  @Test func timesWithoutPositionsAreCounted() throws {
    let text = Self.document(Self.track(Self.whens, ["8.5 47.1 400", "8.7  47.3"]))
    let recording = try recording(text)
    #expect(recording.locations.count == 2)
    #expect(
      recording.skipped.parts.map(\.reason) == ["the track has more times than positions"])
  }

  /// Google's reference has both orders.
  @Test func timesMayAlternateWithPositions() throws {
    let pairs = zip(Self.whens, ["8.5 47.1 1", "8.6 47.2 2", "8.7 47.3 3"])
      .map { "<when>\($0)</when><gx:coord>\($1)</gx:coord>" }.joined()
    let text = Self.document("<Placemark><gx:Track>\(pairs)</gx:Track></Placemark>")
    let recording = try recording(text)
    #expect(recording.locations.map(\.altitude) == [1, 2, 3])
    #expect(
      recording.locations.map { $0.timestamp.timeIntervalSince1970 - 1_777_896_000 } == [
        0, 5.25, 10,
      ])
  }

  /// The coordinates of a day are far longer than the limit for other texts.
  @Test(arguments: [1, 7, 1_000, 1 << 20])
  func readsALongLine(_ length: Int) throws {
    let positions = (0..<2_000).map { "\t8.\($0.padded(to: 4)),47.5,\($0 % 3)\n" }.joined()
    let text = Self.document(
      "<Placemark><name>Way</name><LineString><coordinates>\(positions)</coordinates></LineString>"
        + "</Placemark><Placemark><LineString><coordinates>9,48 9.5,48</coordinates></LineString>"
        + "</Placemark>")
    var reader = RecordingReader()
    var locations: [Location] = []
    func collect(_ events: [TimedEvent]) {
      for case .location(let location) in events.map(\.event) { locations.append(location) }
    }
    for piece in Array(text.utf8).pieces(of: length) { collect(try reader.read(piece)) }
    collect(try reader.finish())
    #expect(locations.count == 2_002)
    #expect(
      locations.prefix(2_000).map(\.coordinate.longitude)
        == (0..<2_000).map { Double("8.\($0.padded(to: 4))")! })
    // Programs write 0 for an unknown altitude.
    #expect(locations.prefix(3).map(\.altitude) == [nil, 1, 2])
  }

  @Test func pointsAreWaypoints() throws {
    let text = Self.document(
      "<Folder><Placemark><name>Inn</name><description>Closed</description><Point>"
        + "<coordinates> 8.25,50.5,0 </coordinates></Point></Placemark>"
        + "<Placemark><name>Late</name><TimeStamp><when>2026-05-04T12:00:00Z</when></TimeStamp><Point>"
        + "<coordinates>8.5,50.5,120</coordinates></Point></Placemark></Folder>"
        + Self.track(Self.whens, ["8.5 47.1 1", "8.6 47.2 2", "8.7 47.3 3"]))
    let recording = try recording(text)
    #expect(recording.locations.count == 3)
    #expect(recording.waypoints.map(\.name) == ["Inn", "Late"])
    #expect(recording.waypoints.map(\.details) == ["Closed", nil])
    #expect(recording.waypoints.map(\.altitude) == [nil, 120])
    #expect(recording.waypoints[1].timestamp?.timeIntervalSince1970 == 1_777_896_000)
  }

  @Test func contentOtherThanTracksIsReported() throws {
    let ring =
      "<outerBoundaryIs><LinearRing><coordinates>1,1 2,1 2,2 1,1</coordinates></LinearRing>"
    let values =
      #"<gx:SimpleArrayData name="heartrate"><gx:value>141</gx:value></gx:SimpleArrayData>"#
    let text = Self.document(
      "<Placemark><Polygon>\(ring)</outerBoundaryIs></Polygon></Placemark>"
        + Self.track(Self.whens, ["8.5 47.1 1", "8.6 97 2", "8.7 47.3 3 4"])
        .replacing("</gx:Track>", with: "<ExtendedData>\(values)</ExtendedData></gx:Track>"))
    let recording = try recording(text)
    #expect(recording.locations.count == 1)
    #expect(recording.skipped.count == 3)
    #expect(recording.omitted.extensionNames == ["heartrate"])
  }

  @Test(arguments: ["relativeToGround", "relativeToSeaFloor"])
  func aHeightAboveGroundIsNoAltitude(_ mode: String) throws {
    let recording = try recording(
      Self.document(
        "<Placemark><LineString><altitudeMode>\(mode)</altitudeMode>"
          + "<coordinates>8.5,47.5,50</coordinates></LineString></Placemark>"))
    #expect(recording.locations.map(\.altitude) == [nil])
  }

  @Test(arguments: ["<x/>", String(repeating: " ", count: 5_000)])
  func aWrongPositionKeepsTheTimesOfOthers(_ rest: String) throws {
    let recording = try recording(
      Self.document(Self.track(Self.whens, ["8.5 47.1 1", "8.6 47.2 2" + rest, "8.7 47.3 3"])))
    #expect(recording.skipped.count == 1)
    #expect(
      recording.locations.map { $0.timestamp.timeIntervalSince1970 - 1_777_896_000 } == [0, 10])
  }

  @Test("F83 an altitude that cannot be read is counted") func aWrongAltitudeIsCounted() throws {
    let line = Self.line(["8.5,47,high", "8.6,47,NaN", "8.7,47,", "8.8,47,3", "8.9,47,3,4"])
    let found = try recording(Self.document(line + Self.track([Self.whens[0]], ["8.5 47.1 x"])))
    #expect(found.locations.map(\.altitude) == [nil, nil, nil, 3, nil])
    #expect(found.skipped.count == 3)
  }

  @Test func anInvalidTimeKeepsTheTimesOfOthers() throws {
    let whens = [Self.whens[0], "noon<x/>", Self.whens[2]]
    let recording = try recording(
      Self.document(Self.track(whens, ["8.5 47.1 1", "8.6 47.2 2", "8.7 47.3 3"])))
    #expect(recording.skipped.count == 1)
    #expect(
      recording.locations.last?.timestamp.timeIntervalSince1970 == 1_777_896_010)
  }

  @Test func theTimeOfAViewIsNotThatOfThePlace() throws {
    let recording = try recording(
      Self.document(
        "<Placemark><LookAt><gx:TimeStamp><when>2020-01-01</when></gx:TimeStamp></LookAt>"
          + "<Point><coordinates>8,47</coordinates></Point></Placemark>"))
    let waypoint = try #require(recording.waypoints.first)
    #expect(waypoint.timestamp == nil)
  }

  /// A segment is written as several tracks if it has waypoints, or altitudes at some points only.
  @Test func writtenTrackRoundTrips() throws {
    var track = Track(name: "A & B")
    for index in 0..<9 {
      let place = try location(
        1, Double(index), at: Double(index), altitude: index % 3 == 0 ? 5 : nil)
      track.append(TrackPoint(place, beginning: index % 4 == 0 ? .loss : nil))
    }
    var writer = RecordingWriter(format: .kml, name: track.name)
    var bytes: [UInt8] = []
    for (index, point) in track.points.enumerated() {
      bytes += writer.write(point)
      let place = try Waypoint(point.location.coordinate, timestamp: point.location.timestamp)
      if index == 2 { bytes += writer.write(place) }
    }
    let found = try Recording(bytes + writer.finish())
    let read = Track(found, options: .recordedGapsOnly)
    #expect(found.name == "A & B")
    #expect(found.omitted.isEmpty)
    #expect(found.skipped.isEmpty)
    #expect(read.segments.map { $0.locations.count } == [4, 4, 1])
    #expect(read.points.map(\.location.coordinate) == track.points.map(\.location.coordinate))
    #expect(read.points.map(\.location.altitude) == track.points.map(\.location.altitude))
    #expect(read.points.map(\.location.timestamp) == track.points.map(\.location.timestamp))
    #expect(read.waypoints.map(\.coordinate.longitude) == [2])
  }

  /// Another program's data with the same name is not the number of a segment.
  @Test func eachLineIsASegment() throws {
    let data = #"<ExtendedData><Data name="segment"><value>1</value></Data></ExtendedData>"#
    let line = Self.line(["1,2", "3,4"]).replacing("<LineString>", with: data + "<LineString>")
    let track = Track(try recording(Self.document(line + line)))
    #expect(track.segments.map { $0.locations.count } == [2, 2])
  }

  // MARK: One path in several geometries

  static func point(_ index: Int, _ position: String) -> String {
    "<Placemark><name>t-\(index)</name><TimeStamp><when>\(whens[index])</when></TimeStamp>"
      + "<Point><coordinates>\(position)</coordinates></Point></Placemark>"
  }

  static func line(_ positions: [String]) -> String {
    "<Placemark><name>Path</name><LineString><coordinates>\(positions.joined(separator: " "))"
      + "</coordinates></LineString></Placemark>"
  }

  static let positions = ["8.5,47.1,1", "8.6,47.2,2", "8.7,47.3,3"]

  /// GPSBabel writes a track as a `gx:Track`, as points with times and as a line.
  @Test("F83 a way is read once") func repeatedFormsOfATrackAreReadOnce() throws {
    let track = Self.track(Self.whens, Self.positions.map { $0.replacing(",", with: " ") })
    let points = Self.positions.indices.map { Self.point($0, Self.positions[$0]) }.joined()
    let found = try recording(Self.document(track + points + Self.line(Self.positions)))
    #expect(found.times == Self.whens.map(date))
    #expect(found.waypoints.isEmpty)
    #expect(found.skipped.isEmpty)
    #expect(found.omitted.linePointCount == 3)
    // There is another line beside the track.
    let other = try recording(Self.document(track + Self.line(["1,2", "3,4"]) + points))
    #expect(other.locations.count == 3)
    #expect(other.omitted.linePointCount == 2)
    #expect(other.waypoints.map(\.name) == ["t-0", "t-1", "t-2"])
  }

  @Test("F83 a line has the times of the points before it")
  func aLineHasTheTimesOfPoints() throws {
    let points = Self.positions.indices.map { Self.point($0, Self.positions[$0]) }
    let text = Self.document(points.joined() + Self.line(Self.positions))
    for length in [1, 100, 10_000] {
      var reader = RecordingReader(options: RecordingOptions(start: start))
      var (events, waypoints) = ([TimedEvent](), 0)
      for piece in Array(text.utf8).pieces(of: length) {
        events += try reader.read(piece)
        waypoints += reader.waypoints.count
      }
      events += try reader.finish()
      let whole = try recording(text)
      #expect(events == whole.events)
      #expect(waypoints == 0)
      #expect(reader.waypoints.isEmpty)
    }
    let found = try recording(text)
    #expect(found.times == Self.whens.map(date))
    #expect(found.pointKind == .track)
    #expect(found.locations.map(\.altitude) == [1, 2, 3])
    // Each line is a segment.
    let lines = Self.line(Array(Self.positions[..<1])) + Self.line(Array(Self.positions[1...]))
    let segments = Track(try recording(Self.document(points.joined() + lines)))
    #expect(segments.segments.map { $0.locations.count } == [1, 2])
    #expect(segments.points.map(\.location) == found.locations)
  }

  /// GPSBabel writes routes as lines after the tracks.
  @Test("F83 a line without times after a line with times is left out")
  func aRouteAfterATrack() throws {
    let points = Self.positions.indices.map { Self.point($0, Self.positions[$0]) }.joined()
    let lines = Self.line(Self.positions) + Self.line(["9,48", "9.5,48"])
    let found = try recording(Self.document(points + lines))
    #expect(found.times == Self.whens.map(date))
    #expect(found.omitted.linePointCount == 2)
  }

  /// Points are waypoints unless they are all positions of a line, in the order of the line.
  @Test(
    "F83 other points are waypoints, and their times are not those of a line",
    arguments: [
      [positions[0], positions[1], "8.75,47.3,3"], [positions[1], positions[0], positions[2]],
      positions + ["9,48,4"], [positions[0], positions[1], "8.7,47.3,4"],
      ["9,48"] + positions,
    ])
  func otherPointsAreWaypoints(_ positions: [String]) throws {
    let points = Self.positions.indices.map { Self.point($0, Self.positions[$0]) }.joined()
    let found = try recording(Self.document(points + Self.line(positions)))
    #expect(found.waypoints.map(\.name) == ["t-0", "t-1", "t-2"])
    #expect(found.waypoints.map(\.timestamp) == Self.whens.map(date))
    #expect(found.times == positions.map { _ in nil })
    #expect(
      found.locations.map(\.coordinate.longitude)
        == positions.compactMap { Double($0.prefix { $0 != "," }) })
  }

  @Test func waypointsKeepTheirOrder() throws {
    let place = "<Placemark><name>x</name><Point><coordinates>1,2</coordinates></Point></Placemark>"
    let (first, second) = (Self.point(0, Self.positions[0]), Self.point(1, Self.positions[1]))
    let found = try recording(Self.document(first + place + second))
    #expect(found.waypoints.map(\.name) == ["t-0", "x", "t-1"])
    #expect(found.pointKind == .waypoint)
    #expect(found.locations.count == 3)
  }
}
