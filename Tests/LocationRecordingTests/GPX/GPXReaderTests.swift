import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct GPXReaderTests {
  static func gpx(_ body: String, version: String = "1/1") -> String {
    """
    <?xml version="1.0"?>
    <gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/\(version)">
    \(body)
    </gpx>
    """
  }

  static func track(_ points: String) -> String {
    gpx("<trk><name>n</name><trkseg>\(points)</trkseg></trk>")
  }

  @Test func readsEveryElement() throws {
    let recording = try recording(
      Self.track(
        """
        <trkpt lat="60.5" lon="-24.25"><ele>12.5</ele><time>2026-05-04T12:00:00.125Z</time>\
        <magvar>351</magvar><geoidheight>17.5</geoidheight><fix>3d</fix><sat>9</sat>\
        <hdop>1.5</hdop><vdop>2</vdop><pdop>2.5</pdop><ageofdgpsdata>4</ageofdgpsdata>\
        <dgpsid>7</dgpsid><extensions><x:TrackPointExtension xmlns:x="urn:x"><x:speed>3.5</x:speed>\
        <x:course>270</x:course></x:TrackPointExtension></extensions></trkpt>
        """))
    #expect(recording.format == .gpx)
    #expect(recording.skipped.isEmpty)
    let expected = try Location(
      latitude: 60.5, longitude: -24.25, timestamp: date("2026-05-04T12:00:00.125Z"),
      altitude: 12.5, speed: 3.5, course: 270,
      sourceInformation: SourceInformation(isSimulated: true),
      gnss: GNSSFix(
        mode: .threeDimensional,
        dilutionOfPrecision: DilutionOfPrecision(horizontal: 1.5, vertical: 2, position: 2.5),
        satellitesUsed: 9, magneticVariation: -9, geoidSeparation: 17.5, differentialAge: 4,
        differentialStation: 7))
    #expect(recording.locations == [expected])
  }

  @Test func readsGPX10() throws {
    let body = """
      <trk><trkseg><trkpt lat="1" lon="2"/><trkpt lat="3" lon="4"></trkpt>
      <trkpt lat="5" lon="6"><time>2026-05-04T12:00:00Z</time><course>10</course>\
      <speed>2</speed></trkpt></trkseg></trk>
      """
    let recording = try recording(Self.gpx(body, version: "1/0"))
    #expect(recording.locations.map(\.latitude) == [1, 3, 5])
    #expect(recording.locations.map(\.speed) == [nil, nil, 2])
    #expect(recording.locations.map(\.course) == [nil, nil, 10])
    #expect(recording.times == [nil, nil, date("2026-05-04T12:00:00Z")])
    let offsets = recording.events.compactMap { event -> Duration? in
      guard case .location = event.event else { return nil }
      return event.offset
    }
    #expect(offsets == [.zero, .seconds(1), .seconds(2)])
  }

  @Test(arguments: [
    ("2026-05-04T12:00:00Z", "2026-05-04T12:00:00Z"),
    ("2026-05-04T14:30:00+02:30", "2026-05-04T12:00:00Z"),
    ("2026-05-04T12:00:00.123456789Z", "2026-05-04T12:00:00.123456789Z"),
    (" 2026-05-04T12:00:00\n", "2026-05-04T12:00:00Z"),
    ("<![CDATA[2026-05-04T12:00:00Z]]>", "2026-05-04T12:00:00Z"),
    ("2026-05-04T12:00:0&#48;Z", "2026-05-04T12:00:00Z"), ("2026-02-30T12:00:00Z", nil),
    ("yesterday", nil), ("", nil),
  ])
  func readsTimes(_ text: String, _ expected: String?) throws {
    let recording = try recording(
      Self.track(#"<trkpt lat="1" lon="2"><time>\#(text)</time></trkpt>"#))
    #expect(recording.times == [expected.map(date)])
    #expect(recording.skipped.count == (expected == nil && !text.isEmpty ? 1 : 0))
  }

  /// Each point, with its number of locations and its number of skipped parts.
  @Test(arguments: [
    (#"<trkpt lat="91" lon="2"/>"#, 0, 1), (#"<trkpt lat="nan" lon="2"/>"#, 0, 1),
    (#"<trkpt lat="0x1p3" lon="2"/>"#, 0, 1), (#"<trkpt lat="1e400" lon="2"/>"#, 0, 1),
    (#"<trkpt lon="2"/>"#, 0, 1), (#"<trkpt lat="" lon=""/>"#, 0, 1),
    (#"<trkpt lat="1" lon="180.0000001"/>"#, 0, 1), (#"<trkpt lat=" 1 " lon="2"/>"#, 1, 0),
    (#"<trkpt lat="1" lon="2"><ele>nan</ele><speed>-1</speed></trkpt>"#, 1, 0),
    (#"<trkpt lat="1" lon="2"><ele>1e300</ele></trkpt>"#, 1, 1),
    (#"<trkpt lat="1" lon="2"><trkpt lat="3" lon="4"/></trkpt>"#, 1, 0),
  ])
  func skipsOnlyInvalidPoints(point: String, count: Int, skipped: Int) throws {
    let good = #"<trkpt lat="5" lon="6"/>"#
    let recording = try recording(Self.track("\n" + point + good))
    #expect(recording.locations.count == count + 1)
    #expect(recording.locations.first?.altitude == nil)
    #expect(recording.locations.first?.speed == nil)
    #expect(recording.skipped.parts.map(\.line) == Array(repeating: 4, count: skipped))
  }

  /// The point is kept. Texts that programs write for an absent value, such as "NaN", are not
  /// counted.
  @Test("F83 a value that cannot be read is counted") func aWrongValueIsCounted() throws {
    let names = [
      "ele", "speed", "course", "magvar", "geoidheight", "sat", "hdop", "vdop", "pdop",
      "ageofdgpsdata", "dgpsid",
    ]
    for name in names {
      for (text, count) in [
        ("413,5", 1), ("high", 1), ("0x10", 1), ("", 0), (" ", 0), ("NaN", 0), ("--", 0), ("9", 0),
      ] {
        let found = try recording(
          Self.track("\n<trkpt lat=\"1\" lon=\"2\"><\(name)>\(text)</\(name)></trkpt>"))
        #expect(found.locations.count == 1)
        #expect(found.skipped.parts.map(\.line) == (count == 0 ? [] : [4]), "\(name) \(text)")
        #expect(found.skipped.count == count)
      }
    }
  }

  /// GPX 1.1: "none means GPS had no fix".
  @Test("F83 a point without a fix is no location") func pointWithoutAFixIsNoLocation() throws {
    func point(_ name: String, _ latitude: Int) -> String {
      "<\(name) lat=\"\(latitude)\" lon=\"2\"><fix>none</fix><sat>0</sat><hdop>99</hdop></\(name)>\n"
    }
    let good = #"<trkpt lat="5" lon="6"><fix>2d</fix></trkpt>"#
    let track = "<trk><trkseg>\n\(point("trkpt", 1))\(good)</trkseg></trk>"
    let found = try recording(Self.gpx(point("wpt", 3) + track))
    #expect(found.locations.map(\.latitude) == [5])
    #expect(found.locations.map { $0.gnss?.mode } == [.twoDimensional])
    #expect(found.waypoints.map(\.coordinate.latitude) == [3])
    #expect(found.skipped.parts.map(\.line) == [5])
    // Route planners write "none". Their points are locations without a mode.
    let route = try recording(Self.gpx("<rte>\(point("rtept", 1))\(point("rtept", 4))</rte>"))
    #expect(route.locations.map(\.latitude) == [1, 4])
    #expect(route.locations.allSatisfy { $0.gnss == nil })
    #expect(route.skipped.isEmpty)
    let feature =
      #"{"type":"Feature","properties":{"fix":"none"},"geometry":{"type":"Point","coordinates":[2,1]}}"#
    let point = try recording(feature)
    #expect(point.locations.isEmpty)
    #expect(point.skipped.count == 1)
  }

  struct Bad: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: String
    let code: RecordingError.Code
    let line: Int

    init(_ description: String, _ code: RecordingError.Code, line: Int, _ text: String) {
      (testDescription, self.code, self.line, self.text) = (description, code, line, text)
    }
  }

  static let bad = [
    Bad("an entity", .refused, line: 1, #"<!DOCTYPE gpx [<!ENTITY a "b">]><gpx>&a;</gpx>"#),
    Bad(
      "a file", .refused, line: 2,
      "\n<!DOCTYPE gpx [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><gpx><n>&a;</n></gpx>"),
    Bad("an external subset", .refused, line: 1, #"<!DOCTYPE gpx SYSTEM "http://x/y"><gpx/>"#),
    Bad("an undefined entity", .malformed, line: 2, "<gpx>\n&a;</gpx>"),
    Bad("cut", .malformed, line: 3, "<gpx>\n<trk>\n<trkseg>"),
    Bad("cut in a tag", .malformed, line: 2, "<gpx>\n<trk"),
    Bad("an end tag without a start tag", .malformed, line: 2, "<gpx>\n</trk>"),
    Bad("two roots", .malformed, line: 2, "<gpx/>\n<gpx/>"),
    Bad("another root", .unknownFormat, line: 1, "<svg/>"),
    Bad("another root, and cut", .unknownFormat, line: 1, "<svg>\n<a"),
    Bad("HTML", .unknownFormat, line: 1, "<html><body/></html>"),
    Bad(
      "nested too deeply", .tooLarge, line: 1, String(repeating: "<gpx>", count: 65)),
    Bad("a NUL", .malformed, line: 1, "<gpx>\u{0}"),
  ]

  @Test("F53 hostile GPX is refused with its line", arguments: bad)
  func refuses(_ bad: Bad) {
    let error = #expect(throws: RecordingError.self) { try recording(bad.text) }
    #expect(error?.code == bad.code, "\(error as Any)")
    #expect(error?.line == bad.line, "\(error as Any)")
  }

  @Test(.longWork) func refusesALongTag() {
    let text = "<gpx><trkpt lat=\"" + String(repeating: "1", count: 2 << 20)
    let error = #expect(throws: RecordingError.self) { try recording(text) }
    #expect(error?.code == .tooLarge)
  }

  @Test func readsLatin1() throws {
    let text = Self.track(#"<trkpt lat="1" lon="2"><name>é</name></trkpt>"#).replacing(
      "?>", with: #" encoding="ISO-8859-1"?>"#)
    let bytes = text.unicodeScalars.map { UInt8($0.value) }
    #expect(try recording(bytes).locations.count == 1)
  }

  /// Pieces of any length give the same result.
  @Test(arguments: [1, 2, 3, 7, 64])
  func readsPieces(_ length: Int) throws {
    let bytes = Array(Self.track(#"<trkpt lat="1.5" lon="2"><ele>3.25</ele></trkpt>"#).utf8)
    var reader = RecordingReader(options: RecordingOptions(start: start))
    var events: [TimedEvent] = []
    for piece in bytes.pieces(of: length) {
      events += try reader.read(piece)
    }
    events += try reader.finish()
    #expect(events == (try recording(bytes).events))
  }
}

@Suite(.inTurn) struct XMLNamesTests {
  /// There are more names than the reader keeps, also of elements that are open at the end of a
  /// chunk.
  @Test(.longWork, arguments: [1, 7, 1000])
  func manyNamesAreDistinguished(_ chunkLength: Int) throws {
    let names = (0..<200).map { "e\($0)" }
    let startTags = names.map { "<\($0) \($0)='1'>" }.prefix(50).joined()
    let endTags = names.prefix(50).reversed().map { "</\($0)>" }.joined()
    let rest = names.map { "<\($0)>5</\($0)>" }.joined()
    let text = """
      <gpx>\(startTags)<trkpt lat="1" lon="2">\(rest)<ele>7</ele>
      </trkpt>\(rest)<trkpt lon="4" lat="3" e7="9"><ele>8</ele></trkpt>\(endTags)</gpx>
      """
    var reader = RecordingReader(options: RecordingOptions(start: start))
    var events: [TimedEvent] = []
    for chunk in Array(text.utf8).pieces(of: chunkLength) {
      events += try reader.read(chunk)
    }
    events += try reader.finish()
    let locations = events.compactMap { event -> Location? in
      guard case .location(let location) = event.event else { return nil }
      return location
    }
    #expect(locations.map(\.latitude) == [1, 3])
    #expect(locations.map(\.longitude) == [2, 4])
    #expect(locations.map(\.altitude) == [7, 8])
  }
}

@Suite(.inTurn) struct RecordingNameTests {
  private static let point = #"<trkpt lat="1" lon="2"/>"#
  private static let points = "<trkseg>\(point)</trkseg>"

  @Test(arguments: [
    ("<trk><name>T</name><trkseg>\(point)</trkseg></trk>", "T"),
    ("<metadata><name>M</name></metadata><trk><trkseg>\(point)</trkseg></trk>", "M"),
    ("<metadata><name>M</name></metadata><trk><name>a&lt;b</name></trk>", "a<b"),
    ("<name>1.0</name>\(point)", "1.0"), ("<rte><name>R</name></rte>", "R"),
    ("<metadata><author><name>A</name></author></metadata>", nil),
    ("<wpt lat=\"1\" lon=\"2\"><name>W</name></wpt>", nil),
    ("<trk><trkseg>\(point)</trkseg></trk><trk><name>later</name></trk>", nil),
    ("<name>M</name><trk><name></name></trk>", "M"),
  ])
  func nameComesFromTheTrack(_ content: String, _ name: String?) throws {
    #expect(try recording("<gpx>\(content)</gpx>").name == name)
  }

  @Test(
    "names beside that of the track are counted",
    arguments: [
      ("<metadata><name>M</name></metadata><trk><name>a</name>\(points)</trk>", ["M"]),
      ("<trk><name>a</name>\(points)</trk><trk><name>b</name>\(points)</trk>", ["b"]),
      ("<trk><name>a</name></trk><trk><name>b</name>\(points)</trk>", ["a"]),
      ("<trk><name>a</name>\(points)</trk><trk><name>a</name>\(points)</trk>", []),
      ("<rte><name>r</name></rte><trk><name>a</name>\(points)</trk>", ["r"]),
      ("<metadata><name>a</name></metadata><trk><name>a</name>\(points)</trk>", []),
    ])
  func otherNamesAreCounted(_ content: String, _ names: [String]) throws {
    let omitted = try recording("<gpx>\(content)</gpx>").omitted
    #expect(omitted.names == names)
    #expect(omitted.nameCount == names.count)
  }

  @Test func aLongNameIsSkipped() throws {
    let name = String(repeating: "n", count: XMLTokenizer.maximumText + 1)
    let recording = try recording("<gpx><trk>\n<name>\(name)</name></trk></gpx>")
    #expect(recording.name == nil)
    #expect(recording.skipped.parts.map(\.line) == [2])
  }

  @Test(arguments: [
    (#"{"type":"FeatureCollection","name":"N","features":[]}"#, "N" as String?),
    (#"{"type":"FeatureCollection","features":[],"name":"N"}"#, "N"),
    (#"{"type":"FeatureCollection","name":1,"features":[]}"#, nil),
    (#"{"type":"Feature","name":"N","properties":{},"geometry":null}"#, nil),
  ])
  func nameComesFromTheCollection(_ content: String, _ name: String?) throws {
    #expect(try recording(content).name == name)
  }

  @Test func aTrackWithoutANameHasTheRecordingsName() throws {
    let recording = try recording("<gpx><trk><name>N</name>\(Self.point)</trk></gpx>")
    #expect(Track(recording).name == "N")
    #expect(Track(recording, name: "mine").name == "mine")
  }
}
