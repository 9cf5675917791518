import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import GPSDReports

@Suite(.inTurn) struct EventAssemblerTests {
  static func fix(_ members: String, device: String = "d") -> String {
    #"{"class":"TPV","device":"\#(device)","mode":3,"lat":47.5,"lon":-8.25,\#(members)"x":0}"#
  }

  static let time = #""time":"2026-11-20T10:20:30.400Z","#

  @Test func aFixIsALocationWithAllReportedValues() throws {
    let line = Self.fix(
      Self.time
        + #""status":3,"altHAE":500.5,"altMSL":450.25,"alt":450.25,"eph":2.5,"epx":9,"epy":9,"#
        + #""epv":4.5,"speed":12.5,"eps":0.5,"track":123.5,"epd":2.5,"climb":-0.5,"magvar":1.5,"#
        + #""geoidSep":50.25,"dgpsAge":2.5,"dgpsSta":120,"ept":0.005,"jam":40,"ant":2,"#)
    let sky =
      #"{"class":"SKY","device":"d","hdop":1.5,"vdop":2.5,"pdop":3.5,"tdop":4.5,"gdop":5.5,"xdop":6.5,"ydop":7.5,"nSat":12,"uSat":8}"#
    let location = try #require(assembled([sky, line]).locations.first)
    let expected = try Location(
      latitude: 47.5, longitude: -8.25, timestamp: date(2026, 11, 20, 10, 20, 30.4),
      altitude: 450.25,
      ellipsoidalAltitude: 500.5, horizontalAccuracy: 2.5, verticalAccuracy: 4.5, speed: 12.5,
      speedAccuracy: 0.5, course: 123.5, courseAccuracy: 2.5, climb: -0.5,
      sourceInformation: SourceInformation(device: "d", timeSource: .provisional),
      gnss: GNSSFix(
        mode: .threeDimensional, status: .rtkFixed,
        dilutionOfPrecision: DilutionOfPrecision(
          horizontal: 1.5, vertical: 2.5, position: 3.5, time: 4.5, geometric: 5.5, east: 6.5,
          north: 7.5), satellitesUsed: 8, satellitesVisible: 12, magneticVariation: 1.5,
        geoidSeparation: 50.25, differentialAge: 2.5, differentialStation: 120,
        timeUncertainty: 0.005, jamming: 40, antennaStatus: 2))
    #expect(location == expected)
  }

  @Test func unreportedValuesAreNil() throws {
    let location = try #require(
      assembled([#"{"class":"TPV","mode":2,"lat":1,"lon":2}"#]).locations.first)
    let expected = try Location(
      latitude: 1, longitude: 2, timestamp: date(2026, 11, 21),
      sourceInformation: SourceInformation(timeSource: .host),
      gnss: GNSSFix(mode: .twoDimensional))
    #expect(location == expected)
  }

  static let statuses: [(Int, GNSSFix.Status?)] = [
    (0, nil), (1, .autonomous), (2, .differential), (3, .rtkFixed), (4, .rtkFloat),
    (5, .deadReckoning), (6, .combinedDeadReckoning), (7, .surveyed), (8, .simulated),
    (9, .precise),
    (10, nil), (-1, nil),
  ]

  @Test(arguments: statuses)
  func mapsStatus(number: Int, status: GNSSFix.Status?) throws {
    let location = try #require(assembled([Self.fix(#""status":\#(number),"#)]).locations.first)
    #expect(location.gnss?.status == status)
    #expect(location.sourceInformation?.isSimulated == (number == 8))
  }

  static let altitudes: [(String, Double?, Double?)] = [
    (#""alt":3,"#, 3, nil), (#""altMSL":2,"alt":3,"#, 2, nil), (#""altHAE":1,"alt":3,"#, nil, 1),
    (#""altHAE":1,"altMSL":2,"alt":3,"#, 2, 1), (#""altMSL":null,"alt":3,"#, 3, nil),
    ("", nil, nil),
    (#""altMSL":1e12,"altHAE":-1e12,"#, nil, nil),
  ]

  @Test(arguments: altitudes)
  func choosesAltitude(members: String, altitude: Double?, ellipsoidal: Double?) throws {
    let location = try #require(assembled([Self.fix(members)]).locations.first)
    #expect(location.altitude == altitude)
    #expect(location.ellipsoidalAltitude == ellipsoidal)
  }

  static let accuracies: [(String, Double?)] = [
    (#""eph":7,"epx":3,"epy":4,"#, 7), (#""epx":3,"epy":4,"#, 5), (#""epx":3,"#, nil),
    (#""eph":-1,"epx":3,"epy":4,"#, 5), (#""epx":1e200,"epy":1e200,"#, nil), ("", nil),
  ]

  @Test(arguments: accuracies)
  func choosesAccuracy(members: String, radius: Double?) throws {
    let location = try #require(assembled([Self.fix(members)]).locations.first)
    #expect(location.horizontalAccuracy == radius)
  }

  static let courses: [(String, Double?, Double?)] = [
    (#""track":10,"speed":5,"epd":20,"#, 10, 20), (#""track":10,"#, 10, nil),
    (#""track":10,"speed":0.4,"#, nil, nil), (#""track":10,"speed":0.5,"#, 10, nil),
    (#""track":10,"speed":13.4,"eps":18.22,"#, 10, nil),
    (#""track":360,"speed":5,"epd":181,"#, 0, nil), (#""track":361,"speed":5,"#, nil, nil),
  ]

  @Test("course and course-derived heading require movement", arguments: courses)
  func givesCourse(members: String, course: Double?, accuracy: Double?) throws {
    let events = assembled([Self.fix(members)])
    let location = try #require(events.locations.first)
    #expect(location.course == course)
    #expect(events.headings.map(\.trueHeading) == course.map { [$0] } ?? [])
    guard course != nil else { return }
    #expect(location.courseAccuracy == accuracy)
    #expect(events.headings.first?.headingAccuracy == accuracy)
    #expect(events.headings.first?.source == .courseOverGround)
    #expect(events.headings.first?.sourceInformation?.device == "d")
  }

  static let magneticTracks: [(String, Double?)] = [
    (#""magtrack":95,"#, 95), ("", nil), (#""magtrack":86,"magvar":14.4,"#, 86),
    (#""magtrack":114.4,"magvar":14.4,"#, nil), (#""magtrack":100.03,"magvar":0.03,"#, 100.03),
    (#""magtrack":87.9,"magvar":-12.1,"#, nil), (#""magtrack":112.1,"magvar":-12.1,"#, 112.1),
  ]

  @Test("a magnetic track that gpsd derived is not a heading", arguments: magneticTracks)
  func givesMagneticTrack(members: String, magnetic: Double?) throws {
    let heading = try #require(
      assembled([Self.fix(#""track":100,"speed":5,"# + members)]).headings.first)
    #expect(heading.trueHeading == 100)
    #expect(heading.magneticHeading == magnetic)
  }

  static let incomplete = [
    #"{"class":"TPV","mode":0}"#, #"{"class":"TPV","mode":1}"#, #"{"class":"TPV"}"#,
    #"{"class":"TPV","mode":1,"lat":1,"lon":2}"#, #"{"class":"TPV","mode":0,"lat":1,"lon":2}"#,
    #"{"class":"TPV","lat":1,"lon":2}"#, #"{"class":"TPV","mode":3}"#,
    #"{"class":"TPV","mode":3,"lon":2}"#, #"{"class":"TPV","mode":3,"lat":1}"#,
    #"{"class":"TPV","mode":3,"lat":91,"lon":2}"#, #"{"class":"TPV","mode":3,"lat":1,"lon":181}"#,
    #"{"class":"TPV","mode":3,"lat":NaN,"lon":2}"#,
    #"{"class":"TPV","mode":3,"lat":1e999,"lon":2}"#,
    #"{"class":"TPV","mode":3,"lat":null,"lon":2}"#, #"{"class":"TPV","mode":3,"lat":"1","lon":2}"#,
    #"{"class":"TPV","mode":4,"lat":1,"lon":2}"#, #"{"class":"TPV","mode":-5,"lat":1,"lon":2}"#,
    #"{"class":"TPV","mode":100000000000000,"lat":1,"lon":2}"#,
    #"{"class":"TPV","mode":2.5,"lat":1,"lon":2}"#, #"{"class":"TPV","mode":"3","lat":1,"lon":2}"#,
  ]

  @Test("F8 F9 F18 a report without a fix is a loss, never a location", arguments: incomplete)
  func losesFix(_ line: String) {
    let events = assembled([line])
    #expect(events.count == 1)
    #expect(events.losses.map(\.code) == [.locationUnknown])
  }

  @Test("F8 a loss is reported once per receiver until the next fix")
  func losses() {
    let lost = #"{"class":"TPV","device":"d","mode":1}"#
    let other = #"{"class":"TPV","device":"e","mode":1}"#
    var assembler = EventAssembler(selecting: false, .init())
    let steps: [([String], Int)] = [
      ([lost], 1), ([lost, lost], 0), ([other], 1), ([lost, other], 0), ([Self.fix("")], 0),
      ([other], 0), ([lost, lost, other], 1), ([Self.fix("", device: "e"), lost], 0), ([other], 1),
    ]
    for (index, (lines, count)) in steps.enumerated() {
      #expect(assembled(lines, &assembler).losses.count == count, "step \(index)")
    }
  }

  @Test("F41 a loss escapes its receiver's name")
  func lossMessage() {
    let message = assembled([#"{"class":"TPV","device":"/dev/\u001b[1m","mode":1}"#]).losses.first?
      .message
    #expect(message?.contains(#"The receiver /dev/\u{1b}[1m has no fix"#) == true)
  }

  @Test("F6 a receiver that gpsd closes is reported lost once")
  func removed() {
    let gone = #"{"class":"DEVICE","path":"d","activated":0}"#
    var assembler = EventAssembler()
    #expect(assembled([gone], &assembler).isEmpty)
    #expect(assembled([Self.fix("")], &assembler).losses.isEmpty)
    #expect(assembled([gone, gone], &assembler).losses.count == 1)
    #expect(assembled([#"{"class":"TPV","device":"d","mode":1}"#], &assembler).isEmpty)
    #expect(assembled([Self.fix("")], &assembler).locations.count == 1)
  }

  @Test("a server can add a limited number of receiver names", .longWork)
  func inventedNames() {
    func devices(_ names: [String], _ assembler: inout EventAssembler) -> [String?] {
      assembled(names.map { Self.fix("", device: $0) }, &assembler).locations
        .map { $0.sourceInformation?.device }
    }
    var assembler = EventAssembler()
    let names = (1...1_100).map { "/dev/invented\($0)" }
    #expect(devices(names, &assembler) == names.enumerated().map { $0 < 1_024 ? $1 : nil })
    // Another connection adds no names either, and known receivers keep theirs.
    assembler.reset()
    #expect(devices(["/dev/invented1101", names[5]], &assembler) == [nil, names[5]])
    // Receivers without a stored name are still distinguished.
    #expect(assembler.preferredReceiver == "/dev/invented1101")
  }

  @Test("receiver names are limited in bytes, shared by a backend's runs")
  func longNames() {
    let limit = DeviceNameLimit(names: 3, bytes: 20)
    func device(_ name: String) -> String? {
      var assembler = EventAssembler(selecting: true, .init(), names: limit)
      return assembled([Self.fix("", device: name)], &assembler).locations.first?
        .sourceInformation?.device
    }
    let names = ["/long/1", "/long/too long for it", "/long/2", "/long/22", "/long/3", "/long/1"]
    #expect(names.map(device) == ["/long/1", nil, "/long/2", nil, nil, "/long/1"])
    #expect(device("/l") == "/l")
    #expect(device("/l4") == nil)
  }

  struct TimeCase: Sendable {
    let lines: [String?]
    var host = date(2026, 11, 21)
    /// Whether each line's time is accepted, rather than replaced by the host's.
    let accepted: [Bool]
  }

  static let times = [
    // Recordings of any age keep their times.
    TimeCase(lines: ["2010-06-01T00:00:00Z"], accepted: [true]),
    TimeCase(lines: ["2005-06-09T14:34:44.280Z", "2005-06-09T14:34:45Z"], accepted: [true, true]),
    TimeCase(lines: ["2035-11-22T00:00:00Z"], accepted: [true]),
    // Times before the first rollover and far in the future are implausible.
    TimeCase(lines: ["1999-08-21T23:59:59Z", "1999-08-22T00:00:00Z"], accepted: [false, true]),
    TimeCase(lines: ["1980-01-06T00:00:00Z", "1970-01-01T00:00:00Z"], accepted: [false, false]),
    TimeCase(lines: ["2036-11-20T00:00:00Z", "2036-11-22T00:00:00Z"], accepted: [true, false]),
    TimeCase(lines: ["9999-12-31T23:59:59Z"], accepted: [false]),
    // A host without a valid clock rejects no time.
    TimeCase(
      lines: ["2026-11-21T00:00:00Z", "2046-07-07T00:00:00Z"], host: date(1970, 1, 1),
      accepted: [true, true]),
    // An absent time, and times that are invalid.
    TimeCase(lines: [nil, "garbage", "2026-99-01T00:00:00Z"], accepted: [false, false, false]),
    // A wrong GPS era, then the right one.
    TimeCase(
      lines: ["2026-11-20T00:00:00Z", "2007-04-06T00:00:01Z", "2026-11-20T00:00:02Z"],
      accepted: [true, false, true]),
    TimeCase(
      lines: ["2007-04-06T00:00:00Z", "2026-11-20T00:00:01Z", "2026-11-20T00:00:02Z"],
      accepted: [true, true, true]),
    TimeCase(
      lines: ["2017-07-19T00:00:00Z", "2037-03-04T00:00:01Z"], host: date(2027, 3, 10),
      accepted: [true, false]),
    TimeCase(
      lines: ["2026-11-20T00:00:00Z", "2007-04-06T00:00:01Z", "2026-11-20T00:00:02Z"],
      host: date(1970, 1, 1), accepted: [true, false, true]),
    // A whole number of eras behind the host: an outdated receiver, not a recording.
    TimeCase(lines: ["2007-04-07T00:00:01Z", "2007-04-07T00:00:02Z"], accepted: [false, false]),
    TimeCase(lines: ["2007-04-06T12:00:00Z"], accepted: [false]),
    TimeCase(lines: ["2007-04-07T00:00:01Z"], host: date(1970, 1, 1), accepted: [true]),
    // Backward steps by less than a GPS era, or not by whole eras. `PreferredReceiverTests` tests
    // how they affect a confirmed clock.
    TimeCase(
      lines: ["2026-11-20T00:00:10Z", "2026-11-20T00:00:09Z", "2020-01-01T00:00:00Z"],
      accepted: [true, true, true]),
    // A leap second is between its neighbours.
    TimeCase(
      lines: ["2016-12-31T23:59:59Z", "2016-12-31T23:59:60Z", "2017-01-01T00:00:01Z"],
      accepted: [true, true, true]),
  ]

  @Test("F10 F11 an implausible time is replaced by the host's and marked", arguments: times)
  func implausibleTimes(_ test: TimeCase) throws {
    let lines = test.lines.map { Self.fix($0.map { #""time":"\#($0)","# } ?? "") }
    let locations = assembled(lines, host: test.host).locations
    try #require(locations.count == test.accepted.count)
    for (index, location) in locations.enumerated() {
      let hasReceiverTime = location.sourceInformation?.timeSource != .host
      #expect(hasReceiverTime == test.accepted[index], "time \(index)")
      #expect((location.timestamp == test.host) == !test.accepted[index], "time \(index)")
    }
  }

  @Test("the host's clock is not read while the receiver's is valid")
  func hostClock() {
    var assembler = EventAssembler()
    let clockReads = Locked(0)
    var batch = EventBatch {
      clockReads.withLock { $0 += 1 }
      return date(2026, 11, 21)
    }
    for second in 10..<60 {
      let line = Self.fix(#""time":"2026-11-20T00:00:\#(second)Z","#)
      guard let report = report(line) else { continue }
      assembler.add(report, to: &batch)
    }
    #expect(batch.events.count == 50)
    // The first time is checked and sets the horizon, up to which later times need no check.
    #expect(clockReads.withLock { $0 } == 1)
  }

  @Test func aSKYReportIsASatelliteViewAndAGeometry() throws {
    let line =
      #"{"class":"SKY","device":"d","time":"2026-11-20T00:00:00Z","hdop":1.5,"satellites":["#
      + #"{"PRN":7,"gnssid":2,"svid":9,"sigid":1,"freqid":3,"el":45.5,"az":180.5,"ss":33.5,"prRes":-1.5,"health":1,"used":true},"#
      + #"{"PRN":8,"gnssid":99,"health":2,"el":-91,"az":400,"ss":-1},{"PRN":9,"health":0,"used":false},{"el":5}]}"#
    let events = assembled([line, Self.fix("")])
    let view = try #require(events.satellites.first)
    let expected = try SatelliteView(
      timestamp: date(2026, 11, 20),
      satellites: [
        Satellite(
          prn: 7, constellation: .galileo, vehicle: 9, signal: 1, frequency: 3, elevation: 45.5,
          azimuth: 180.5, signalStrength: 33.5, pseudorangeResidual: -1.5, isHealthy: true,
          isUsed: true),
        Satellite(prn: 8, isHealthy: false, isUsed: false), Satellite(prn: 9, isUsed: false),
      ], dilutionOfPrecision: DilutionOfPrecision(horizontal: 1.5),
      sourceInformation: SourceInformation(device: "d"))
    #expect(view == expected)
    let location = try #require(events.locations.first)
    #expect(location.gnss?.satellitesUsed == 1)
    #expect(location.gnss?.satellitesVisible == 4)
    #expect(location.gnss?.dilutionOfPrecision?.horizontal == 1.5)
  }

  @Test func constellationNumbersAreMapped() throws {
    let satellites = (0...8).map { #"{"PRN":1,"gnssid":\#($0)}"# }.joined(separator: ",")
    let view = try #require(
      assembled([#"{"class":"SKY","satellites":[\#(satellites)]}"#]).satellites.first)
    #expect(
      view.satellites.map(\.constellation)
        == [.gps, .sbas, .galileo, .beidou, .imes, .qzss, .glonass, .navic, nil])
  }

  @Test func aSKYReportWithoutSatellitesIsGeometryOnly() throws {
    let events = assembled([
      #"{"class":"SKY","device":"d","uSat":4,"nSat":5,"hdop":2.5}"#,
      #"{"class":"SKY","device":"d","satellites":[]}"#,
      #"{"class":"SKY","device":"e","uSat":9,"hdop":9.5}"#, Self.fix(""),
    ])
    #expect(events.satellites.count == 1)
    let fix = try #require(events.locations.first?.gnss)
    #expect(fix.dilutionOfPrecision?.horizontal == 2.5)
    #expect(fix.satellitesUsed == 0)
    #expect(fix.satellitesVisible == 0)
  }

  @Test func anAttitudeWithADirectionIsAHeading() throws {
    let events = assembled([
      #"{"class":"ATT","device":"c","time":"2026-11-20T00:00:00Z","heading":123.5,"mheading":120.5,"mag_x":1,"mag_y":2,"mag_z":3}"#,
      #"{"class":"ATT","device":"c","mheading":360}"#, #"{"class":"ATT","device":"c","pitch":5}"#,
      #"{"class":"ATT","device":"c","heading":14223.00}"#,
    ])
    let expected = try Heading(
      trueHeading: 123.5, magneticHeading: 120.5, magneticField: .init(x: 1, y: 2, z: 3),
      timestamp: date(2026, 11, 20), source: .compass,
      sourceInformation: SourceInformation(device: "c"))
    #expect(events.count == 2)
    #expect(events.headings.first == expected)
    #expect(events.headings.last?.trueHeading == nil)
    #expect(events.headings.last?.magneticHeading == 0)
    #expect(events.headings.last?.sourceInformation?.timeSource == .host)
  }

  @Test("a compass provides the heading until it is silent")
  func compass() {
    let moving = Self.fix(#""track":10,"speed":5,"#)
    let compass = #"{"class":"ATT","device":"d","heading":20}"#
    #expect(assembled([moving, compass, moving]).headings.map(\.trueHeading) == [10, 20])
    #expect(
      assembled([#"{"class":"ATT","device":"c","heading":20}"#, moving]).headings.map(\.trueHeading)
        == [20, 10])
    #expect(assembled([#"{"class":"ATT","device":"d","pitch":1}"#, moving]).headings.count == 1)
    let later = assembled([compass] + Array(repeating: moving, count: 40)).headings
    #expect(later.first?.source == .compass)
    #expect(later.last?.source == .courseOverGround)
    #expect(later.count < 20)
  }

  @Test("F7 receivers are separate, up to a limit")
  func receivers() {
    var assembler = EventAssembler(selecting: false, .init())
    func losses(_ numbers: some Sequence<Int>) -> Int {
      let lines = numbers.map { #"{"class":"TPV","device":"/dev/\#($0)","mode":1}"# }
      return assembled(lines, &assembler).losses.count
    }
    let limit = EventAssembler.maximumReceivers
    #expect(losses(0..<limit) == limit)
    #expect(losses(0..<limit) == 0)
    #expect(losses([0, limit]) == 1)  // The new receiver replaces 1, because 0 reported later.
    #expect(losses([0, limit]) == 0)
    #expect(losses([1]) == 1)
    assembler.reset()
    #expect(losses([0]) == 1)
  }

  @Test func sessionReportsProduceNoEvent() {
    let lines = [
      #"{"class":"VERSION","release":"3.22"}"#, #"{"class":"DEVICES","devices":[]}"#,
      #"{"class":"WATCH","enable":true}"#, #"{"class":"ERROR","message":"x"}"#,
      #"{"class":"GST","rms":1}"#,
      #"{"class":"DEVICE","path":"d","activated":"2026-11-21T00:00:00Z"}"#,
    ]
    #expect(assembled(lines).isEmpty)
  }
}
