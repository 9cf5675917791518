import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct GeoJSONConditionsTests {
  /// Reads a collection of features.
  static func areas(_ features: String...) throws -> GeoJSONConditions {
    let json =
      #"{"type":"FeatureCollection","features":["# + features.joined(separator: ",") + "]}"
    return try GeoJSONConditions(Array(json.utf8))
  }

  /// A feature. `members` are its members besides type, geometry and properties, each followed by a
  /// comma.
  static func feature(
    _ geometry: String, _ coordinates: String, _ properties: String, _ members: String = ""
  ) -> String {
    #"{"type":"Feature",\#(members)"properties":{\#(properties)},"#
      + #""geometry":{"type":"\#(geometry)","coordinates":\#(coordinates)}}"#
  }

  static func circle(_ properties: String, _ members: String = "") -> String {
    feature("Point", "[11,48]", properties, members)
  }

  static func at(_ longitude: Double, _ latitude: Double) -> Coordinate {
    try! Coordinate(latitude: latitude, longitude: longitude)
  }

  static let center = at(11, 48)

  @Test func aPointIsACircle() throws {
    let areas = try Self.areas(Self.circle(#""radius":150.5"#, #""id":"depot","#))
    #expect(areas.conditions == ["depot": try .circle(center: Self.center, radius: 150.5)])
  }

  @Test func aPolygonHasHoles() throws {
    let areas = try Self.areas(
      Self.feature(
        "Polygon", "[[[0,0],[9,0],[9,9],[0,9],[0,0]],[[1,1],[2,1],[2,2],[1,1]]]", #""name":"park""#)
    )
    let ring = [(0, 0), (9, 0), (9, 9), (0, 9)].map { Self.at($0.0, $0.1) }
    let hole = [(1, 1), (2, 1), (2, 2)].map { Self.at($0.0, $0.1) }
    #expect(areas.conditions == ["park": try .polygon(ring, holes: [hole])])
  }

  @Test func aLineIsACorridor() throws {
    let areas = try Self.areas(
      Self.feature("LineString", "[[0,0],[1,1]]", #""width":40,"identifier":"road""#))
    let path = [Self.at(0, 0), Self.at(1, 1)]
    #expect(areas.conditions == ["road": try .corridor(along: path, width: 40)])
  }

  @Test(arguments: [
    ("MultiPoint", "[[0,0],[1,1]]", #""radius":5"#, ["m/1", "m/2"]),
    ("MultiPoint", "[[0,0]]", #""radius":5"#, ["m"]),
    ("MultiLineString", "[[[0,0],[1,1]],[[2,2],[3,3]]]", #""width":5"#, ["m/1", "m/2"]),
    (
      "MultiPolygon", "[[[[0,0],[1,0],[1,1],[0,0]]],[[[5,5],[6,5],[6,6],[5,5]]]]", "",
      ["m/1", "m/2"]
    ),
    ("MultiPolygon", "[[[[0,0],[1,0],[1,1],[0,0]]]]", "", ["m"]),
  ])
  func partsAreConditions(
    geometry: String, coordinates: String, properties: String, identifiers: [String]
  ) throws {
    let areas = try Self.areas(Self.feature(geometry, coordinates, properties, #""id":"m","#))
    #expect(areas.conditions.keys.sorted() == identifiers)
  }

  @Test(arguments: [
    (#""radius":1,"identifier":"i","name":"n""#, #""id":"a","#, "a"),
    (#""radius":1,"identifier":"i","name":"n""#, "", "i"),
    (#""radius":1,"name":"n""#, #""id":null,"#, "n"),
    (#""radius":1,"name":"n","identifier":null"#, "", "n"),
    (#""radius":1"#, #""id":7,"#, "7"), (#""radius":1"#, #""id":7.5,"#, "7.5"),
    (#""radius":1,"name":7"#, "", "7"),
  ])
  func identifiersHaveAPrecedence(properties: String, members: String, identifier: String) throws {
    #expect(try Self.areas(Self.circle(properties, members)).conditions.keys.first == identifier)
  }

  @Test(arguments: [
    ("2030-09-01T18:00:00Z", 1_914_516_000), ("2030-09-01T18:00:00.500Z", 1_914_516_000.5),
    ("2030-09-01T18:00:00+02:00", 1_914_508_800), ("2030-09-01T18:00:00-03:30", 1_914_528_600),
  ])
  func readsDwellAndExpiry(text: String, seconds: Double) throws {
    let areas = try Self.areas(
      Self.circle(#""name":"a","radius":1,"dwell":2.5,"expiry":"\#(text)""#))
    let condition = try #require(areas.conditions["a"])
    #expect(condition.dwell == .milliseconds(2_500))
    #expect(condition.expiry == Date(timeIntervalSince1970: seconds))
  }

  @Test func nullDwellAndExpiryCountAsAbsent() throws {
    let areas = try Self.areas(Self.circle(#""name":"a","radius":1,"dwell":null,"expiry":null"#))
    #expect(areas.conditions["a"] == (try .circle(center: Self.center, radius: 1)))
  }

  @Test func expiredConditionsAreListed() throws {
    let areas = try Self.areas(
      Self.circle(#""name":"a","radius":1,"expiry":"2020-01-01T00:00:00Z""#),
      Self.circle(#""name":"b","radius":1,"expiry":"2030-01-01T00:00:00Z""#),
      Self.circle(#""name":"c","radius":1"#))
    #expect(areas.expired(at: Date(timeIntervalSince1970: 1_700_000_000)) == ["a"])
  }

  static let bad: [(features: [String], message: String)] = [
    ([], "it has no features; add one for each area"),
    (
      [#"{"type":"Feature","id":"a","geometry":null}"#],
      "feature 1 (\"a\"): it has no geometry; add one, or remove the feature"
    ),
    (
      [feature("MultiPolygon", "[]", #""name":"a""#)],
      "feature 1: it has no geometry; add one, or remove the feature"
    ),
    (
      [circle(#""radius":1"#)],
      "feature 1: it has no identifier; add the member id, or the property name"
    ),
    (
      [circle(#""radius":1,"name":[]"#)],
      "feature 1: the property name must be a string or a number"
    ),
    (
      [circle(#""radius":1,"name":"""#)],
      "feature 1: its identifier must have 1 to 1,024 bytes and no NUL"
    ),
    (
      [circle(#""radius":1"#, #""id":"a\u0000","#)],
      "feature 1 (\"\(String(printable: "a\0"))\"): its identifier must have 1 to 1,024 bytes and "
        + "no NUL"
    ),
    (
      [circle(#""radius":1"#, #""id":7,"#), circle(#""radius":2,"name":"7""#)],
      "feature 2: the identifier \"7\" is already that of feature 1 (\"7\"); give each feature its "
        + "own"
    ),
    (
      [
        circle(#""radius":1"#, #""id":"m/2","#),
        feature("MultiPoint", "[[0,0],[1,1]]", #""radius":1"#, #""id":"m","#),
      ],
      "feature 2 (\"m\"): the identifier \"m/2\" is already that of feature 1 (\"m/2\"); give each "
        + "feature its own"
    ),
    (
      [circle(#""name":"a""#)],
      "feature 1: a Point needs the property radius, in meters; add it"
    ),
    (
      [feature("LineString", "[[0,0],[1,1]]", #""radius":1,"name":"a""#)],
      "feature 1: a LineString needs the property width, in meters; add it"
    ),
    (
      [circle(#""radius":"150","name":"a""#)],
      "feature 1: the property radius must be a number of meters above 0"
    ),
    (
      [circle(#""radius":0,"name":"a""#)],
      "feature 1: the property radius must be a number of meters above 0"
    ),
    (
      [circle(#""radius":1e9,"name":"a""#)],
      "feature 1: radius must be above 0 and at most 8800000.0 metres; got 1000000000.0."
    ),
    (
      [feature("Polygon", "[]", #""name":"a""#)],
      "feature 1: exterior must have at least 3 different vertices; got 0."
    ),
    (
      [feature("LineString", "[[1,1]]", #""name":"a","width":5"#)],
      "feature 1: path must have at least 2 different vertices; got 1."
    ),
    (
      [circle(#""radius":1,"name":"a","dwell":-1"#)],
      "feature 1: the property dwell must be a number of seconds, 0 or above"
    ),
    (
      [circle(#""radius":1,"name":"a","dwell":1e300"#)],
      "feature 1: the property dwell must be a number of seconds, 0 or above"
    ),
    (
      [circle(#""radius":1,"name":"a","expiry":"tomorrow""#)],
      "feature 1: the property expiry must be an ISO 8601 date and time, such as "
        + "2030-09-01T18:00:00Z"
    ),
    (
      [circle(#""radius":1,"name":"a","expiry":1914516000"#)],
      "feature 1: the property expiry must be an ISO 8601 date and time, such as "
        + "2030-09-01T18:00:00Z"
    ),
  ]

  @Test(arguments: bad)
  func errorsNameTheInvalidFeature(features: [String], message: String) throws {
    let json = #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
    let error = #expect(throws: RecordingError.self) { try GeoJSONConditions(Array(json.utf8)) }
    #expect(error?.code == .malformed)
    #expect(error?.message == message)
    #expect(error?.line == (features.isEmpty ? nil : 1))
  }

  @Test func errorNamesTheLineOfTheFeature() {
    let json = """
      {"type":"FeatureCollection","features":[
        {"type":"Feature","id":"a","properties":{"radius":1},
         "geometry":{"type":"Point","coordinates":[11,48]}},
        {"type":"Feature","id":"b","properties":{},
         "geometry":{"type":"Point","coordinates":[11,48]}}]}
      """
    let error = #expect(throws: RecordingError.self) { try GeoJSONConditions(Array(json.utf8)) }
    #expect(
      error?.description
        == "line 4: feature 2 (\"b\"): a Point needs the property radius, in meters; add it")
    let cut = #expect(throws: RecordingError.self) { try GeoJSONConditions(Array("[".utf8)) }
    #expect(cut?.description == "line 1, column 2: not valid JSON; the file seems to be cut")
  }

  @Test func aFileIsRead() throws {
    let folder = try PolicyFolder()
    let path = folder.path + "/areas.geojson"
    try folder.write(Self.circle(#""radius":150"#, #""id":"depot","#), to: path)
    #expect(
      try GeoJSONConditions(contentsOf: path).conditions
        == ["depot": try .circle(center: Self.center, radius: 150)])
    let error = #expect(throws: RecordingError.self) {
      try GeoJSONConditions(contentsOf: folder.path + "/none")
    }
    #expect(error?.code == .unreadable)
  }
}
