import AsyncLocation
import FoundationEssentials
import LocationRecording
import TestSupport
import Testing

@testable import async_location_example

@Suite(.inTurn) struct FenceSetTests {
  static func set(_ features: String...) throws -> FenceSet {
    let json =
      #"{"type":"FeatureCollection","features":["# + features.joined(separator: ",") + "]}"
    return try FenceSet(GeoJSON(Array(json.utf8)))
  }

  /// A feature; `members` are those besides type, geometry and properties.
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
    let set = try Self.set(Self.circle(#""radius":150.5"#, #""id":"depot","#))
    #expect(set.conditions == ["depot": try .circle(center: Self.center, radius: 150.5)])
  }

  @Test func aPolygonHasHoles() throws {
    let set = try Self.set(
      Self.feature(
        "Polygon", "[[[0,0],[9,0],[9,9],[0,9],[0,0]],[[1,1],[2,1],[2,2],[1,1]]]", #""name":"park""#)
    )
    let ring = [(0, 0), (9, 0), (9, 9), (0, 9)].map { Self.at($0.0, $0.1) }
    let hole = [(1, 1), (2, 1), (2, 2)].map { Self.at($0.0, $0.1) }
    #expect(set.conditions == ["park": try .polygon(ring, holes: [hole])])
  }

  @Test func aLineIsACorridor() throws {
    let set = try Self.set(
      Self.feature("LineString", "[[0,0],[1,1]]", #""width":40,"identifier":"road""#))
    let path = [Self.at(0, 0), Self.at(1, 1)]
    #expect(set.conditions == ["road": try .corridor(along: path, width: 40)])
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
    let set = try Self.set(Self.feature(geometry, coordinates, properties, #""id":"m","#))
    #expect(set.conditions.keys.sorted() == identifiers)
  }

  @Test(arguments: [
    (#""radius":1,"identifier":"i","name":"n""#, #""id":"a","#, "a"),
    (#""radius":1,"identifier":"i","name":"n""#, "", "i"),
    (#""radius":1,"name":"n""#, #""id":null,"#, "n"),
    (#""radius":1,"name":"n","identifier":null"#, "", "n"),
    (#""radius":1"#, #""id":7,"#, "7"), (#""radius":1"#, #""id":7.5,"#, "7.5"),
    (#""radius":1,"name":7"#, "", "7"),
  ])
  func choosesTheIdentifier(properties: String, members: String, identifier: String) throws {
    #expect(try Self.set(Self.circle(properties, members)).conditions.keys.first == identifier)
  }

  @Test(arguments: [
    ("2030-09-01T18:00:00Z", 1_914_516_000), ("2030-09-01T18:00:00.500Z", 1_914_516_000.5),
    ("2030-09-01T18:00:00+02:00", 1_914_508_800), ("2030-09-01T18:00:00-03:30", 1_914_528_600),
  ])
  func readsDwellAndExpiry(text: String, seconds: Double) throws {
    let set = try Self.set(
      Self.circle(#""name":"a","radius":1,"dwell":2.5,"expiry":"\#(text)""#))
    let condition = try #require(set.conditions["a"])
    #expect(condition.dwell == .milliseconds(2_500))
    #expect(condition.expiry == Date(timeIntervalSince1970: seconds))
  }

  @Test func absentOrNullDwellAndExpiry() throws {
    let set = try Self.set(Self.circle(#""name":"a","radius":1,"dwell":null,"expiry":null"#))
    #expect(set.conditions["a"] == (try .circle(center: Self.center, radius: 1)))
  }

  @Test func removesWhatHasExpired() throws {
    let set = try Self.set(
      Self.circle(#""name":"a","radius":1,"expiry":"2020-01-01T00:00:00Z""#),
      Self.circle(#""name":"b","radius":1,"expiry":"2030-01-01T00:00:00Z""#),
      Self.circle(#""name":"c","radius":1"#))
    let expired = set.expired(at: Date(timeIntervalSince1970: 1_700_000_000))
    #expect(expired == ["a"])
    #expect(set.without(expired).conditions.keys.sorted() == ["b", "c"])
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
  func names(features: [String], message: String) throws {
    let json = #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
    let document = try GeoJSON(Array(json.utf8))
    let fault = #expect(throws: FenceSet.Fault.self) { try FenceSet(document) }
    #expect(fault?.description == message)
  }
}

@Suite(.inTurn) struct FenceChangesTests {
  @Test func keepsReplacesAddsAndRemoves() throws {
    let small = try Condition.circle(center: FenceSetTests.center, radius: 1)
    let large = try Condition.circle(center: FenceSetTests.center, radius: 2)
    let changes = FenceChanges(
      from: ["a": small, "b": small, "c": small, "d": small],
      to: ["a": small, "b": large, "e": small])
    #expect(changes.added == ["b": large, "e": small])
    #expect(changes.removed == ["c", "d"])
    #expect(changes.summary == "3 conditions: 1 kept, 2 added or changed, 2 removed")
    #expect(FenceChanges(from: [:], to: ["a": small]).summary == "1 condition")
  }
}

@Suite(.inTurn) struct FenceMessagesTests {
  private func event(
    _ number: UInt64 = 1, _ state: Monitor.State = .unmonitored,
    _ diagnostics: Monitor.Diagnostics = [], isRepeated: Bool = false
  ) -> Monitor.Event {
    Monitor.Event(
      identifier: "a\u{1B}", number: number, state: state, previousState: .unknown,
      date: Samples.time, diagnostics: diagnostics, isRepeated: isRepeated)
  }

  @Test func aReasonIsPrintedOnceUntilItEnds() {
    var messages = FenceMessages()
    let denied = event(1, .unmonitored, .authorizationDenied)
    let text = ["nothing is monitored: Permission is refused or was withdrawn."]
    #expect(messages.take(denied, storageProblem: nil) == text)
    #expect(messages.take(denied, storageProblem: nil) == [])
    #expect(
      messages.take(event(2, .unmonitored, .accuracyLimited), storageProblem: nil)
        == ["nothing is monitored: Accuracy is reduced by the authorization policy."])
    #expect(messages.take(event(3, .satisfied), storageProblem: nil) == [])
    #expect(messages.take(denied, storageProblem: nil) == text)
  }

  @Test func aConditionIsNamed() {
    var messages = FenceMessages()
    let name = "\"" + String(printable: "a\u{1B}") + "\""
    #expect(
      messages.take(event(1, .unmonitored, .conditionExpired), storageProblem: nil)
        == ["\(name) has expired and is no longer monitored"])
    #expect(
      messages.take(event(7, .satisfied, isRepeated: true), storageProblem: nil)
        == ["event 7 of \(name) may have been printed before"])
  }

  @Test func aStorageProblemIsPrintedOnce() {
    var messages = FenceMessages()
    let problem = LocationError(.storageUnavailable, "The disk is full.")
    let event = event(1, .satisfied, .persistenceUnavailable)
    #expect(
      messages.take(event, storageProblem: problem)
        == ["the state file: The disk is full."])
    #expect(messages.take(event, storageProblem: problem) == [])
    #expect(messages.take(self.event(2, .satisfied), storageProblem: nil) == [])
    #expect(messages.take(event, storageProblem: problem).count == 1)
  }

  @Test(
    arguments: [
      (true, [1, 2, 3], [], 0), (true, [5], [5], 4), (false, [5], [5], 1), (false, [5, 9], [9], 3),
      (false, [5, 9], [], 0), (true, [2, 1, 3], [3], 0),
    ] as [(Bool, [UInt64], Set<UInt64>, Int)])
  func countsDiscardedEvents(
    isNew: Bool, numbers: [UInt64], marked: Set<UInt64>, count: Int
  ) {
    var losses = FenceLosses(isNew: isNew)
    for number in numbers {
      losses.take(event(number, .satisfied, marked.contains(number) ? .eventsDiscarded : []))
    }
    #expect(losses.count == count)
  }
}
