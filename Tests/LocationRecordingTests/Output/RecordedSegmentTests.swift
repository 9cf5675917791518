import AsyncLocation
import MockBackend
import TestSupport
import Testing

@testable import LocationRecording

/// The points at which a recording states that a segment of a track begins.
@Suite(.inTurn) struct RecordedSegmentTests {
  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: String
    /// The latitudes of each segment.
    let segments: [[Double]]
  }

  static let scenarios = [
    Scenario(
      testDescription: "segments of GPX",
      text: """
        <gpx><trk><trkseg><trkpt lat="1" lon="0"/><trkpt lat="2" lon="0"/></trkseg><trkseg/>\
        <trkseg><trkpt lat="3" lon="0"/></trkseg></trk><trk><trkseg><trkpt lat="4" lon="0"/>\
        </trkseg></trk></gpx>
        """, segments: [[1, 2], [3], [4]]),
    Scenario(
      testDescription: "routes of GPX",
      text: """
        <gpx><rte><rtept lat="1" lon="0"/></rte><rte><rtept lat="2" lon="0"/></rte></gpx>
        """, segments: [[1], [2]]),
    Scenario(
      testDescription: "numbers of CSV", text: "lat,lon,segment\n1,0,1\n2,0,1\n3,0,2\n4,0,1\n",
      segments: [[1, 2], [3], [4]]),
    Scenario(
      testDescription: "no numbers", text: "lat,lon,segment\n1,0,\n2,0,\n", segments: [[1, 2]]),
    Scenario(
      testDescription: "names instead of numbers", text: "lat,lon,segment\n1,0,a\n2,0,b\n",
      segments: [[1], [2]]),
    Scenario(
      testDescription: "a multiple line of GeoJSON",
      text: """
        {"type":"MultiLineString","coordinates":[[[0,1],[0,2]],[[0,3],[0,4]]]}
        """, segments: [[1, 2], [3, 4]]),
    Scenario(
      testDescription: "lines of GeoJSON",
      text: """
        {"type":"LineString","coordinates":[[0,1],[0,2]]}
        {"type":"LineString","coordinates":[[0,3],[0,4]]}
        """, segments: [[1, 2], [3, 4]]),
    Scenario(
      testDescription: "lines of one segment",
      text: """
        {"type":"Feature","geometry":{"type":"LineString","coordinates":[[0,1],[0,2]]},\
        "properties":{"segment":1}}
        {"type":"Feature","geometry":{"type":"Point","coordinates":[0,3]},\
        "properties":{"segment":1}}
        {"type":"Feature","geometry":{"type":"Point","coordinates":[0,4]},\
        "properties":{"segment":2}}
        """, segments: [[1, 2, 3], [4]]),
    Scenario(
      testDescription: "loss of the fix in gpsd's reports",
      text: """
        {"class":"TPV","mode":2,"lat":1,"lon":0}
        {"class":"TPV","mode":1}
        {"class":"TPV","mode":1}
        {"class":"TPV","mode":2,"lat":2,"lon":0}
        """, segments: [[1], [2]]),
  ]

  @Test(arguments: scenarios)
  func recordedSegmentsDivideTheTrack(_ scenario: Scenario) throws {
    let track = Track(try Recording(Array(scenario.text.utf8)))
    #expect(track.segments.map { $0.locations.map(\.latitude) } == scenario.segments)
    #expect(track.segments.dropFirst().allSatisfy { $0.beginning == .loss })
  }
}
