import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import GPSDReports

/// Tests how `print`, `dump` and a debugger show gpsd's reports.
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
}
