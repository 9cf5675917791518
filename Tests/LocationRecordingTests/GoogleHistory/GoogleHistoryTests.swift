import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import LocationRecording

/// The location histories of Google's Takeout and of phones.
@Suite(.inTurn) struct GoogleHistoryTests {
  // MARK: Samples

  static let records = """
    {"locations": [{
      "timestamp": "2026-05-04T12:00:00.500Z", "latitudeE7": 471234567, "longitudeE7": -85000000,
      "accuracy": 20, "velocity": 10, "heading": 270, "altitude": 150, "verticalAccuracy": 3,
      "activity": [{"activity": [{"type": "STILL", "confidence": 9}],
                    "timestamp": "2020-01-01T00:00:00Z"}],
      "source": "WIFI", "deviceTag": -1234567890, "platformType": "ANDROID"
    }, {
      "timestampMs": "1777896010250", "latitudeE7": -339000000, "longitudeE7": 1512000000
    }]}
    """

  static let month = """
    {"timelineObjects": [
      {"activitySegment": {
        "startLocation": {"latitudeE7": 470000000, "longitudeE7": 85000000,
                          "sourceInfo": {"deviceTag": 1}},
        "endLocation": {"latitudeE7": 473000000, "longitudeE7": 85000000},
        "duration": {"startTimestamp": "2026-05-04T12:00:00Z",
                     "endTimestamp": "2026-05-04T12:30:00.000Z"},
        "distance": 30000, "activityType": "WALKING",
        "waypointPath": {"waypoints": [{"latE7": 470500000, "lngE7": 85000000},
                                       {"latE7": 471500000, "lngE7": 85000000}]},
        "simplifiedRawPath": {"points": [
          {"latE7": 471000000, "lngE7": 85000000, "timestamp": "2026-05-04T12:10:00Z",
           "accuracyMeters": 12},
          {"latE7": 472000000, "lngE7": 85000000, "timestampMs": "1777897200000"}]}}},
      {"placeVisit": {
        "location": {"latitudeE7": 473000000, "longitudeE7": 85000000, "placeId": "ChIJ",
                     "name": "Inn", "address": "Main Street 1", "semanticType": "TYPE_WORK"},
        "duration": {"startTimestampMs": "1777897800000", "endTimestampMs": "1777901400000"},
        "otherCandidateLocations": [{"latitudeE7": 1, "longitudeE7": 1}],
        "childVisits": [{"location": {"latitudeE7": 2, "longitudeE7": 2}}]}},
      {"activitySegment": {
        "duration": {"startTimestamp": "2026-05-04T13:30:00Z",
                     "endTimestamp": "2026-05-04T13:40:00Z"},
        "endLocation": {"latitudeE7": 475000000, "longitudeE7": 85000000},
        "startLocation": {"latitudeE7": 474000000, "longitudeE7": 85000000}}}
    ]}
    """

  static let android = """
    {"semanticSegments": [
      {"startTime": "2026-05-04T14:00:00.000+02:00", "endTime": "2026-05-04T16:00:00.000+02:00",
       "timelinePath": [
         {"point": "47.1371154°, 8.5753822°", "time": "2026-05-04T14:05:00.000+02:00"},
         {"point": "-47.2°, -8.5°", "time": "2026-05-04T14:25:00.000+02:00"}]},
      {"startTime": "2026-05-04T14:00:00.000+02:00", "endTime": "2026-05-04T14:05:00.000+02:00",
       "startTimeTimezoneUtcOffsetMinutes": 120,
       "visit": {"hierarchyLevel": 0, "probability": 0.9, "topCandidate": {
         "placeId": "ChIJ", "semanticType": "HOME", "probability": 0.5,
         "placeLocation": {"latLng": "47.1°, 8.5°"}}}},
      {"startTime": "2026-05-04T14:05:00.000+02:00", "endTime": "2026-05-04T14:25:00.000+02:00",
       "activity": {"start": {"latLng": "47.1°, 8.5°"}, "end": {"latLng": "47.2°, 8.5°"},
                    "distanceMeters": 9000.5, "topCandidate": {"type": "WALKING"}}},
      {"startTime": "2026-05-01T14:05:00.000+02:00", "endTime": "2026-05-04T14:25:00.000+02:00",
       "timelineMemory": {"trip": {"distanceFromOriginKms": 5}}}
    ],
    "rawSignals": [
      {"position": {"LatLng": "47.3°, 8.5°", "accuracyMeters": 13, "altitudeMeters": 410.5,
                    "source": "WIFI", "timestamp": "2026-05-04T14:20:00.000+02:00",
                    "speedMetersPerSecond": 1.5}},
      {"activityRecord": {"probableActivities": [], "timestamp": "2026-05-04T14:20:00.000+02:00"}},
      {"wifiScan": {"deliveryTime": "2026-05-04T14:20:00.000+02:00", "devicesRecords": []}},
      {"position": {"LatLng": "47.4°, 8.5°", "accuracyMeters": 9,
                    "timestamp": "2026-05-04T14:26:00.000+02:00"}}],
    "userLocationProfile": {"frequentPlaces": [{"placeLocation": "47.1°, 8.5°"}]}}
    """

