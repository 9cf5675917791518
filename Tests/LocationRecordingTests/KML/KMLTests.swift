import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import LocationRecording

/// Google's KML.
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
    #expect(recording.format == .kml && recording.name == "Ride" && recording.pointKind == .track)
    #expect(recording.locations.map(\.coordinate.latitude) == [47.1, 47.3])
    #expect(recording.locations.map(\.altitude) == [400, nil])
    #expect(
      recording.locations.map(\.timestamp.timeIntervalSince1970) == [1_777_896_000, 1_777_896_010])
    #expect(recording.skipped.count == 0)
  }

  /// Google's own reference has both orders.
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

  /// As long as a day's: far longer than other texts may be.
  @Test(arguments: [1, 7, 1_000, 1 << 20])
  func readsALongLine(_ piece: Int) throws {
    let positions = (0..<2_000).map { "\t8.\($0.padded(to: 4)),47.5,\($0 % 3)\n" }.joined()
    let text = Self.document(
      "<Placemark><name>Way</name><LineString><coordinates>\(positions)</coordinates></LineString>"
        + "</Placemark><Placemark><LineString><coordinates>9,48 9.5,48</coordinates></LineString>"
        + "</Placemark>")
    var reader = RecordingReader()
    var locations: [Location] = []
    var rest = Array(text.utf8)[...]
    func take(_ events: [TimedEvent]) {
      for case .location(let location) in events.map(\.event) { locations.append(location) }
    }
    while !rest.isEmpty {
      take(try reader.read(Array(rest.prefix(piece))))
      rest = rest.dropFirst(piece)
    }
    take(try reader.finish())
    #expect(locations.count == 2_002)
    #expect(
      locations.prefix(2_000).map(\.coordinate.longitude)
        == (0..<2_000).map { Double("8.\($0.padded(to: 4))")! })
    // 0 is written for an altitude that is not known.
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

  @Test func whatIsNoTrackIsSaid() throws {
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

  @Test func aWrongTimeKeepsThoseOfOthers() throws {
    let whens = [Self.whens[0], "noon<x/>", Self.whens[2]]
    let recording = try recording(
      Self.document(Self.track(whens, ["8.5 47.1 1", "8.6 47.2 2", "8.7 47.3 3"])))
    #expect(recording.skipped.count == 1)
    #expect(
      recording.locations.last?.timestamp.timeIntervalSince1970 == 1_777_896_010)
  }

  @Test func theTimeOfAViewIsNotThePlaces() throws {
    let recording = try recording(
      Self.document(
        "<Placemark><LookAt><gx:TimeStamp><when>2020-01-01</when></gx:TimeStamp></LookAt>"
          + "<Point><coordinates>8,47</coordinates></Point></Placemark>"))
    let waypoint = try #require(recording.waypoints.first)
    #expect(waypoint.timestamp == nil)
  }
}
