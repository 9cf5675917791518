import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct GeoJSONReaderTests {
  static let point =
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[2,1,3]},"properties":{"time":"2026-05-04T12:00:00Z","speed":4}}"#
  static let line =
    #"{"type":"Feature","geometry":{"type":"LineString","coordinates":[[2,1],[4,3]]},"properties":{"coordTimes":["2026-05-04T12:00:00Z","2026-05-04T12:00:05Z"]}}"#

  /// The same line, with the order of members that requires the most buffering.
  static let swapped =
    #"{"geometry":{"coordinates":[[2,1],[4,3]],"type":"LineString"},"properties":{"coordTimes":["2026-05-04T12:00:00Z","2026-05-04T12:00:05Z"]},"type":"Feature"}"#

  @Test func readsAPoint() throws {
    let recording = try recording(Self.point)
    #expect(recording.format == .geoJSON)
    let expected = try Location(
      latitude: 1, longitude: 2, timestamp: date("2026-05-04T12:00:00Z"), altitude: 3, speed: 4,
      sourceInformation: SourceInformation(isSimulated: true))
    #expect(recording.locations == [expected])
  }

  @Test(arguments: [
    ("a line", line, 2),
    ("a collection", #"{"type":"FeatureCollection","features":[\#(line),\#(point)]}"#, 3),
    ("lines", "\(point)\n\(line)\n\n", 3), ("a sequence", "\u{1E}\(point)\n\u{1E}\(line)\n", 3),
    ("a geometry", #"{"type":"LineString","coordinates":[[2,1],[4,3]]}"#, 2),
    (
      "segments",
      #"{"type":"MultiLineString","coordinates":[[[2,1],[4,3]],[[2,1],[4,3]]]}"#, 4
    ),
    ("spread", line.replacing(",", with: " ,\r\n\t"), 2),
    ("points", #"{"type":"MultiPoint","coordinates":[[2,1]]}"#, 1),
  ])
  func reads(name: String, text: String, count: Int) throws {
    let recording = try recording(text)
    #expect(recording.locations.count == count, "\(name)")
    #expect(recording.skipped.isEmpty, "\(name)")
    #expect(recording.locations.first?.latitude == 1)
  }

  @Test(
    "A time is better than the time of another kind beside it",
    arguments: [
      (#""time":"2026-05-04T12:00:00Z","created_at":"2026-06-01T00:00:00Z""#, true),
      (#""datetime":"2026-05-04T12:00:00Z","epoch":7"#, true),
      (#""time":"2026-05-04T12:00:00Z","time_ms":5"#, true),
      (#""date":"2026-05-04","time":"12:00:00Z","created_at":"2026-06-01T00:00:00Z""#, true),
      (#""time":"2026-05-04T12:00:00Z","local_time":"14:00","tz":"+02:00""#, true),
      (#""created_at":"2026-05-04T12:00:00Z""#, true), (#""timestamp_ms":1777896000000"#, true),
      (#""epoch":7"#, false),
    ])
  func alternativeTimes(_ members: String, _ isDated: Bool) throws {
    let recording = try recording(
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[2,1]},"properties":{\#(members)}}"#
    )
    #expect(recording.times == [isDated ? date("2026-05-04T12:00:00Z") : nil])
    #expect(recording.skipped.isEmpty, "\(recording.skipped)")
  }

  @Test func pointsOfALineArePaced() throws {
    #expect(try recording(Self.line).events.map(\.offset) == [.zero, .seconds(5)])
    let bare = try recording(#"{"type":"LineString","coordinates":[[2,1],[4,3]]}"#)
    #expect(bare.events.map(\.offset) == [.zero, .seconds(1)])
    #expect(bare.times == [nil, nil])
  }

  @Test func skipsOnlyInvalidFeatures() throws {
    let wrong = Self.point.replacing("[2,1,3]", with: "[2,91]")
    let area = #"{"type":"Feature","geometry":{"type":"Polygon","coordinates":[]}}"#
    let text = """
      {"type":"FeatureCollection","features":[
      \(wrong),
      \(area),
      \(Self.point)]}
      """
    let recording = try recording(text)
    #expect(recording.locations.count == 1)
    #expect(recording.skipped.parts.map(\.line) == [2, 3])
  }

  @Test(arguments: [
    ("{\n\"type\":\"Feature\"\n", 3), ("{\"type\":\"Feature\",\n\"a\":x}", 2),
    (#"{"type":"Feature","properties":{"a":1e999}}"#, 1), (#"{"type":"FeatureCollection"}"#, 1),
    ("\u{1E}abc \n", 1), ("{\"type\":\"Feature\"}\n\n]", 3),
    (#"{"type":"Feature","id":"\ud800"}"#, 1),
    (#"{"type":"# + String(repeating: "[", count: 100_000), 1),
    (#"{"type":"# + String(repeating: "[", count: 65) + String(repeating: "]", count: 65) + "}", 1),
    (#"{"type":01}"#, 1), (#"{"type":"Feature",}"#, 1),
  ])
  func refuses(_ text: String, _ line: Int) {
    let error = #expect(throws: RecordingError.self) { try recording(text) }
    #expect(error?.code == .malformed)
    #expect(error?.line == line, "\(error as Any)")
  }

  /// Splits a text at each byte. The events must not depend on the pieces.
  @Test(
    "a collection is read feature by feature, in any pieces", .longWork,
    arguments: [
      #"{"type":"FeatureCollection","name":"a","features":[\#(line),\#(point)]}"#,
      #"{"type":"FeatureCollection" , "features" : [ \#(line) ,\#n\#(point)\#n ] , "b" : [1,[2]] }"#,
      #"{"features":[\#(line),\#(point)],"type":"FeatureCollection"}"#,
      #"{"type":"FeatureCollection","features":[\#(swapped),{"x":[{}, "\u00e9"]},\#(point)]}"#,
      "\u{1E}{\"a\":01 \u{1E}\(point)\n\u{1E}\n\u{1E}\(line)\n\u{1E}[x\u{1E}",
    ])
  func readsFeatureByFeature(_ text: String) throws {
    let whole = try recording(text)
    #expect(whole.locations.count == 3)
    let bytes = Array(text.utf8)
    for cut in bytes.indices {
      var reader = RecordingReader()
      var events = try reader.read(Array(bytes[..<cut]))
      events += try reader.read(Array(bytes[cut...]))
      events += try reader.finish()
      #expect(events == whole.events, "cut at \(cut)")
      #expect(reader.skipped == whole.skipped, "cut at \(cut)")
    }
  }

  @Test("the order of members does not matter") func readsAnyOrder() throws {
    let members = [
      #""type":"Feature""#, #""id":"a""#, #""properties":{"times":["2026-05-04T12:00:00Z",null]}"#,
      #""geometry":{"type":"LineString","coordinates":[[2,1],[4,3]]}"#,
      #""geometry":{"coordinates":[[2,1],[4,3]],"type":"LineString"}"#,
    ]
    let expected = try recording("{\(members[...3].joined(separator: ","))}").events
    #expect(expected.count == 2)
    for geometry in members[3...] {
      for first in 0..<4 {
        let all = members[..<3] + [geometry]
        let rotated = Array(all[first...] + all[..<first])
        for order in [rotated, rotated.reversed()] {
          #expect(try recording("{\(order.joined(separator: ","))}").events == expected)
        }
      }
    }
  }

  @Test(
    "the last of several members counts",
    arguments: [
      #"{"type":"Point","coordinates":[[9,9],[8,8]],"coordinates":[[2,1],[4,3]],"type":"LineString"}"#,
      #"{"type":"Feature","geometry":null,"geometry":{"type":"LineString","coordinates":[[2,1],[4,3]]}}"#,
      #"{"type":"Feature","geometry":{"type":"LineString","coordinates":[["x"]],"coordinates":[[2,1],[4,3]]},"properties":[],"properties":{}}"#,
      #"{"type":"FeatureCollection","features":{},"features":[{"type":"Feature","geometry":{"type":"LineString","coordinates":[[2,1],[4,3]]}}]}"#,
    ])
  func readsTheLast(_ text: String) throws {
    let recording = try recording(text)
    #expect(recording.locations.map(\.latitude) == [1, 3])
    #expect(recording.skipped.isEmpty)
  }

  @Test(
    "features outside a collection are an error",
    arguments: [
      #"{"features":[\#(point)],"type":"Feature","geometry":null}"#,
      #"{"features":[\#(point)],"type":"Point","coordinates":[1,2]}"#,
      #"{"type":"Feature","features":[\#(point)],"type":"FeatureCollection"}"#,
    ])
  func refusesAContradiction(_ text: String) throws {
    let error = #expect(throws: RecordingError.self) { try recording(text) }
    #expect(error?.code == .malformed)
    #expect(error?.line == 1)
    #expect(error?.message.contains("FeatureCollection") == true)
  }

  @Test("times of lines are lists of lists") func readsTimesOfLines() throws {
    let times = #"[["2026-05-04T12:00:00Z",1777896010],7,["2026-05-04T12:00:20Z",["x"],{}]]"#
    let recording = try recording(
      #"{"type":"Feature","properties":{"times":\#(times)},"geometry":{"type":"MultiLineString","#
        + #""coordinates":[[[2,1],[2,1]],[[2,1]],[[2,1],[2,1],[2,1],[2,1]]]}}"#)
    let noon = date("2026-05-04T12:00:00Z")
    #expect(recording.times == [noon, noon + 10, nil, noon + 20, nil, nil, nil])
    #expect(recording.skipped.count == 2)
  }

  /// placemark/togeojson writes the values of a GPX file's positions as an object of lists.
  @Test(
    "F83 times in coordinateProperties are those of positions",
    arguments: [
      (
        #""times":["2026-05-04T12:00:00Z","2026-05-04T12:10:00Z"],"heart":[141,null]"#,
        #""LineString","coordinates":[[2,1],[4,3]]"#, ["heart"]
      ),
      (
        #""times":[["2026-05-04T12:00:00Z"],["2026-05-04T12:10:00Z"]]"#,
        #""MultiLineString","coordinates":[[[2,1]],[[4,3]]]"#, []
      ),
      (
        #""a":{"times":[1]},"times":[1777896000000,1777896600000],"b":[[1],{"c":[2]}],"d":0"#,
        #""LineString","coordinates":[[2,1],[4,3]]"#, ["a", "b", "d"]
      ),
    ])
  func readsListsOfPositions(lists: String, geometry: String, omitted: [String]) throws {
    let properties = #""properties":{"_gpxType":"trk","coordinateProperties":{\#(lists)},"c":1}"#
    let text = #"{"type":"Feature",\#(properties),"geometry":{"type":\#(geometry)}}"#
    let found = try recording(text)
    #expect(found.times == [date("2026-05-04T12:00:00Z"), date("2026-05-04T12:10:00Z")])
    #expect(found.skipped.isEmpty, "\(found.skipped)")
    #expect(found.omitted.extensionNames == omitted)
    #expect(found.omitted.extensionCount == omitted.count)
    // Lists in another member are not read.
    let bare = try recording(text.replacing("coordinateProperties", with: "other"))
    #expect(bare.times == [nil, nil])
    #expect(bare.omitted.isEmpty)
  }

  @Test("F83 texts that are too long are counted") func countsLongTexts() throws {
    let long = String(repeating: "n", count: JSONTokenizer.maximumText + 1)
    func feature(_ properties: String) -> String {
      #"{"type":"Feature","properties":{\#(properties)},"geometry":{"type":"Point","coordinates":[2,1]}}"#
    }
    let place = feature(#""kind":"waypoint","name":"\#(long)""#)
    let point = feature(#""device":"\#(long)","other":"\#(long)""#)
    let found = try recording(
      #"{"type":"FeatureCollection","name":"\#(long)","features":["#
        + "\n\(place),\n\(point)]}")
    #expect(found.skipped.parts.map(\.line) == [1, 2, 3], "\(found.skipped)")
    #expect(found.waypoints.count == 1)
    #expect(found.locations.count == 1)
    #expect(found.name == nil)
  }

  @Test func featuresOfACollectionAreReadOneAtATime() throws {
    var reader = RecordingReader()
    var count = 0
    func read(_ text: String) throws { count += try reader.read(Array(text.utf8)).count }
    try read(#"{"type":"FeatureCollection","name":"tour","features":["#)
    try read(Self.point + ",")
    #expect(count == 1)
    #expect(reader.name == "tour")
    try read(String(Self.point.dropLast()))
    #expect(count == 1)
    try read("}")
    #expect(count == 2)
    try read("]}")
    count += try reader.finish().count
    #expect(count == 2)
  }

  @Test(
    "faults of a collection have their place in the file",
    arguments: [
      ("\n[{},\n x]}", 3, 2), ("[\n{},]}", 2, 4), ("[{}\n{}]}", 2, 1), ("[{},{}\n", 2, 1),
      ("[{}]\n,}", 2, 2), ("[\n\n]\n\n", 5, 1), ("[{},,{}]}", 1, 45),
    ])
  func placesFaults(rest: String, line: Int, column: Int) {
    let error = #expect(throws: RecordingError.self) {
      try recording(#"{"type":"FeatureCollection", "features":"# + rest)
    }
    #expect(error?.line == line, "\(error as Any)")
    #expect(error?.column == column, "\(error as Any)")
  }

  @Test func featuresInsideAFeatureAreIgnored() throws {
    let text = Self.point.dropLast() + #","features":[\#(Self.point)]}"#
    #expect(try recording(String(text)).locations.count == 1)
  }

  @Test func aSequenceIsReadAfterACutDocument() throws {
    let recording = try recording("\u{1E}{\"type\":\"Fea\n\u{1E}\(Self.point)\n")
    #expect(recording.locations.count == 1)
  }

  /// A process that is killed during a write cuts the last document.
  @Test("F52 a cut last document is skipped", arguments: ["\u{1E}", ""])
  func aCutLastDocumentIsSkipped(_ separator: String) throws {
    let whole = separator + Self.point + "\n"
    for end in 1..<Self.point.utf8.count {
      let cut = separator + Self.point.prefix(end)
      let recording = try recording(whole + whole + cut)
      #expect(recording.locations.count == 2, "\(cut)")
      #expect(recording.skipped.parts.map(\.line) == [3], "\(cut)")
    }
    #expect(try recording(whole + whole + separator + Self.point).locations.count == 3)
    #expect(throws: RecordingError.self) { try recording(whole + "nonsense") }
  }

  @Test func readsLocationsInJSON() throws {
    let location = try Location(
      latitude: 1, longitude: 2, timestamp: date("2026-05-04T12:00:00Z"),
      sourceInformation: SourceInformation(device: "/dev/a"))
    let line = String(decoding: try JSONEncoder().encode(location), as: UTF8.self)
    let recording = try recording("\(line)\nx\n\(line)\n")
    #expect(recording.format == .locationJSON)
    #expect(recording.pointKind == .track)
    #expect(recording.locations.count == 2)
    #expect(recording.locations.first?.sourceInformation?.device == "/dev/a")
    #expect(recording.locations.first?.sourceInformation?.isSimulated == true)
    #expect(recording.skipped.parts.map(\.line) == [2])
  }
}
