import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import GPSDReports

/// The report of one line with all members; nil if it is not a report.
func whole(_ line: String) -> GPSDReport? { try? GPSDReport(line: line.utf8) }

/// The report of one line without unknown members; nil if it is not a report.
func known(_ line: some Sequence<UInt8>) -> GPSDReport? {
  var reader = ReportReader()
  var decoder = ReportDecoder()
  var report: GPSDReport?
  let bytes = Array(line) + [10]
  reader.readWhole(bytes.span, with: &decoder) { item, _ in
    if case .report(let found) = item { report = found }
  }
  return report
}

/// Tests classes that locations do not need, unknown members, and what all classes share.
@Suite(.inTurn) struct WholeReportTests {
  @Test("F18 F19 every number of GST", arguments: ReportKeys.noise)
  func noise(_ key: ReportKey<GST>) {
    key.check { written in
      guard
        case .gst(let report)? = whole(
          #"{"class":"GST","\#(key.key)":\#(written),"device":"d"}"#)
      else { return nil }
      #expect(report.device == "d")
      return .some(report[key])
    }
  }

  @Test("F18 F19 every number of TOFF and PPS", arguments: ReportKeys.clock, ["TOFF", "PPS"])
  func clock(_ key: ReportKey<ClockReport>, _ name: String) {
    key.check { written in
      switch whole(#"{"\#(key.key)":\#(written),"class":"\#(name)"}"#) {
      case .toff(let report)? where name == "TOFF": .some(report[key])
      case .pps(let report)? where name == "PPS": .some(report[key])
      default: nil
      }
    }
  }

  @Test("F18 F19 every number of OSC, POLL, VERSION and WATCH")
  func others() {
    ReportKeys.oscillator[0].check { written in
      guard case .osc(let report)? = whole(#"{"class":"OSC","delta":\#(written)}"#)
      else { return nil }
      return .some(report[ReportKeys.oscillator[0]])
    }
    ReportKeys.poll[0].check { written in
      guard case .poll(let report)? = whole(#"{"class":"POLL","active":\#(written)}"#)
      else { return nil }
      return .some(report[ReportKeys.poll[0]])
    }
    for key in ReportKeys.version {
      key.check { written in
        guard
          case .version(let report)? = whole(#"{"class":"VERSION","\#(key.key)":\#(written)}"#)
        else { return nil }
        return .some(report[key])
      }
    }
    ReportKeys.watch[0].check { written in
      guard case .watch(let report)? = whole(#"{"class":"WATCH","raw":\#(written)}"#)
      else { return nil }
      return .some(report[ReportKeys.watch[0]])
    }
  }

  @Test func everyFieldHasATest() {
    // The other fields are time, device and class.
    #expect(ReportKeys.noise.count + 3 == GST.table.specifications.count)
    // The other fields are device, shm and class.
    #expect(ReportKeys.clock.count + 3 == ClockReport.table.specifications.count)
    // The other fields are device, class and three flags.
    #expect(ReportKeys.oscillator.count + 5 == OscillatorReport.table.specifications.count)
    // The other fields are time, class and the lists.
    #expect(ReportKeys.poll.count + 5 == PollReport.table.specifications.count)
  }

  @Test func readsOscillator() throws {
    let line =
      #"{"class":"OSC","device":"/dev/rb0","running":true,"reference":false,"disciplined":1,"#
      + #""delta":-42}"#
    guard case .osc(let report)? = whole(line) else {
      Issue.record("the report was dropped")
      return
    }
    #expect(report.device == "/dev/rb0")
    #expect(report.isRunning == true)
    #expect(report.hasReference == false)
    #expect(report.isDisciplined == nil)
    #expect(report.delta == -42)
  }

  @Test func readsInertial() throws {
    let line = #"{"class":"IMU","device":"i","timeTag":7,"acc_z":9.5,"gyro_x":0.25}"#
    guard case .imu(let report)? = whole(line) else {
      Issue.record("the report was dropped")
      return
    }
    #expect(report.timeTag == 7)
    #expect(report.accelerationZ == 9.5)
    #expect(report.gyroscopeX == 0.25)
  }

  @Test("a poll's reports are decoded, whatever else is in its lists")
  func readsPoll() throws {
    let line =
      #"{"class":"POLL","time":"2026-05-04T03:02:01.250Z","active":2,"future":[{"tpv":[]}],"#
      + #""tpv":[{"class":"TPV","device":"a","mode":3,"lat":1.5,"lon":95},null,"x",{"mode":9}],"#
      + #""gst":[{"class":"GST","rms":2.5}],"#
      + #""sky":[{"class":"SKY","hdop":1.5,"satellites":[{"PRN":3,"used":true,"x":[{}]},7]}]}"#
    guard case .poll(let report)? = whole(line) else {
      Issue.record("the report was dropped")
      return
    }
    #expect(report.time == date(2026, 5, 4, 3, 2, 1.25))
    #expect(report.activeCount == 2)
    #expect(report.fixes?.map(\.mode) == [3, nil])
    #expect(report.fixes?.first?.longitude == 95)
    #expect(report.noises?.map(\.rangeDeviation) == [2.5])
    #expect(report.skies?.first?.satellites?.map(\.prn) == [3])
    #expect(try GPSDReport(line: JSONEncoder().encode(report)) == .poll(report))
  }

  @Test("F20 a poll's endless lists are cut")
  func endlessPoll() throws {
    let objects = Array(repeating: "{}", count: 20_000).joined(separator: ",")
    guard case .poll(let report)? = whole(#"{"class":"POLL","tpv":[\#(objects)],"active":1}"#)
    else {
      Issue.record("the report was dropped")
      return
    }
    #expect(report.fixes?.count == 256)
    #expect(report.activeCount == 1)
  }

  @Test func unknownMembersAreKept() throws {
    let line =
      #"{"class":"SKY","new":{"a":[1,-2.5,true,null,"\u00e9"],"big":18446744073709551615},"#
      + #""hdop":1.5,"satellites":[{"PRN":1,"later":"x"},{"PRN":2}],"new2":1,"new2":nan}"#
    guard case .sky(let report)? = whole(line) else {
      Issue.record("the report was dropped")
      return
    }
    let new = try #require(report.unknownMembers["new"])
    #expect(
      new["a"] == .array([.integer(1), .number(-2.5), .bool(true), .null, .string("é")]))
    #expect(new["big"] == .unsigned(.max))
    #expect(new["big"]?.doubleValue == 0x1p64)
    #expect(report.unknownMembers["new2"] == .null)
    #expect(report.unknownMembers.count == 2)
    #expect(report.unknownSatelliteMembers == [0: ["later": .string("x")]])
    #expect(GPSDReport.sky(report).unknownMembers == report.unknownMembers)
    // No value is carried over to the next line.
    var reader = ReportReader()
    var decoder = ReportDecoder(keepsUnknownMembers: true)
    var reports: [GPSDReport] = []
    for name in ["TPV", "SKY", "ATT", "IMU", "GST", "ERROR"] {
      let lines =
        "{\"class\":\"\(name)\",\"new\":1}\n{\"class\":\"\(name)\",\"new\":\n"
        + "{\"class\":\"\(name)\"}\n"
      reader.readWhole(lines.utf8.span, with: &decoder) { item, _ in
        if case .report(let report) = item { reports.append(report) }
      }
      #expect(reports.map(\.unknownMembers) == [["new": .integer(1)], [:]], "\(name)")
      reports = []
    }
    let lines =
      #"{"class":"SKY","satellites":[{"new":1,"PRN":}]}"# + "\n"
      + #"{"class":"SKY","satellites":[{"PRN":1}]}"# + "\n"
    reader.readWhole(lines.utf8.span, with: &decoder) { item, _ in
      guard case .report(.sky(let sky)) = item else { return }
      #expect(sky.satellites?.count == 1)
      #expect(sky.unknownSatelliteMembers == [:])
    }
  }

  @Test func reportsForLocationsHaveNoUnknownMembers() {
    let line = #"{"class":"TPV","mode":3,"new":1}"#
    #expect(report(line)?.unknownMembers == [:])
    #expect(whole(line)?.unknownMembers == ["new": .integer(1)])
  }

  /// Members that would use much memory without a limit.
  struct Flood: CustomTestStringConvertible, Sendable {
    let members: String
    var testDescription: String { "\(members.prefix(24))… of \(members.utf8.count) bytes" }
  }

  private static let floodMembers: [String] = [
    (0..<100_000).map { "\"\($0)\":0" }.joined(separator: ","),
    "\"a\":[" + Array(repeating: "0", count: 100_000).joined(separator: ",") + "]",
    "\"a\":[" + Array(repeating: "[[]]", count: 50_000).joined(separator: ",") + "]",
    "\"a\":\"" + String(repeating: "x", count: 200_000) + "\"",
    "\"" + String(repeating: "x", count: 200_000) + "\":1",
    "\"satellites\":[" + (0..<4000).map { "{\"PRN\":1,\"\($0)\":\"abc\"}" }.joined(separator: ",")
      + "]",
    (0..<20_000).map { "\"\\u0061\($0)\":0" }.joined(separator: ","),
    (0..<20_000).map { _ in "\"a\":0" }.joined(separator: ","),
  ]
  static let floods = floodMembers.map(Flood.init)

  @Test("F20 unknown members are kept up to a limit and round-trip", .longWork, arguments: floods)
  func boundsUnknownMembers(_ flood: Flood) throws {
    let line = #"{"class":"SKY","first":1,\#(flood.members),"last":2,"hdop":1.5}"#
    guard case .sky(let report)? = whole(line) else {
      Issue.record("the report was dropped")
      return
    }
    #expect(report.horizontalDilution == 1.5)
    #expect(report.unknownMembers["first"] == .integer(1))
    #expect(report.unknownMembers["last"] == nil)
    let encoded = try JSONEncoder().encode(report)
    #expect(encoded.count < 1 << 18)
    #expect(try GPSDReport(line: encoded) == .sky(report))
    #expect(try JSONDecoder().decode(GPSDReport.self, from: encoded) == .sky(report))
    let keptCount =
      report.unknownMembers.count
      + report.unknownSatelliteMembers.values.reduce(0) { $0 + $1.count }
    #expect(keptCount <= 1024)
    guard case .sky(let decoded) = try JSONDecoder().decode(GPSDReport.self, from: Data(line.utf8))
    else { return }
    #expect(decoded.unknownMembers.count <= 1024)
  }

  static let classes = [
    "AIS", "RTCM2", "RTCM3", "SUBFRAME", "RAW", "LOG", "GST", "IMU", "TOFF", "PPS", "OSC", "POLL",
    "TPV", "SKY", "ATT", "VERSION", "DEVICES", "DEVICE", "WATCH", "ERROR", "NEW",
  ]

  @Test("the class is found at any position and reported", arguments: classes)
  func identifiesTheClass(_ name: String) throws {
    for line in [
      #"{"class":"\#(name)","x":1}"#, #"{"x":{"class":"TPV"},"class": "\#(name)"}"#,
      #" { "class" : "\#(name)" } "#, #"{"class":"TPV","class":"\#(name)"}"#,
    ] {
      let report = try #require(whole(line), "\(line)")
      #expect(report.className == name)
      if case .other = report { #expect(name == "NEW") } else { #expect(name != "NEW") }
    }
  }

  @Test func everyReportHasItsDevice() {
    for name in Self.classes where !["VERSION", "DEVICES", "ERROR", "POLL"].contains(name) {
      let key = name == "DEVICE" ? "path" : "device"
      #expect(whole(#"{"class":"\#(name)","\#(key)":"/dev/é"}"#)?.device == "/dev/é", "\(name)")
      #expect(whole(#"{"class":"\#(name)","\#(key)":5}"#)?.device == nil, "\(name)")
    }
  }

  @Test("an empty key is no field", arguments: classes)
  func emptyKey(_ name: String) throws {
    for value in ["null", "1", #""SKY""#, "[1]", "{}"] {
      let expected = try #require(whole(#"{"class":"\#(name)","device":"d"}"#))
      let report = try #require(whole(#"{"class": "\#(name)","device":"d","":\#(value)}"#))
      #expect(report.className == name)
      #expect(report.device == expected.device)
    }
  }

  static let malformed = [
    "", " ", "$GPGGA", "{", "{}", #"{"class":5}"#, #"{"class":"TPV"}x"#,
    "{\"class\":\"TPV\"}\n{\"class\":\"SKY\"}", #"{"class":"AIS","x":"\#u{1}"}"#,
    #"{"class":"AIS","x":\#(String(repeating: "[", count: 40))"#,
  ]

  @Test("F17 F20 invalid reports are refused with the reason", arguments: malformed)
  func refuses(_ line: String) {
    #expect {
      try GPSDReport(line: line.utf8)
    } throws: { error in
      (error as? LocationError)?.code == .invalidValue
    }
    #expect(throws: LocationError.self) { try OpaqueReport(line: line.utf8) }
  }

  @Test(arguments: ["\n", "\r\n", "\r", ""])
  func aLineTerminatorIsAllowed(_ end: String) throws {
    #expect(try GPSDReport(line: (#"{"class":"TPV","mode":2}"# + end).utf8).className == "TPV")
  }
}
