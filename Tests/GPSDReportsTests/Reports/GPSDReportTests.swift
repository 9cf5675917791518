import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import GPSDReports

@Suite(.inTurn) struct GPSDReportTests {
  @Test("F18 F19 every number of TPV", arguments: ReportKeys.tpv)
  func timePositionVelocity(_ key: ReportKey<TPV>) {
    key.check { written in
      let other = key.key == "depth" ? "climb" : "depth"
      let report = tpv(#"{"class":"TPV","\#(key.key)":\#(written),"x":0,"\#(other)":7}"#)
      #expect((other == "depth" ? report?.depth : report?.climb) == 7)
      return report.map { $0[key] }
    }
  }

  @Test("F18 F19 every number of SKY", arguments: ReportKeys.sky)
  func skyNumbers(_ key: ReportKey<SKY>) {
    key.check { written in
      sky(#"{"class":"SKY","\#(key.key)":\#(written),"satellites":[]}"#).map { $0[key] }
    }
  }

  @Test("F18 F19 every number of a satellite", arguments: ReportKeys.satellite)
  func satellite(_ key: ReportKey<SatelliteReport>) {
    key.check { written in
      sky(#"{"class":"SKY","satellites":[{"\#(key.key)":\#(written),"used":true}]}"#)?
        .satellites?.first.map { $0[key] }
    }
  }

  @Test("F18 F19 every number of ATT", arguments: ReportKeys.attitude)
  func attitude(_ key: ReportKey<ATT>) {
    key.check { written in
      guard case .att(let report)? = report(#"{"class":"ATT","\#(key.key)":\#(written)}"#)
      else { return nil }
      return .some(report[key])
    }
  }

  @Test("F18 F19 every number of DEVICE", arguments: ReportKeys.device)
  func device(_ key: ReportKey<DeviceReport>) {
    key.check { written in
      guard case .device(let report)? = report(#"{"class":"DEVICE","\#(key.key)":\#(written)}"#)
      else { return nil }
      return .some(report[key])
    }
  }

  @Test func everyFieldHasATest() {
    let tpv = Set(ReportKeys.tpv.map(\.field)).count + 4  // time, device, datum, class
    #expect(tpv == TPV.table.specifications.count)
    let sky = Set(ReportKeys.sky.map(\.field)).count + 4  // time, device, list, class
    #expect(sky == SKY.table.specifications.count)
    let satellite = Set(ReportKeys.satellite.map(\.field)).count + 1  // used
    #expect(satellite == SatelliteReport.table.specifications.count)
    let attitude = Set(ReportKeys.attitude.map(\.field)).count + 8  // time, seven texts
    #expect(attitude == ATT.table.specifications.count)
    let device = Set(ReportKeys.device.map(\.field)).count + 10  // time, flag, eight texts
    #expect(device == DeviceReport.table.specifications.count)
  }

  /// ``Numbers`` stores in the bits of a `UInt64` which numbers are present.
  @Test func reportsHaveAtMost64Numbers() {
    let counts = [
      TPV.Storage.counts, SKY.Storage.counts, SatelliteReport.Storage.counts, ATT.Storage.counts,
      GST.Storage.counts, DeviceReport.Storage.counts,
    ]
    #expect(counts.allSatisfy { $0.numbers <= UInt64.bitWidth })
  }

  static let times: [(String, Date?)] = [
    (#""2005-06-09T14:34:44.280Z""#, date(2005, 6, 9, 14, 34, 44.28)),
    (#""2010-12-07T10:23:07Z""#, date(2010, 12, 7, 10, 23, 7)),
    (#""2024-02-29T23:59:59.999999999Z""#, date(2024, 2, 29, 23, 59, 59.999999999)),
    (#""2024-02-29T00:00:00.0000000001Z""#, date(2024, 2, 29)),
    (#""2016-12-31T23:59:60Z""#, date(2017, 1, 1)),
    (#""2016-12-31T23:59:60.500Z""#, date(2017, 1, 1, 0, 0, 0.5)),
    ("1270938096.843", Date(timeIntervalSince1970: 1_270_938_096.843)),
    ("0", Date(timeIntervalSince1970: 0)), ("-1", nil), ("1e12", nil), ("null", nil), ("[1]", nil),
    (#""2023-02-29T00:00:00Z""#, nil), (#""2005-99-09T14:34:44.280Z""#, nil),
    (#""2005-00-09T14:34:44.280Z""#, nil), (#""2005-06-31T14:34:44.280Z""#, nil),
    (#""2005-06-00T14:34:44.280Z""#, nil), (#""2005-06-09T24:34:44.280Z""#, nil),
    (#""2005-06-09T14:60:44.280Z""#, nil), (#""2005-06-09T14:34:61.280Z""#, nil),
    (#""2005-06-09T14:34:44.280""#, nil), (#""2005-06-09T14:34:44.Z""#, nil),
    (#""2005-06-09 14:34:44.280Z""#, nil), (#""2005-06-09T14:34:44,280Z""#, nil),
    (#""2005-06-09T14:34:4a.280Z""#, nil), (#""2005-06-09T14:34:44.28xZ""#, nil),
    (#""0000-06-09T14:34:44.280Z""#, nil), (#""garbage""#, nil), (#""""#, nil), (#""Z""#, nil),
    (#""-005-06-09T14:34:44.280Z""#, nil), (#""2005-06-09T14:34:44.280+01:00""#, nil),
    (#""9999-12-31T23:59:60Z""#, nil),
  ]

  @Test("F10 F11 times", arguments: times)
  func time(written: String, expected: Date?) throws {
    let line = #"{"class":"TPV","mode":3,"time":\#(written),"lat":1}"#
    let report = try #require(tpv(line))
    #expect(report.time == expected)
    #expect(report.latitude == 1)
  }

  static let classes = [
    #"{"class":"TPV","mode":3,"lat":1.5}"#, #"{"mode":3,"class":"TPV","lat":1.5}"#,
    #"{"mode":3,"lat":1.5,"class":"TPV"}"#, #"{"class": "TPV","mode":3,"lat":1.5}"#,
    #" { "class" : "TPV", "mode" : 3, "lat" : 1.5 } "#,
    #"{"class":"SKY","mode":3,"lat":1.5,"class":"TPV"}"#,
    #"{"class":"TPV","class":"TPV","mode":3,"lat":1.5}"#,
    #"{"class":5,"mode":3,"lat":1.5,"class":"TPV"}"#,
    #"{"class":"T\u0050V","mode":3,"l\u0061t":1.5}"#,
    #"{"cl\u0061ss":"TPV","mode":3,"lat":1.5}"#,
    #"{"class":"TPV","mode":3,"lat":99,"lat":1.5}"#,
    #"{"class":"TPV","x":{"class":"SKY"},"y":[{"class":5}],"mode":3,"lat":1.5}"#,
  ]

  @Test("the class is found at any position", arguments: classes)
  func findsClass(_ line: String) throws {
    let report = try #require(tpv(line))
    #expect(report.mode == 3)
    #expect(report.latitude == 1.5)
  }

  @Test func theLastClassOfALineIsUsed() {
    #expect(report(#"{"class":"TPV","class":"FOO"}"#)?.className == "FOO")
    #expect(sky(#"{"class":"TPV","hdop":1.5,"class":"SKY"}"#)?.horizontalDilution == 1.5)
    #expect(fault(Array(#"{"class":"TPV","class":7}"#.utf8)) == .noClass)
  }

  static let others = ["GST", "POLL", "TOFF", "PPS", "OSC", "AIS", "RTCM2", "X", "", "tpv"]

  @Test(arguments: others)
  func identifiesOtherClasses(_ name: String) {
    let line = #"{"class":"\#(name)","tpv":[{"class":"TPV"}],"lat":1}"#
    #expect(report(line) == .other(OpaqueReport(className: name, device: nil, line: [])))
  }

  @Test("F19 unknown and nested values do not affect known ones")
  func unknownMembers() throws {
    let report = try #require(
      tpv(
        #"{"class":"TPV","device":"/dev/a","future":[1,{"lat":9,"lon":[2]},null],"mode":3,"#
          + #""averyveryverylongkeyindeed":"x","lat":1.25,"lo":7,"long":8,"leapsecond":9,"lon":-2.5,"#
          + #""leapsecondss":3,"leapseconds":18,"datum":"WGS84","time":{"a":1}}"#))
    #expect(report.device == "/dev/a")
    #expect(report.latitude == 1.25)
    #expect(report.longitude == -2.5)
    #expect(report.leapSeconds == 18)
    #expect(report.datum == "WGS84")
    #expect(report.time == nil)
  }

  @Test func textsOfTheWrongTypeAreIgnored() throws {
    let report = try #require(tpv(#"{"class":"TPV","device":5,"datum":["x"],"mode":2}"#))
    #expect(report.device == nil)
    #expect(report.datum == nil)
    #expect(report.mode == 2)
  }

  @Test("no value is carried over to the next report")
  func independent() throws {
    let items = read(
      Array(
        (#"{"class":"TPV","device":"a","mode":3,"lat":1,"lon":2}"# + "\n"
          + #"{"class":"TPV","mode":1}"# + "\n" + #"{"class":"TPV","lat":3"# + "\n"
          + #"{"class":"TPV","lon":4}"# + "\n").utf8)
    ).items
    let reports = items.compactMap { item -> TPV? in
      if case .report(.tpv(let report)) = item { report } else { nil }
    }
    #expect(reports.map { $0.latitude } == [1, nil, nil])
    #expect(reports.map { $0.longitude } == [2, nil, 4])
    #expect(reports.map(\.device) == ["a", nil, nil])
  }

  @Test func satellitesKeepTheirOrderAndUse() throws {
    let report = try #require(
      sky(
        #"{"class":"SKY","device":"d","nSat":3,"uSat":1,"satellites":[{"PRN":3,"used":true,"x":[1]},"#
          + #"null,5,{"PRN":1,"used":false},[1],{"PRN":2,"used":1,"el":null}],"hdop":1.5}"#))
    #expect(report.satellites?.map { $0.prn } == [3, 1, 2])
    #expect(report.satellites?.map { $0.isUsed } == [true, false, nil])
    #expect(report.horizontalDilution == 1.5)
    #expect(report.device == "d")
  }

  @Test(arguments: ["null", "5", "{}", "\"x\""])
  func satellitesOfTheWrongTypeAreIgnored(_ written: String) throws {
    let report = try #require(sky(#"{"class":"SKY","satellites":\#(written),"hdop":1}"#))
    #expect(report.satellites == nil)
    #expect(report.horizontalDilution == 1)
  }

  @Test func aLaterListReplacesAnEarlierOne() throws {
    let line = #"{"class":"SKY","satellites":[{"PRN":1}],"satellites":[{"PRN":2}]}"#
    #expect(sky(line)?.satellites?.map { $0.prn } == [2])
  }

  @Test("any number of satellites and devices is read")
  func many() throws {
    let satellites = (1...2000).map { #"{"PRN":\#($0),"used":false}"# }.joined(separator: ",")
    #expect(sky(#"{"class":"SKY","satellites":[\#(satellites)]}"#)?.satellites?.count == 2000)
    let devices = (1...64).map { #"{"class":"DEVICE","path":"/dev/\#($0)","z":[1]}"# }
    let line = #"{"class":"DEVICES","devices":[\#(devices.joined(separator: ","))]}"#
    guard case .devices(let report)? = report(line) else {
      Issue.record("the list was dropped")
      return
    }
    #expect(report.devices.map(\.path) == (1...64).map { "/dev/\($0)" })
  }

  @Test(
    "F20 endless lists and endless repetition are cut, and the rest of the line is read", .longWork)
  func endless() throws {
    let objects = Array(repeating: "{}", count: 20_000).joined(separator: ",")
    let view = try #require(sky(#"{"class":"SKY","satellites":[\#(objects)],"hdop":1.5}"#))
    #expect(view.satellites?.count == 4096)
    #expect(view.horizontalDilution == 1.5)
    guard case .devices(let list)? = report(#"{"class":"DEVICES","devices":[\#(objects)]}"#)
    else {
      Issue.record("the list was dropped")
      return
    }
    #expect(list.devices.count == 4096)
    for member in [#""depth":1e99"#, #""datum":"\n""#, #""d\u0065pth":1"#] {
      let members = Array(repeating: member, count: 20_000).joined(separator: ",")
      let report = try #require(tpv(#"{"class":"TPV",\#(members),"mode":2,"lat":1.5,"x":0}"#))
      #expect(report.latitude == 1.5)
    }
  }

  @Test func readsVersion() throws {
    let line =
      #"{"class":"VERSION","release":"3.22","rev":"3.22~x","proto_major":3,"proto_minor":14,"remote":"tcp://h"}"#
    guard case .version(let report)? = report(line) else {
      Issue.record("the greeting was dropped")
      return
    }
    #expect(report.release == "3.22")
    #expect(report.revision == "3.22~x")
    #expect(report.protocolMajor == 3)
    #expect(report.protocolMinor == 14)
    #expect(report.remote == "tcp://h")
  }

  @Test func readsDevice() throws {
    let line =
      #"{"class":"DEVICE","path":"/dev/ttyUSB0","activated":"2026-11-21T01:15:31.128Z","driver":"u-blox","#
      + #""subtype":"SW 1","subtype1":"HW 2","flags":1,"native":1,"bps":9600,"parity":"N","stopbits":1,"#
      + #""cycle":1.00,"mincycle":0.02,"readonly":true}"#
    guard case .device(let report)? = report(line) else {
      Issue.record("the device was dropped")
      return
    }
    #expect(report.path == "/dev/ttyUSB0")
    #expect(report.activated == date(2026, 11, 21, 1, 15, 31.128))
    #expect(!report.isRemoved)
    #expect(report.driver == "u-blox")
    #expect(report.subtype == "SW 1")
    #expect(report.secondSubtype == "HW 2")
    #expect(report.parity == "N")
    #expect(report.baudRate == 9600)
    #expect(report.cycle == 1)
    #expect(report.isReadOnly == true)
  }

  @Test(
    "F6 a removed device has activated 0", arguments: [("0", true, false), ("null", false, false)])
  func removedDevice(_ test: (written: String, isRemoved: Bool, isActive: Bool)) throws {
    let line = #"{"class":"DEVICE","path":"/dev/x","activated":\#(test.written)}"#
    guard case .device(let report)? = report(line) else {
      Issue.record("the device was dropped")
      return
    }
    #expect(report.isRemoved == test.isRemoved)
    #expect((report.activated != nil) == test.isActive)
  }

  @Test func readsWatch() throws {
    let line =
      #"{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":2,"scaled":false,"timing":false,"split24":false,"pps":true,"device":"/dev/a"}"#
    guard case .watch(let report)? = report(line) else {
      Issue.record("the answer was dropped")
      return
    }
    #expect(report.isEnabled == true)
    #expect(report.json == true)
    #expect(report.nmea == false)
    #expect(report.raw == 2)
    #expect(report.pps == true)
    #expect(report.device == "/dev/a")
  }

  @Test func readsError() throws {
    let line = #"{"class":"ERROR","message":"Unrecognized request '?FOO;\n'"}"#
    guard case .error(let report)? = report(line) else {
      Issue.record("the error was dropped")
      return
    }
    #expect(report.message == "Unrecognized request '?FOO;\n'")
  }

  @Test func readsTextsOfAttitude() throws {
    let line =
      #"{"class":"ATT","device":"c","time":1270938096.843,"mag_st":"N","pitch_st":"L","roll_st":"M","yaw_st":"O"}"#
    guard case .att(let report)? = report(line) else {
      Issue.record("the attitude was dropped")
      return
    }
    #expect(report.device == "c")
    #expect(report.time == Date(timeIntervalSince1970: 1_270_938_096.843))
    #expect(report.magneticStatus == "N")
    #expect(report.pitchStatus == "L")
    #expect(report.rollStatus == "M")
    #expect(report.yawStatus == "O")
  }
}
