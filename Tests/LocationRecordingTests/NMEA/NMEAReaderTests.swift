import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct NMEAReaderTests {
  static func gga(_ time: String, _ rest: String = "1,08,1.0,100.5,M,20.0,M,,") -> String {
    "GPGGA,\(time),4807.0380,N,01131.0000,E,\(rest)"
  }

  static func rmc(_ time: String, _ day: String, status: String = "A") -> String {
    "GPRMC,\(time),\(status),4807.0380,N,01131.0000,E,10.0,084.4,\(day),003.1,W,A"
  }

  @Test func mergesTheSentencesOfAnEpoch() throws {
    let recording = try recording(
      sentences([
        Self.gga("120000.25"), "GPGSA,A,3,01,02,,,,,,,,,,,2.0,1.0,1.7",
        "GPGSV,1,1,02,01,40,083,46,02,17,308,", Self.rmc("120000.25", "040526"),
        "GPHDT,90.5,T", Self.gga("120001.25"),
      ]))
    #expect(recording.format == .nmea)
    #expect(recording.events.count == 4)
    let location = try #require(recording.locations.first)
    #expect(location.timestamp == date("2026-05-04T12:00:00.25Z"))
    #expect(abs(location.latitude - 48.1173) < 1e-9)
    #expect(abs(location.longitude - 11.5166666667) < 1e-9)
    #expect(location.altitude == 100.5)
    #expect(location.ellipsoidalAltitude == 120.5)
    #expect(abs(try #require(location.speed) - 5.144444) < 1e-6)
    #expect(location.course == 84.4)
    #expect(location.horizontalAccuracy == 19)
    #expect(abs(try #require(location.verticalAccuracy) - 39.1) < 1e-9)
    #expect(location.sourceInformation == SourceInformation(isSimulated: true))
    #expect(location.gnss?.mode == .threeDimensional)
    #expect(location.gnss?.status == .autonomous)
    #expect(location.gnss?.satellitesUsed == 8)
    #expect(location.gnss?.satellitesVisible == 2)
    #expect(location.gnss?.magneticVariation == -3.1)
    guard case .satellites(let view) = recording.events[0].event,
      case .heading(let heading) = recording.events[2].event
    else {
      Issue.record("\(recording.events)")
      return
    }
    #expect(view.satellites.map(\.prn) == [1, 2])
    #expect(view.satellites.map(\.isUsed) == [true, true])
    #expect(view.satellites.map(\.signalStrength) == [46, nil])
    #expect(heading.trueHeading == 90.5)
    #expect(heading.source == .compass)
    #expect(recording.events.map(\.offset) == [.zero, .zero, .zero, .seconds(1)])
  }

  struct Dated: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let bodies: [String]
    let times: [String?]

    init(_ description: String, _ bodies: [String], _ times: [String?]) {
      (testDescription, self.bodies, self.times) = (description, bodies, times)
    }
  }

  static let dated = [
    Dated(
      "before the first date", [gga("235958"), gga("235959"), rmc("000000", "050526")],
      ["2026-05-04T23:59:58Z", "2026-05-04T23:59:59Z", "2026-05-05T00:00:00Z"]),
    Dated(
      "midnight without a date",
      [rmc("235959.5", "311226"), gga("235959.9"), gga("000000.4"), gga("120000"), gga("000001")],
      [
        "2026-12-31T23:59:59.5Z", "2026-12-31T23:59:59.9Z", "2027-01-01T00:00:00.4Z",
        "2027-01-01T12:00:00Z", nil,
      ]),
    Dated("no date at all", [gga("120000"), gga("120001")], [nil, nil]),
    Dated("a leap second", [rmc("235960", "311216")], ["2017-01-01T00:00:00Z"]),
    Dated(
      "a date from ZDA", ["GPZDA,120000,04,05,2026,00,00", gga("120000")],
      ["2026-05-04T12:00:00Z"]),
    Dated("week 0 of the second era", [rmc("000231.42", "220899")], [nil]),
    Dated("the first era", [rmc("120000", "180998")], [nil]),
    Dated("no such day", [rmc("120000", "310226")], [nil]),
    Dated("no such year", [rmc("120000", "2208-1")], [nil]),
    Dated("far in the future", [rmc("120000", "040579")], [nil]),
    Dated(
      "an era lost", [rmc("120000", "040526"), rmc("120001", "180906"), gga("120002")],
      ["2026-05-04T12:00:00Z", "2026-05-04T12:00:01Z", "2026-05-04T12:00:02Z"]),
    Dated(
      "an era found", [rmc("120000", "180906"), rmc("120001", "040526")],
      ["2006-09-18T12:00:00Z", "2026-05-04T12:00:01Z"]),
    Dated(
      "a time that jumps back", [rmc("120000", "040526"), gga("110000")],
      ["2026-05-04T12:00:00Z", nil]),
  ]

  @Test(arguments: dated)
  func timesOfDayGetTheirDates(_ dated: Dated) throws {
    let recording = try recording(sentences(dated.bodies))
    #expect(recording.times == dated.times.map { $0.map(date) })
  }

  static let voidSentences = [
    gga("120000", "0,00,,,M,,M,,"), rmc("120000", "040526", status: "V"),
    "GPGLL,4807.0380,N,01131.0000,E,120000,V,N", "GNGNS,120000,4807.0,N,01131.0,E,NN,0,,,,,",
    "GPGGA,120000,,,,,1,08,1.0,,M,,M,,", "GPGGA,120000,9107.0,N,01131.0,E,1,08,1,1,M,1,M,,",
    "GPGGA,120000,4867.0,N,01131.0,E,1,08,1,1,M,1,M,,", "GPGGA,120000,4807.0,X,01131.0,E,1,,,,,,,,",
    "GPGGA,120000,nan,N,01131.0,E,1,08,1,1,M,1,M,,", "GPGGA,120000,1e9,N,1e9,E,1,08,1,1,M,1,M,,",
  ]

  @Test func countsTimesWithoutAFix() throws {
    let found = try recording(
      sentences([
        Self.rmc("120000", "040526", status: "V"), Self.gga("120000", "0,00,,,M,,M,,"),
        "GPHDT,90.5,T", Self.rmc("120001", "040526"), "GPVTG,1.0,T,,M,1.0,N,,K,A",
      ]))
    #expect(found.locations.count == 1)
    #expect(found.omitted.unlocatedCount == 1)
  }

  @Test func readsWaypointsOnce() throws {
    let bodies = [
      "GPWPL,4807.038,N,01131.000,E,HARBOR", "GPWPL,4807.038,N,01131.000,W,",
      "GPWPL,4867.038,N,01131.000,E,BAD",
    ]
    let found = try recording(
      sentences(bodies + [Self.rmc("120001", "040526")] + bodies.prefix(2)))
    #expect(found.locations.count == 1)
    #expect(found.waypoints.map(\.name) == ["HARBOR", nil])
    #expect(found.waypoints.map(\.coordinate.longitude) == [11.516_666_667, -11.516_666_667])
    #expect(found.skipped.parts.map(\.line) == [3])
  }

  @Test(arguments: [true, false])
  func waypointsAreTheTrackWithoutPositionSentences(_ hasVoidSentence: Bool) throws {
    let waypoint = "GPWPL,4807.038,N,01131.000,E,HARBOR"
    let void = hasVoidSentence ? [Self.rmc("120000", "040526", status: "V")] : []
    let found = try recording(sentences([waypoint] + void))
    #expect(found.waypoints.count == 1)
    #expect(found.locations.count == (hasVoidSentence ? 0 : 1))
  }

  @Test func theNumberOfWaypointsIsBounded() throws {
    let names = (0...NMEAReader.maximumWaypoints).map { "GPWPL,4807.038,N,01131.000,E,\($0)" }
    let found = try recording(sentences(names))
    #expect(found.waypoints.count == NMEAReader.maximumWaypoints)
    #expect(found.skipped.count == 1)
  }

  @Test(arguments: voidSentences)
  func voidSentencesGiveNoLocation(_ body: String) throws {
    #expect(try recording(sentences([body])).locations.isEmpty)
  }

  @Test(arguments: ["123456e99", "240000", "126000", "120061", "1200", "12000a", "-12000"])
  func invalidTimesAreSkipped(_ time: String) throws {
    let found = try recording(sentences([Self.rmc("115959", "040526"), Self.gga(time)]))
    #expect(found.locations.count == 1)
    #expect(found.locations.first?.altitude == nil)
    #expect(found.skipped.parts.map(\.line) == [2])
  }

  @Test func pacesPositionsWithoutTimes() throws {
    let found = try recording(sentences([Self.gga(""), Self.gga(""), Self.gga("")]))
    #expect(found.times == [nil, nil, nil])
    #expect(found.events.map(\.offset) == [.zero, .seconds(1), .seconds(2)])
  }

  @Test func aVoidSentenceInvalidatesItsEpoch() throws {
    let both = sentences([Self.gga("120000"), Self.rmc("120000", "040526", status: "V")])
    #expect(try recording(both).locations.isEmpty)
  }

  @Test func aVTGBeforeThePositionBelongsToIt() throws {
    let cycle = { (second: Int) in
      [
        "GPVTG,\(second).0,T,,M,1\(second).0,N,,K,A", Self.gga("12000\(second)"),
      ]
    }
    let recording = try recording(sentences((0..<3).flatMap(cycle)))
    #expect(recording.locations.map(\.course) == [0, 1, 2])
    #expect(
      recording.locations.map { $0.speed.map { ($0 * 3600 / 1852).rounded() } } == [10, 11, 12])
  }

  @Test(arguments: [
    ("GNTHS,12.5,A", 12.5 as Double?), ("GNTHS,12.5,V", nil), ("HEHDT,359.9,T", 359.9),
    ("HEHDT,,T", nil), ("HEHDT,14223,T", nil),
  ])
  func readsHeadings(_ body: String, _ heading: Double?) throws {
    let recording = try recording(sentences([Self.rmc("120000", "040526"), body]))
    let headings = recording.events.compactMap { event -> Double? in
      if case .heading(let heading) = event.event { heading.trueHeading } else { nil }
    }
    #expect(headings == [heading].compactMap(\.self))
  }

  @Test(arguments: [
    (1, GNSSFix.Status.autonomous), (2, .differential), (3, .precise), (4, .rtkFixed),
    (5, .rtkFloat), (6, .deadReckoning), (7, .surveyed), (8, .simulated),
  ])
  func readsTheQuality(_ quality: Int, _ status: GNSSFix.Status) throws {
    let body = Self.gga("120000", "\(quality),08,1.0,100.5,M,20.0,M,3.5,0123")
    let fix = try #require(try recording(sentences([body])).locations.first?.gnss)
    #expect(fix.status == status)
    #expect(fix.differentialAge == 3.5)
    #expect(fix.differentialStation == 123)
  }

  @Test func readsGNSAndGST() throws {
    let recording = try recording(
      sentences([
        "GNGNS,120000.00,4807.0380,N,01131.0000,E,RDNN,12,0.6,100.5,20.0,1.5,0007",
        "GNGST,120000.00,1,2,3,4,3.0,4.0,5.0",
      ]))
    let location = try #require(recording.locations.first)
    #expect(location.gnss?.status == .rtkFixed)
    #expect(location.altitude == 100.5)
    #expect(location.horizontalAccuracy == 10)
    #expect(location.verticalAccuracy == 10)
  }

  @Test func theAltitudeOfATwoDimensionalFixIsLeftOut() throws {
    let bodies = [Self.gga("120000"), "GPGSA,A,2,01,02,03,,,,,,,,,,2.0,1.0,1.7"]
    let location = try #require(try recording(sentences(bodies)).locations.first)
    #expect(location.gnss?.mode == .twoDimensional)
    #expect(location.altitude == nil)
  }

  static let good = String(decoding: sentences([rmc("120000", "040526")]), as: UTF8.self)

  @Test(arguments: [
    ("a wrong checksum", good.replacing("48", with: "47"), 0, 1),
    ("a prefix", "2026-05-04 12:00 rx: " + good, 1, 0),
    ("a tag block", "\\s:gps,c:1577836800*5A\\" + good, 1, 0),
    ("a comment", "# $GPRMC,*\n" + good, 1, 0),
    ("a carriage return alone", good.replacing("\r\n", with: "\r") + good, 1, 0),
    ("no line end", good.replacing("\r\n", with: ""), 1, 0),
    ("glued to a part", "$GPGGA,12000" + good, 1, 0),
    ("a part without a checksum", good + "$GPRMC,120001,A,4807.0380,N,0113\n", 1, 1),
    ("a NUL", good.replacing("A,4807", with: "A,\0"), 0, 1),
    ("AIS", "!AIVDM,1,1,,B,13aGhtw0R<OJf=6LgQ?Ad1FF05`L,0*24\n" + good, 1, 0),
    ("proprietary", "$PUBX,00,120000.00,4807.038,N*00\n" + good, 1, 1),
    ("an unknown one", "$GPXYZ,1,2\n" + good, 1, 0),
    ("minutes over 60", "$GPRMC,120001,A,6099.2,N,01131.0,E,0,0,040526,,,A\n", 0, 1),
    ("words as a position", "$GPRMC,120001,A,abc,N,01131.0,E,0,0,040526,,,A\n", 0, 1),
    ("beyond a pole", "$GPGGA,120001,9110.0,N,01131.0,E,1,08,1,10,M,0,M,,\n", 0, 1),
    ("no fix", "$GPGGA,120001,,,,,0,00,99.99,,,,,,\n$GPRMC,120001,V,,,,,,,040526,,,N\n", 0, 0),
  ])
  func reads(name: String, text: String, locations: Int, skipped: Int) throws {
    let found = try recording(text)
    #expect(found.locations.count == locations, "\(name)")
    #expect(found.skipped.count == skipped, "\(name): \(found.skipped)")
  }

  @Test func readsSentencesAmongOtherBytes() throws {
    var bytes: [UInt8] = [0xB5, 0x62, 0x01, 0x07, 0x0A, 0x24, 0xFF]
    bytes += Array(Self.good.utf8) + [0xB5, 0x62, 0x24, 0x24, 0x0D] + Array(Self.good.utf8)
    #expect(try recording(bytes).locations.count == 1)
  }

  @Test(.longWork) func aRecordingCutAnywhereIsRead() throws {
    let whole = Array(Self.good.utf8) + sentences([Self.gga("120001")])
    for length in 0..<whole.count {
      #expect(try recording(whole + whole.prefix(length)).locations.count >= 2)
    }
  }
}
