import AsyncLocation
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct BasemapTests {
  /// Returns a view that is 800 pixels wide and shows points, given by latitude and longitude.
  static func view(_ points: [(Double, Double)]) throws -> MapView {
    let coordinates = try points.map { try Coordinate(latitude: $0.0, longitude: $0.1) }
    let bounds = coordinates.dropFirst().reduce(GeographicBounds(coordinates[0])) { $0.union($1) }
    let projection = MapProjection(for: bounds)
    return MapView(projection, showing: coordinates.map(projection.point), width: 800)
  }

  private static func shapes(_ geometry: String, _ view: MapView) throws -> BasemapShapes {
    BasemapShapes(try Basemap(geoJSON: Array(geometry.utf8)).features, in: view)
  }

  private static let hole = """
    {"type":"Polygon","coordinates":[[[9,46],[13,46],[13,50],[9,50],[9,46]],\
    [[11.4,48.05],[11.6,48.05],[11.6,48.1],[11.4,48.05]]]}
    """
  private static let elsewhere = """
    {"type":"Polygon","coordinates":[[[20,46],[21,46],[21,50],[20,46]]]}
    """
  private static let line = #"{"type":"LineString","coordinates":[[9,48.1],[13,48.1]]}"#
  private static let points = #"{"type":"MultiPoint","coordinates":[[11.5,48.1],[50,1]]}"#
  private static let areas = """
    {"type":"MultiPolygon","coordinates":[[[[11,48],[12,48],[12,49],[11,48]]],\
    [[[11,48.1],[11.5,48.1],[11.5,47],[11,48.1]]]]}
    """

  @Test(
    arguments: [
      (hole, [2], 0, 0), (elsewhere, [], 0, 0), (line, [], 1, 0), (points, [], 0, 1),
      (areas, [1, 1], 0, 0),
    ] as [(String, [Int], Int, Int)])
  func showsFeaturesInTheView(
    geometry: String, rings: [Int], lines: Int, places: Int
  ) throws {
    let shapes = try Self.shapes(geometry, Self.view([(48, 11.3), (48.2, 11.7)]))
    #expect(shapes.areas.map(\.count) == rings)
    #expect(shapes.lines.count == lines)
    #expect(shapes.places.count == places)
  }

  /// Areas and lines on both sides of the antimeridian are drawn near the track.
  @Test(arguments: [
    #"{"type":"MultiPolygon","coordinates":[[[[179,-18],[180,-18],[180,-16],[179,-18]]],"#
      + #"[[[-180,-18],[-179,-18],[-180,-16],[-180,-18]]]]}"#,
    #"{"type":"Polygon","coordinates":[[[179,-18],[-179,-18],[-179,-16],[179,-16],[179,-18]]]}"#,
  ])
  func crossesTheAntimeridian(_ geometry: String) throws {
    let view = try Self.view([(-17.2, 179.5), (-16.9, -179.5)])
    let points = try Self.shapes(geometry, view).areas.joined().joined()
    #expect(points.contains { $0.x < 300 })
    #expect(points.contains { $0.x > 500 })
    #expect(points.allSatisfy { view.box.expanded(by: 9).contains($0) })
  }

  @Test func invalidFeaturesAreCounted() throws {
    let text =
      #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"#
      + #""geometry":{"type":"GeometryCollection","geometries":[]}},{"type":"Feature","#
      + #""properties":null,"geometry":{"type":"Point","coordinates":[1,2]}}]}"#
    let basemap = try Basemap(geoJSON: Array(text.utf8))
    #expect(basemap.skippedFeatureCount == 1)
    #expect(basemap.features.count == 1)
  }

  @Test(arguments: ["", "{", "[]", "{\n\"type\": 3}", #"{"type":"Topology"}"#])
  func otherTextIsAnError(_ text: String) {
    #expect(throws: RecordingError.self) { try Basemap(geoJSON: Array(text.utf8)) }
  }

  @Test(.longWork) func theNumberOfPointsIsBounded() throws {
    let ring = (0..<60_000).map { index in
      let (x, y) = (index * 7919 % 10_007, index * 104_729 % 10_009)
      return "[\(11.3 + Double(x) * 0.4 / 10_007),\(48 + Double(y) * 0.2 / 10_009)]"
    }.joined(separator: ",")
    let shapes = try Self.shapes(
      "{\"type\":\"LineString\",\"coordinates\":[\(ring)]}", Self.view([(48, 11.3), (48.2, 11.7)]))
    #expect(shapes.vertexCount <= BasemapShapes.vertexLimit)
  }
}
