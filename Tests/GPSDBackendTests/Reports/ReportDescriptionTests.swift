import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import GPSDBackend

/// The output of `print` and a debugger for gpsd's reports.
@Suite(.inTurn) struct ReportDescriptionTests {
  static let samples: [(line: String, text: String)] = [
    (
      #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2026-05-04T03:02:01.250Z","lat":48.5,"eph":2.5,"speed":3}"#,
      "TPV(mode: 3, time: 2026-05-04T03:02:01.250Z, lat: 48.5°, eph: 2.5 m, speed: 3.0 m/s, "
        + "device: \"/dev/a\")"
    ),
    (
      #"{"class":"SKY","hdop":0.5,"satellites":[{"PRN":5,"el":40,"ss":33.5,"used":true}]}"#,
      "SKY(hdop: 0.5, satellites: [Satellite(PRN: 5, el: 40.0°, ss: 33.5 dB-Hz, used: true)])"
    ),
    (#"{"class":"GST","rms":2,"lat":1.5}"#, "GST(rms: 2.0, lat: 1.5 m)"),
    (#"{"class":"ATT","heading":142.25,"mag_st":"N"}"#, "ATT(heading: 142.25°, mag_st: \"N\")"),
    (#"{"class":"IMU","acc_x":0.25}"#, "IMU(acc_x: 0.25)"),
    (#"{"class":"PPS","real_sec":7,"qErr":-3}"#, "PPS(real_sec: 7 s, qErr: -3.0 ps)"),
    (#"{"class":"ERROR","message":"No\u001b[31m"}"#, "ERROR(message: \"No\\u{1b}[31m\")"),
    (
      #"{"class":"DEVICES","devices":[{"path":"/dev/a","bps":9600}]}"#,
      "DEVICES(devices: [DEVICE(bps: 9600 bit/s, path: \"/dev/a\")])"
    ),
    (
      #"{"class":"AIS","device":"a","mmsi":1}"#,
      #"AIS(device: "a", line: "{\"class\":\"AIS\",\"device\":\"a\",\"mmsi\":1}")"#
    ),
  ]

  @Test func reportsPrintWithGPSDsNames() throws {
    for (line, text) in Self.samples {
      let report = try GPSDReport(line: line.utf8)
      #expect("\(report)" == text)
      #expect(String(reflecting: report) == text)
    }
  }

  @Test("no field of any class is left out", arguments: ReportCodingTests.lines)
  func everyField(_ line: String) throws {
    let report = try GPSDReport(line: line.utf8)
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    let text = "\(report)"
    var dumped = ""
    dump(report, to: &dumped)
    #expect(!text.contains("Numbers"))
    #expect(!dumped.contains("Numbers"))
    guard !text.contains("line: ") else { return }  // Opaque reports print their line.
    for key in (object ?? [:]).keys where key != "class" {
      #expect(text.contains("\(key): "), "\(key) in \(text)")
      #expect(dumped.contains("\(key): "), "\(key) in \(dumped)")
    }
  }

  @Test func configurationsAndStatisticsPrintTheirMembers() {
    #expect("\(Reconnection.never)" == "never")
    let text = "\(GPSDConfiguration(host: "h"))"
    #expect(text.hasPrefix("GPSDConfiguration(host: \"h\", port: 2947, receiverSelection: best"))
    #expect(text.contains("reconnection: exponential(initial: 1.0 seconds"))
    #expect(text.contains("authorizationPolicy: FixedAuthorizationPolicy"))
    #expect(
      "\(ReportOptions(classes: ["TPV"], buffering: .newest(bytes: 5)))".contains(
        "classes: [\"TPV\"]"))
    #expect("\(GPSDStatistics())".hasPrefix("GPSDStatistics(phase: idle, receiverChanges: 0"))
  }
}

@Suite(.inTurn) struct GPSDStatisticsCodingTests {
  static let time = Date(timeIntervalSinceReferenceDate: 799_556_521.25)

  @Test func roundTrip() throws {
    var statistics = GPSDStatistics()
    statistics.phase = .waiting
    statistics.phaseDate = Self.time
    statistics.daemon = GPSDVersion(release: "3.22", protocolMajor: 3, protocolMinor: 14)
    statistics.preferredReceiver = "/dev/a"
    (statistics.receiverChanges, statistics.bytes, statistics.reports) = (1, 2, 3)
    (statistics.malformedLines, statistics.overlongLines) = (4, 5)
    (statistics.attempts, statistics.connections) = (6, 7)
    statistics.repeatedPositions = 10
    statistics.classes.positions = 8
    statistics.classes.others = 9
    statistics.lastError = LocationError(.connectionLost, "Gone.")
    let data = try JSONEncoder().encode(statistics)
    #expect(try JSONDecoder().decode(GPSDStatistics.self, from: data) == statistics)
    let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    #expect(object?["phaseDate"] as? String == "2026-05-04T03:02:01.250Z")
    #expect(object?["malformedLines"] as? Int == 4)
    #expect((object?["classes"] as? [String: Any])?["others"] as? Int == 9)
    // The clock of another process has no meaning.
    statistics.phaseInstant = .now
    let back = try JSONDecoder().decode(
      GPSDStatistics.self, from: JSONEncoder().encode(statistics))
    #expect(back.phaseInstant == nil)
  }

  @Test func absentCountsAreZero() throws {
    let text = #"{"phase":"warmingUp"}"#
    let statistics = try JSONDecoder().decode(GPSDStatistics.self, from: Data(text.utf8))
    var expected = GPSDStatistics()
    expected.phase = .connecting
    #expect(statistics == expected)
  }

  @Test func addedCountsAreEncoded() {
    // Every stored property is either in a table or a member by itself.
    let names = Set(GPSDStatistics().members.map(\.name))
    #expect(names.count == 15)
    #expect(
      MemoryLayout<GPSDStatistics.Classes>.size == GPSDStatistics.Classes().members.count * 8)
  }
}
