import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import LocationRecording

/// Points that are waypoints, and points that belong to the track.
@Suite(.inTurn) struct GeoJSONWaypointTests {
  private static let line =
    #"{"type":"Feature","geometry":{"type":"LineString","coordinates":[[9,47],[9,47.002]]},"properties":{}}"#

  private static func point(_ properties: String) -> String {
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[9,50,99.5]},"properties":{\#(properties)}}"#
  }

  @Test(
    "F83 a point with a name alone is a place",
    arguments: [
      (#""name":"Inn""#, true), (#""name":"Inn","desc":"old","sym":"Lodging""#, true),
      (#""kind":"waypoint""#, true),
      (#""kind":"waypoint","timestamp":"2026-05-04T12:00:00Z""#, true), ("", false),
      (#""name":"""#, false), (#""name":"Inn","time":"2026-05-04T12:00:00Z""#, false),
      (#""name":"Inn","segment":1"#, false), (#""name":7"#, false),
    ])
  func reads(_ properties: String, _ isPlace: Bool) throws {
    let point = Self.point(properties)
    for features in [[point, Self.line], [Self.line, point]] {
      let text = #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
      let recording = try recording(text)
      #expect(recording.waypoints.count == (isPlace ? 1 : 0))
      #expect(recording.locations.count == (isPlace ? 2 : 3))
      #expect(recording.pointKind == .track)
      #expect(recording.skipped.isEmpty)
    }
    let alone = try recording(point)
    #expect(alone.locations.map(\.latitude) == [50])
    #expect(alone.locations.map(\.altitude) == [99.5])
    #expect(alone.pointKind == (isPlace ? .waypoint : .track))
  }

  @Test func textsOfOtherProgramsAreRead() throws {
    let properties = #""name":"Inn","cmt":"closed","desc":"old","sym":"Lodging","type":"food""#
    let expected = try Waypoint(
      Coordinate(latitude: 50, longitude: 9), name: "Inn", comment: "closed", details: "old",
      symbol: "Lodging", type: "food", altitude: 99.5)
    #expect(try recording(Self.point(properties)).waypoints == [expected])
  }
}
