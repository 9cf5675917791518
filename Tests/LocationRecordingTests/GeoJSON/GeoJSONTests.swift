import AsyncLocation
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct GeoJSONTests {
  struct Good: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// A geometry, as JSON.
    let json: String
    let geometry: GeoJSON.Geometry

    init(_ description: String, _ json: String, _ geometry: GeoJSON.Geometry) {
      (testDescription, self.json, self.geometry) = (description, json, geometry)
    }
  }

  static func at(
    _ longitude: Double, _ latitude: Double, _ altitude: Double? = nil
  ) -> GeoJSON.Position {
    GeoJSON.Position(
      try! Coordinate(latitude: latitude, longitude: longitude), altitude: altitude)
  }

  static let geometries = [
    Good("a point", #"{"type":"Point","coordinates":[11,48]}"#, .point(at(11, 48))),
    Good(
      "an altitude", #"{"type":"Point","coordinates":[11,48,519.5]}"#, .point(at(11, 48, 519.5))),
    Good("more numbers", #"{"type":"Point","coordinates":[11,48,0,1,2]}"#, .point(at(11, 48, 0))),
    Good("the limits", #"{"type":"Point","coordinates":[-180,90]}"#, .point(at(-180, 90))),
    Good("no points", #"{"type":"MultiPoint","coordinates":[]}"#, .multiPoint([])),
    Good(
      "points", #"{"type":"MultiPoint","coordinates":[[1,2],[3,4]]}"#,
      .multiPoint([at(1, 2), at(3, 4)])),
    Good(
      "a line", #"{"type":"LineString","coordinates":[[1,2],[3,4,5]]}"#,
      .lineString([at(1, 2), at(3, 4, 5)])),
    Good(
      "lines", #"{"type":"MultiLineString","coordinates":[[[1,2],[3,4]],[[5,6],[7,8]]]}"#,
      .multiLineString([[at(1, 2), at(3, 4)], [at(5, 6), at(7, 8)]])),
    Good(
      "a polygon", #"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}"#,
      .polygon([[at(0, 0), at(1, 0), at(1, 1), at(0, 0)]])),
    Good(
      "polygons", #"{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1]]],[[[2,2]],[]]]}"#,
      .multiPolygon([[[at(0, 0), at(1, 0), at(1, 1)]], [[at(2, 2)], []]])),
  ]

  @Test(arguments: geometries)
  func readsGeometries(_ good: Good) throws {
    let json = #"{"type":"Feature","properties":null,"geometry":\#(good.json)}"#
    let feature = try #require(GeoJSON(Array(json.utf8)).features.first)
    #expect(feature.geometry == good.geometry)
    #expect(feature.reference == GeoJSON.Reference(number: nil, id: nil))
    #expect(feature.properties == [:])
  }

  @Test func readsACollectionAndIgnoresForeignMembers() throws {
    let json = """
      {"type": "FeatureCollection", "name": "x", "bbox": [0, 0, 1, 1], "crs": {"type": "name"},
       "features": [
        {"type": "Feature", "id": "a", "bbox": [], "geometry": null,
         "properties": {"s": "t", "i": 9007199254740993, "n": 0.5, "b": true, "o": {"p": [1]},
                        "z": null}},
        {"type": "Feature", "id": 1234567890123456789, "geometry": null},
        {"type": "Feature", "id": null, "geometry": null}]}
      """
    let features = try GeoJSON(Array(json.utf8)).features
    #expect(
      features.map(\.reference) == [
        .init(number: 1, id: "a"), .init(number: 2, id: "1234567890123456789"),
        .init(number: 3, id: nil),
      ])
    #expect(
      features[0].properties == [
        "s": .string("t"), "i": .integer(9_007_199_254_740_993), "n": .number(0.5), "b": .other,
        "o": .other, "z": .null,
      ])
    #expect(features[1].properties == [:])
  }

  struct Bad: CustomTestStringConvertible, Sendable {
    let json: String
    let message: String

    init(_ json: String, _ message: String) { (self.json, self.message) = (json, message) }
    /// - Parameter geometry: The geometry of the second feature.
    init(geometry: String, _ message: String) {
      self.init(
        #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null},"#
          + #"{"type":"Feature","id":"b","geometry":\#(geometry)}]}"#,
        #"feature 2 ("b"): "# + message)
    }

    var testDescription: String { json }
  }

  static let outOfRange =
    "is out of range: a longitude in -180...180 comes first, then a latitude in -90...90"
  static let exchanged =
    "is out of range: latitude and longitude look exchanged; GeoJSON has the longitude first"

  static let bad = [
    Bad("", "line 1, column 1: not valid JSON; the file seems to be cut"),
    Bad(
      #"{"type":"Feature""#, "line 1, column 18: not valid JSON; the file seems to be cut"),
    Bad("{\n \"type\": x}", "line 2, column 10: not valid JSON; correct it"),
    Bad("{\"type\": 1e999}", "line 1, column 10: a number is too large or too long; correct it"),
    Bad(
      "{\"type\": \"\\x\"}",
      "line 1, column 12: a text has an invalid escape or is not UTF-8; correct it"),
    Bad(
      String(repeating: "[", count: 66),
      "line 1, column 66: nested more than 64 levels deep; flatten it"),
    Bad("[]", "it must be an object"),
    Bad("{}", "type is missing; add it"),
    Bad(#"{"type":7}"#, "type must be a string"),
    Bad(
      #"{"type":"Polygon","coordinates":[]}"#,
      "the type is \"Polygon\", not FeatureCollection or Feature; make it the geometry of a Feature"
    ),
    Bad(#"{"type":"FeatureCollection"}"#, "features is missing; add it"),
    Bad(#"{"type":"FeatureCollection","features":{}}"#, "features must be an array"),
    Bad(#"{"type":"FeatureCollection","features":[7]}"#, "feature 1: it must be an object"),
    Bad(
      #"{"type":"FeatureCollection","features":[{"type":"Point"}]}"#,
      "feature 1: type must be \"Feature\""),
    Bad(
      #"{"type":"Feature","id":["a"]}"#, "the feature: id must be a string or a number"),
    Bad(#"{"type":"Feature","properties":[]}"#, "the feature: properties must be an object"),
    Bad(#"{"type":"Feature","id":"\u001b[2J","geometry":7}"#, escapeMessage),
    Bad(geometry: "{}", "geometry.type is missing; add it"),
    Bad(geometry: #"{"type":"Point"}"#, "geometry.coordinates is missing; add it"),
    Bad(
      geometry: #"{"type":"point","coordinates":[1,2]}"#,
      "\"point\" is no supported geometry; use Point, LineString, Polygon or their Multi forms, "
        + "spelled like this"),
    Bad(
      geometry: #"{"type":"GeometryCollection","geometries":[]}"#,
      "a GeometryCollection is not supported; make a feature of each of its geometries"),
    Bad(
      geometry: #"{"type":"Point","coordinates":[1]}"#,
      "geometry.coordinates must be a position: longitude, latitude"),
    Bad(
      geometry: #"{"type":"Point","coordinates":[1,"2"]}"#,
      "geometry.coordinates[1] must be a number"),
    Bad(
      geometry: #"{"type":"Point","coordinates":[1,null]}"#,
      "geometry.coordinates[1] must be a number"),
    Bad(
      geometry: #"{"type":"LineString","coordinates":[1,2]}"#,
      "geometry.coordinates[0] must be an array"),
    Bad(
      geometry: #"{"type":"Point","coordinates":[181,0]}"#, "geometry.coordinates \(outOfRange)"),
    Bad(
      geometry: #"{"type":"LineString","coordinates":[[1,2],[48,111]]}"#,
      "geometry.coordinates[1] \(exchanged)"),
    Bad(
      geometry: #"{"type":"Polygon","coordinates":[[[1,2],[3,4]],[[1,2],[3,4],[1,200]]]}"#,
      "geometry.coordinates[1][2] \(outOfRange)"),
  ]

  private static let escapeMessage =
    "the feature \"" + String(printable: "\u{1B}[2J") + "\": geometry must be an object"

  @Test(arguments: bad)
  func errorsNameTheInvalidMember(_ bad: Bad) {
    let fault = #expect(throws: GeoJSON.Fault.self) { try GeoJSON(Array(bad.json.utf8)) }
    #expect(fault?.description == bad.message)
  }
}
