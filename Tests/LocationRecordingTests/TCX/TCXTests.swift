import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import LocationRecording

/// Garmin's Training Center XML.
@Suite(.inTurn) struct TCXTests {
  static func document(_ content: String) -> String {
    #"<?xml version="1.0" encoding="UTF-8"?><TrainingCenterDatabase xmlns=""#
      + #"http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2">\#(content)</TrainingCenterDatabase>"#
  }

  static func activity(_ laps: String) -> String {
    document(
      #"<Activities><Activity Sport="Biking"><Id>2026-05-04T12:00:00Z</Id>\#(laps)</Activity></Activities>"#
    )
  }

  static func lap(_ tracks: [String]) -> String {
    #"<Lap StartTime="2026-05-04T12:00:00Z"><TotalTimeSeconds>9</TotalTimeSeconds>"#
      + tracks.map { "<Track>\($0)</Track>" }.joined() + "</Lap>"
  }

  static func point(_ second: Int, _ more: String = "") -> String {
    "<Trackpoint><Time>2026-05-04T12:00:\(second.padded(to: 2)).500Z</Time><Position>"
      + "<LatitudeDegrees>47.\(second.padded(to: 3))</LatitudeDegrees>"
      + "<LongitudeDegrees>8.5</LongitudeDegrees></Position>\(more)</Trackpoint>"
  }

  @Test func readsAnActivity() throws {
    let more =
      "<AltitudeMeters>412.5</AltitudeMeters><DistanceMeters>9</DistanceMeters>"
      + "<HeartRateBpm><Value>141</Value></HeartRateBpm><Cadence>84</Cadence>"
      + #"<Extensions><TPX xmlns="http://www.garmin.com/xmlschemas/ActivityExtension/v2">"#
      + "<Speed>7.25</Speed><Watts>210</Watts><Other>1</Other></TPX></Extensions>"
    let recording = try recording(Self.activity(Self.lap([Self.point(1, more) + Self.point(2)])))
    #expect(recording.format == .tcx)
    #expect(recording.pointKind == .track)
    #expect(recording.locations.map(\.coordinate.latitude) == [47.001, 47.002])
    let first = try #require(recording.locations.first)
    #expect(first.altitude == 412.5)
    #expect(first.speed == 7.25)
    #expect(first.timestamp.timeIntervalSince1970 == 1_777_896_001.5)
    let sensors = try #require(recording.sensors[0])
    #expect((sensors.heartRate, sensors.cadence, sensors.power) == (141, 84, 210))
    #expect(recording.sensors[1] == nil)
    #expect(recording.omitted.extensionNames == ["Other"])
    #expect(recording.skipped.count == 0)
  }

  /// A pause begins another track in a lap. A lap continues where the previous one ended.
  @Test func aPauseBeginsASegment() throws {
    let laps =
      Self.lap([Self.point(1), Self.point(3)]) + Self.lap([Self.point(4), Self.point(8)])
    let track = Track(try recording(Self.activity(laps)))
    #expect(track.segments.map { $0.locations.count } == [1, 2, 1])
    let other = #"<Activity Sport="Running">"# + Self.lap([Self.point(9)]) + "</Activity>"
    let both = Self.activity(laps).replacing("</Activities>", with: other + "</Activities>")
    #expect(Track(try recording(both)).segments.map { $0.locations.count } == [1, 2, 1, 1])
  }

  @Test func aCourseIsARoute() throws {
    let course =
      "<Courses><Course><Name>Home &amp; back</Name><Lap/><Track>\(Self.point(1))\(Self.point(2))</Track>"
      + "<CoursePoint><Name>Inn</Name><Time>2026-05-04T12:00:02Z</Time><Position>"
      + "<LatitudeDegrees>47.002</LatitudeDegrees><LongitudeDegrees>8.5</LongitudeDegrees></Position>"
      + "<PointType>Food</PointType><Notes>Closed on Monday</Notes></CoursePoint></Course></Courses>"
    let recording = try recording(Self.document(course))
    #expect(recording.pointKind == .route)
    #expect(recording.name == "Home & back")
    #expect(recording.locations.count == 2)
    let inn = try #require(recording.waypoints.first)
    #expect((inn.name, inn.type, inn.comment) == ("Inn", "Food", "Closed on Monday"))
  }

  @Test func invalidValuesAreSkipped() throws {
    let points = [
      "<Trackpoint><Time>2026-05-04T12:00:00Z</Time></Trackpoint>",
      Self.point(1).replacing("47.001", with: "97"), Self.point(2).replacing("8.5", with: "east"),
      Self.point(3).replacing("2026-05-04T12", with: "noon"), Self.point(4),
    ]
    let recording = try recording(Self.activity(Self.lap([points.joined()])))
    #expect(recording.locations.map(\.coordinate.latitude) == [47.003, 47.004])
    #expect(recording.skipped.count == 4)
  }

  @Test(
    "F83 a value that cannot be read is counted",
    arguments: [
      "<AltitudeMeters>412,5</AltitudeMeters>", "<Extensions><Speed>fast</Speed></Extensions>",
      "<Cadence>x</Cadence>",
    ])
  func aWrongValueIsCounted(_ element: String) throws {
    let points = [Self.point(1, element), Self.point(2, "<AltitudeMeters>NaN</AltitudeMeters>")]
    let found = try recording(Self.activity(Self.lap([points.joined()])))
    #expect(found.locations.count == 2)
    #expect(found.skipped.count == 1)
    #expect(found.locations.allSatisfy { $0.altitude == nil && $0.speed == nil })
  }
}