  static let iOS = """
    [
      {"endTime": "2026-05-04T12:05:00.000Z", "startTime": "2026-05-04T12:00:00.000Z",
       "visit": {"hierarchyLevel": "0", "topCandidate": {"probability": "0.4",
         "semanticType": "Home", "placeID": "ChIJ", "placeLocation": "geo:47.1,8.5"},
         "probability": "0.8"}},
      {"endTime": "2026-05-04T12:25:00.000Z", "startTime": "2026-05-04T12:05:00.000Z",
       "activity": {"start": "geo:47.1,8.5", "end": "geo:47.2,8.5",
                    "topCandidate": {"type": "walking", "probability": "0.0"},
                    "distanceMeters": "9000.0"}},
      {"timelinePath": [
         {"point": "geo:47.11,8.5", "durationMinutesOffsetFromStartTime": "6"},
         {"point": "geo:47.19,8.5", "durationMinutesOffsetFromStartTime": "24"}],
       "endTime": "2026-05-04T14:00:00.000Z", "startTime": "2026-05-04T12:00:00.000Z"}
    ]
    """

  /// A text and its expected content.
  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: String
    /// The latitudes of the locations.
    let latitudes: [Double]
    /// The seconds of the locations after noon on 4 May 2026; nil without a time.
    let seconds: [Double?]
    var waypoints = 0
    /// The number of points that are omitted as alternatives to points of the track.
    var alternatives = 0
    var skipped: [String] = []
    /// The number of locations in each segment of a track.
    var segments: [Int]?
  }

  private static func records(_ list: String) -> String { "{\"locations\":[\(list)]}" }

  /// Returns a record with a latitude in units of 1e-7°, at a number of seconds after noon.
  private static func record(_ latitude: Int, _ second: Int, _ more: String = "") -> String {
    "{\"latitudeE7\":\(latitude),\"longitudeE7\":85000000,"
      + "\"timestampMs\":\(1_777_896_000_000 + second * 1000)\(more)}"
  }

  private static func path(_ points: String, _ start: String = "2026-05-04T12:00:00Z") -> String {
    "[{\"timelinePath\":[\(points)],\"startTime\":\"\(start)\"}]"
  }

  private static let missing = "the position is missing, or none on Earth"
  private static let badTime = "the time of a position is not understood"

  static let scenarios = [
    Scenario(
      testDescription: "records", text: records, latitudes: [47.1234567, -33.9],
      seconds: [0.5, 10.25], segments: [2]),
    Scenario(
      testDescription: "a month: activities are segments, and their ends are in order",
      text: month, latitudes: [47, 47.1, 47.2, 47.3, 47.4, 47.5],
      seconds: [0, 600, 1200, 1800, 5400, 6000], waypoints: 1, alternatives: 2, segments: [4, 2]),
    Scenario(
      testDescription: "Android: raw signals and the ends of activities accompany the path",
      text: android, latitudes: [47.1371154, -47.2], seconds: [300, 1500], waypoints: 1,
      alternatives: 4, segments: [2]),
    Scenario(
      testDescription: "raw signals alone",
      text: "{\"rawSignals\":[{\"position\":{\"LatLng\":\"47.3°, 8.5°\"}}]}", latitudes: [47.3],
      seconds: [nil]),
    Scenario(
      testDescription: "raw signals are the track if no path has a position",
      text: """
        {"semanticSegments":[{"timelinePath":[{"point":"nowhere"}]}],
        "rawSignals":[{"position":{"LatLng":"47.3°, 8.5°","timestamp":"2026-05-04T12:00:01Z"}}]}
        """, latitudes: [47.3], seconds: [1], skipped: ["line 1: \(missing)"]),
    Scenario(
      testDescription: "iOS", text: iOS, latitudes: [47.11, 47.19], seconds: [360, 1440],
      waypoints: 1, alternatives: 2, segments: [2]),
    Scenario(
      testDescription: "Android: an activity that no path covers is a segment of its own",
      text: android.replacing(
        "2026-05-04T14:05:00.000+02:00\", \"endTime\": \"2026-05-04T14:25",
        with: "2026-05-04T15:00:00.000+02:00\", \"endTime\": \"2026-05-04T16:00"),
      latitudes: [47.1371154, -47.2, 47.1, 47.2], seconds: [300, 1500, 3600, 7200],
      waypoints: 1, alternatives: 2, segments: [2, 2]),
    Scenario(
      testDescription: "activities without a path, and one before a path",
      text: """
        [{"startTime":"2026-05-04T12:00:00Z","endTime":"2026-05-04T12:10:00Z",
        "activity":{"start":"geo:1,2","end":"geo:2,2"}},
        {"startTime":"2026-05-04T12:20:00Z","endTime":"2026-05-04T12:30:00Z",
        "activity":{"start":"geo:3,2","end":"geo:4,2"}},
        {"startTime":"2026-05-04T13:20:00Z","endTime":"2026-05-04T13:30:00Z",
        "activity":{"start":{"latLng":"7°, 2°"},"end":{"latLng":"8°, 2°"}}},
        {"startTime":"2026-05-04T12:20:00Z","endTime":"2026-05-04T13:00:00Z","timelinePath":[
        {"point":"geo:5,2","durationMinutesOffsetFromStartTime":"5"},
        {"point":"geo:6,2","durationMinutesOffsetFromStartTime":"20"}]}]
        """, latitudes: [1, 2, 5, 6, 7, 8], seconds: [0, 600, 1500, 2400, 4800, 5400],
      alternatives: 2),
    Scenario(
      testDescription: "an activity alone, beside raw signals",
      text: """
        {"semanticSegments":[{"startTime":"2026-05-04T12:00:00Z","endTime":"2026-05-04T12:10:00Z",
        "activity":{"start":"geo:1,2","end":"geo:2,2"}}],
        "rawSignals":[{"position":{"LatLng":"47.3°, 8.5°","timestamp":"2026-05-04T12:00:01Z"}}]}
        """, latitudes: [1, 2], seconds: [0, 600], alternatives: 1),
    Scenario(
      testDescription: "visits alone stand in for a track",
      text: """
        [{"startTime":"2026-05-04T12:00:00Z","visit":{"topCandidate":{"placeLocation":"geo:1,2"}}}]
        """, latitudes: [1], seconds: [0], waypoints: 1),
    Scenario(
      testDescription: "an unsigned number is corrected, other numbers out of range are not",
      text: records(
        [
          record(3_955_967_296, 0), record(900_000_001, 1), record(4_294_967_297, 2),
          record(-900_000_001, 3), record(900_000_000, 4), record(Int.max, 5), record(Int.min, 6),
          record(10_000_000, 7).replacing("85000000", with: "3444967296"),
          record(20_000_000, 8).replacing("85000000", with: "1800000001"),
          record(30_000_000, 9).replacing("85000000", with: "-1800000000"),
        ].joined(separator: ",")), latitudes: [-33.9, 90, 1, 3], seconds: [0, 4, 7, 9],
      skipped: Array(repeating: "line 1: \(missing)", count: 6)),
    Scenario(
      testDescription: "records without a position or with a damaged one",
      text: """
        {"locations":[{"timestampMs":"1"},
        {"latitudeE7":"471234567","longitudeE7":1,"timestampMs":"1"},
        {"latitudeE7":47.5,"longitudeE7":1}, 5, null, [7],
        \(record(470_000_000, 5))]}
        """, latitudes: [47], seconds: [5],
      skipped: [
        "line 1: \(missing)", "line 2: \(missing)", "line 3: \(missing)",
        "line 3: the element of a list is no object", "line 3: the element of a list is no object",
        "line 3: the element of a list is no object",
      ]),
    Scenario(
      testDescription: "a damaged time leaves the position",
      text: records(
        [
          record(470_000_000, 0), "{\"latitudeE7\":1,\"longitudeE7\":1,\"timestamp\":\"noon\"}",
          "{\"latitudeE7\":2,\"longitudeE7\":1,\"timestampMs\":\"253402300800000\"}",
          "{\"latitudeE7\":3,\"longitudeE7\":1,\"timestampMs\":-1}",
        ].joined(separator: ",")), latitudes: [47, 1e-7, 2e-7, 3e-7], seconds: [0, nil, nil, nil],
      skipped: Array(repeating: "line 1: \(badTime)", count: 3)),
    Scenario(
      testDescription: "minutes without a valid start, and no minutes",
      text: path(
        """
        {"point":"geo:1,2","durationMinutesOffsetFromStartTime":"2"},
        {"point":"geo:2,2","durationMinutesOffsetFromStartTime":"two"},
        {"point":"geo:3,2"},
        {"point":"geo:4,2","durationMinutesOffsetFromStartTime":3,"time":"2026-05-04T12:01:00Z"},
        {"time":"2026-05-04T12:02:00Z","durationMinutesOffsetFromStartTime":3,"point":"geo:5,2"}
        """, "then"), latitudes: [1, 2, 3, 4, 5], seconds: [nil, nil, nil, 60, 120],
      skipped: ["line 1: \(badTime)", "line 2: \(badTime)"]),
    Scenario(
      testDescription: "texts that are no coordinate",
      text: path(
        [
          "geo:1", "geo:1,2,3", "geo:91,2", "1°,2°,", "geo:1,2;u=3", "", "1° 2°", "geo:geo:1,2",
          " 5 ° , 6°", "inf,1", "0x1,1",
        ].map { "{\"point\":\"\($0)\"}" }.joined(separator: ",")), latitudes: [5],
      seconds: [nil], skipped: Array(repeating: "line 1: \(missing)", count: 10)),
    Scenario(
      testDescription: "a time that goes back begins a segment",
      text: records(
        [record(1, 10), record(2, 20), record(3, 0), record(4, 5)].joined(separator: ",")),
      latitudes: [1e-7, 2e-7, 3e-7, 4e-7], seconds: [10, 20, 0, 5], segments: [2, 2]),
    Scenario(
      testDescription: "ends of an activity out of order with its path are left out",
      text: month.replacing("2026-05-04T12:10:00Z", with: "2026-05-04T11:10:00Z")
        .replacing("1777897200000", with: "1777899600000"),
      latitudes: [47.1, 47.2, 47.4, 47.5], seconds: [-3000, 3600, 5400, 6000], waypoints: 1,
      alternatives: 4, segments: [2, 2]),
    Scenario(
      testDescription: "ends of an activity without a time are left out",
      text: """
        {"timelineObjects":[{"activitySegment":{"startLocation":{"latitudeE7":1,"longitudeE7":1},
        "endLocation":{"latitudeE7":1,"longitudeE7":1}}}]}
        """, latitudes: [], seconds: [], alternatives: 2),
    Scenario(
      testDescription: "unknown elements, and a visit without a place",
      text: """
        {"timelineObjects":[{},{"other":{"latitudeE7":1,"longitudeE7":1}},
        {"placeVisit":{"location":{}}},{"activitySegment":{}}]}
        """, latitudes: [], seconds: [],
      skipped: [
        "line 1: the element is not understood", "line 1: the element is not understood",
        "line 2: \(missing)",
      ]),
    Scenario(
      testDescription: "concatenated files", text: records + "\n" + records,
      latitudes: [47.1234567, -33.9, 47.1234567, -33.9], seconds: [0.5, 10.25, 0.5, 10.25],
      segments: [2, 2]),
    Scenario(
      testDescription: "names twice, and lists where objects are",
      text: """
        {"locations":[],"locations":{"latitudeE7":1,"latitudeE7":10000000,"longitudeE7":1,
        "timestampMs":[1],"accuracy":{"accuracy":1}}} 7
        """, latitudes: [1], seconds: [nil],
      skipped: ["line 2: the value is no location history"]),
  ]

  @Test(arguments: scenarios) func reads(_ scenario: Scenario) throws {
    let recording = try recording(scenario.text)
    #expect(recording.format == .googleLocationHistory)
    #expect(recording.locations.map(\.latitude) == scenario.latitudes)
    let noon = date("2026-05-04T12:00:00Z")
    #expect(recording.times.map { $0?.timeIntervalSince(noon) } == scenario.seconds)
    #expect(recording.waypoints.count == scenario.waypoints)
    #expect(recording.omitted.alternativePointCount == scenario.alternatives)
    #expect(recording.skipped.parts.map(\.description) == scenario.skipped)
    #expect(recording.skipped.count == scenario.skipped.count)
    if let segments = scenario.segments {
      let options = TrackOptions(maximumInterval: .seconds(100_000))
      #expect(Track(recording, options: options).segments.map(\.locations.count) == segments)
      #expect(recording.pointKind == .track)
    }
  }

  // MARK: Values

  @Test func aRecordHasItsValues() throws {
    let first = try #require(try recording(Self.records).locations.first)
    #expect((first.latitude, first.longitude) == (47.1234567, -8.5))
    #expect((first.horizontalAccuracy, first.verticalAccuracy) == (20, 3))
    #expect((first.speed, first.course) == (10, 270))
    #expect((first.ellipsoidalAltitude, first.altitude) == (150, nil))
    #expect(first.sourceInformation?.device == "-1234567890")
    #expect(first.sourceInformation?.isSimulated == true)
  }

  /// Core Location's altitude is relative to mean sea level.
  @Test func anAltitudeOfIOSIsLeftOut() throws {
    let text = Self.records.replacing("ANDROID", with: "IOS")
    let first = try #require(try recording(text).locations.first)
    #expect(first.ellipsoidalAltitude == nil)
    #expect(first.altitude == nil)
    #expect(first.speed == 10)
  }

  @Test func aRawSignalHasItsValues() throws {
    let text = Self.android.replacing("\"semanticSegments\"", with: "\"others\"")
    let recording = try recording(text)
    #expect(recording.locations.map(\.latitude) == [47.3, 47.4])
    let first = try #require(recording.locations.first)
    #expect((first.horizontalAccuracy, first.ellipsoidalAltitude, first.speed) == (13, 410.5, 1.5))
    #expect(recording.skipped.isEmpty)
    #expect(recording.omitted.isEmpty)
  }

  @Test func aVisitIsAWaypoint() throws {
    let inn = try #require(try recording(Self.month).waypoints.first)
    #expect((inn.name, inn.details, inn.type) == ("Inn", "Main Street 1", "TYPE_WORK"))
    #expect(inn.timestamp == date("2026-05-04T12:30:00Z"))
    #expect(inn.coordinate.latitude == 47.3)
    #expect(inn.comment == nil)
    for text in [Self.android, Self.iOS] {
      let home = try #require(try recording(text).waypoints.first)
      #expect(home.coordinate.latitude == 47.1)
      #expect(home.name == nil)
      #expect(home.type?.lowercased() == "home")
      #expect(home.timestamp == date("2026-05-04T12:00:00Z"))
    }
  }

  /// In a monthly file, each point of a path may have an accuracy.
  @Test func aPathHasItsAccuracies() throws {
    let accuracies = try recording(Self.month).locations.map(\.horizontalAccuracy)
    #expect(accuracies == [nil, 12, nil, nil, nil, nil])
  }

  // MARK: Recognition

  @Test(arguments: [
    "{\"locations\":[]}", "{\"a\":{\"type\":1},\"b\":\"class\",\"locations\":[]}",
    "{\"timelineObjects\":[]}", "{\"semanticSegments\":[]}", "{\"rawSignals\":[]}",
    "{\"userLocationProfile\":{\"type\":1},\"semanticSegments\":[]}",
    " [ {\"endTime\":\"\",\"visit\":{}}]", "[{},{\"startTime\":1,\"timelinePath\":[]}]",
    "[{\"activity\":{}}]", "[{\"timelineMemory\":{}}]",
  ])
  func isRecognized(_ text: String) throws {
    #expect(try recording(text).format == .googleLocationHistory)
  }

  @Test(arguments: [
    ("{\"type\":\"FeatureCollection\",\"locations\":[],\"features\":[]}", RecordingFormat.geoJSON),
    ("{\"class\":\"TPV\",\"locations\":[]}", .gpsd),
    ("{\"_type\":\"lwt\",\"locations\":[]}", .ownTracks),
  ])
  func theFirstKnownKeyDecidesTheFormat(_ text: String, _ format: RecordingFormat) throws {
    #expect(try recording(text).format == format)
  }

  @Test(arguments: [
    "[{\"startTime\":\"\"}]", "[[{\"visit\":1}]]", "[1]", "{\"a\":{\"locations\":1}}",
  ])
  func isNotRecognized(_ text: String) {
    let error = #expect(throws: RecordingError.self) { try recording(text) }
    #expect(error?.code == .unknownFormat)
    #expect(error?.message.contains("Google location history") == true)
  }

  // MARK: Damage

  struct Damage: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: String
    let code: RecordingError.Code
    let line: Int
    let word: String
  }

  static let damages = [
    Damage(
      testDescription: "cut", text: String(records.dropLast(4)), code: .malformed, line: 8,
      word: "cut"),
    Damage(
      testDescription: "cut in a text", text: "{\"locations\":[\n{\"source\":\"WI",
      code: .malformed,
      line: 2, word: "cut"),
    Damage(
      testDescription: "no comma", text: "{\"locations\":[\n{}\n{}]}", code: .malformed, line: 3,
      word: "correct"),
    Damage(
      testDescription: "text after the end", text: "{\"locations\":[]}\n}", code: .malformed,
      line: 2,
      word: "correct"),
    Damage(
      testDescription: "nesting", text: "{\"locations\":\n" + String(repeating: "[", count: 100),
      code: .malformed, line: 2, word: "levels deep"),
    Damage(
      testDescription: "a path without end",
      text: "[{\"timelinePath\":[\n"
        + String(repeating: "{},", count: GoogleHistoryAssembly.maximumPath) + "\n{}]}]",
      code: .tooLarge, line: 3, word: "65536"),
  ]

  @Test(arguments: damages) func damagedHistoriesAreRefused(_ damage: Damage) {
    let error = #expect(throws: RecordingError.self) { try recording(damage.text) }
    #expect(error?.code == damage.code)
    #expect(error?.line == damage.line)
    #expect(error?.message.contains(damage.word) == true, "\(error?.message ?? "")")
  }

  /// The result does not depend on how the text is divided into pieces.
  @Test(arguments: [records, month, android, iOS])
  func piecesAreReadLikeTheWholeText(_ text: String) throws {
    let whole = try recording(text)
    for length in [1, 2, 7, 64] {
      var reader = RecordingReader(options: RecordingOptions(start: start))
      var events: [TimedEvent] = []
      var waypoints: [Waypoint] = []
      let bytes = Array(text.utf8)
      for piece in bytes.pieces(of: length) {
        events += try reader.read(piece)
        waypoints += reader.waypoints
      }
      events += try reader.finish()
      #expect(events == whole.events)
      #expect(waypoints + reader.waypoints == whole.waypoints)
      #expect(reader.omitted == whole.omitted)
      #expect(reader.skipped == whole.skipped)
    }
  }

  /// Each sample is cut at each byte, and each of its bytes is changed.
  @Test("F53 damaged location histories are read or refused", .longWork) func survivesDamage() {
    let replacements: [UInt8] = [0, 10, 34, 44, 49, 91, 93, 123, 125, 0xFF]
    for text in [Self.month, Self.android, Self.iOS] {
      let bytes = Array(text.replacing(" ", with: "").utf8)
      for index in bytes.indices {
        _ = try? recording(Array(bytes[..<index]))
        var changed = bytes
        changed[index] = replacements[index % replacements.count]
        _ = try? recording(changed)
      }
    }
  }
}
