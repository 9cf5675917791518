import Foundation
import MockBackend

@testable import GPSDReports

/// Generated lines of gpsd that libgps' parser reads too.
enum DifferentialLines {
  /// Lines of every class, and lines with known problems in libgps.
  static let written = [
    #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#,
    #"{"class":"VERSION","release":"3.22","rev":"x","proto_major":3,"proto_minor":14,"remote":"tcp://a:1"}"#,
    #"{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":0,"scaled":false,"timing":false,"split24":false,"pps":false}"#,
    #"{"class":"WATCH","enable":true,"raw":2,"pps":true,"device":"/dev/ttyUSB0"}"#,
    #"{"class":"DEVICES","devices":[]}"#,
    devices(1), devices(4), devices(5),
    #"{"class":"DEVICE","path":"/dev/ttyUSB0","driver":"u-blox","subtype":"SW EXT CORE 3.01","subtype1":"FWVER=SPG 3.01","activated":"2026-05-04T03:02:01.125Z","flags":1,"native":1,"bps":9600,"parity":"N","stopbits":1,"cycle":1.00,"mincycle":0.25}"#,
    #"{"class":"DEVICE","path":"/dev/ttyUSB0","activated":0}"#,
    #"{"class":"DEVICE","path":"/dev/ttyUSB0","activated":"2026-05-04T03:02:01.125Z"}"#,
    #"{"class":"TPV","device":"/dev/ttyUSB0","mode":1}"#,
    #"{"class": "TPV", "mode": 3, "lat": 1.5, "lon": 2.5}"#,
    #"{"class":"TPV","mode":3,"lat":1.5,"lon":2.5,"unknown":[1,2]}"#,
    #"{"class":"TPV","mode":3,"lat":1.5,"lon":2.5,"unknown":{"class":"SKY"}}"#,
    #"{"class":"TPV","mode":3,"time":"2026-99-04T03:02:01.000Z","lat":1.5,"lon":2.5}"#,
    #"{"class":"TPV","mode":3,"time":"garbage","lat":1.5,"lon":2.5}"#,
    #"{"class":"TPV","mode":3,"lat":91.5,"lon":-190,"track":361,"speed":-1}"#,
    #"{"class":"TPV","mode":3,"lat":null,"lon":2.5}"#,
    #"{"class":"TPV","mode":3,"lat":"1.5","lon":2.5}"#,
    #"{"lat":1.5,"lon":2.5,"mode":3,"class":"TPV"}"#,
    #"{"class":"SKY","device":"a","hdop":0.8,"vdop":1.2,"pdop":1.5}"#,
    sky(12), sky(140), sky(141),
    #"{"class":"SKY","device":"a","satellites":[{"PRN":2,"el":45,"az":120,"ss":40,"used":true,"gnssid":0,"svid":2,"sigid":1,"health":1},{"PRN":301,"el":-2.5,"az":359.9,"used":false,"gnssid":2,"svid":1,"freqid":3}]}"#,
    #"{"class":"POLL","time":"2026-05-04T03:02:01.000Z","active":1,"tpv":[{"class":"TPV","mode":3,"lat":1,"lon":2}],"gst":[],"sky":[]}"#,
    #"{"class":"IMU","device":"a","timeTag":12,"acc_x":0.5,"gyro_z":1.5}"#,
    #"{"class":"TOFF","device":"a","real_sec":1777863721,"real_nsec":5,"clock_sec":1777863720,"clock_nsec":999999999}"#,
    #"{"class":"PPS","device":"a","real_sec":1777863721,"real_nsec":5,"clock_sec":1777863720,"clock_nsec":999999999,"precision":-20,"qErr":-1234}"#,
    #"{"class":"OSC","device":"a","running":true,"reference":true,"disciplined":false,"delta":67}"#,
    #"{"class":"ERROR","message":"Unrecognized request '?BANANA'"}"#,
    #"{"class":"ERROR","message":"\#(String(repeating: "x", count: 300))"}"#,
    #"{"class":"UNHEARD","device":"a"}"#,
  ]

  private static func devices(_ count: Int) -> String {
    let list = (0..<count).map {
      #"{"class":"DEVICE","path":"/dev/ttyUSB\#($0)","driver":"NMEA0183","flags":1,"bps":4800,"parity":"N","stopbits":1,"native":0,"cycle":1.00,"mincycle":0.50}"#
    }
    return #"{"class":"DEVICES","devices":[\#(list.joined(separator: ","))]}"#
  }

  private static func sky(_ count: Int) -> String {
    let list = (1...count).map {
      #"{"PRN":\#($0),"el":\#($0 % 90),"az":\#($0 * 2),"ss":40.5,"used":\#($0 % 2 == 0),"gnssid":0,"svid":\#($0)}"#
    }
    return
      #"{"class":"SKY","device":"a","nSat":\#(count),"uSat":\#(count / 2),"satellites":[\#(list.joined(separator: ","))]}"#
  }

  /// The lines of the seed files of fuzzing, without the two header bytes of each file.
  static func fuzzed() throws -> [String] {
    let folder = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fuzzing/Corpus")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .flatMap { file in
        String(
          decoding: try Data(contentsOf: folder.appendingPathComponent(file)).dropFirst(2),
          as: UTF8.self
        ).split(whereSeparator: \.isNewline).map(String.init)
      }
  }

  /// Reports of a class with random fields, with values in range and as many digits as gpsd writes.
  static func generated(count: Int, seed: UInt64) -> [String] {
    var generator = SplitMix64(seed: seed)
    let kinds: [(String, [FieldSpecification])] = [
      ("TPV", TPV.table.specifications), ("SKY", SKY.table.specifications),
      ("ATT", ATT.table.specifications), ("GST", GST.table.specifications),
      ("DEVICE", DeviceReport.table.specifications), ("PPS", ClockReport.table.specifications),
      ("OSC", OscillatorReport.table.specifications),
      ("VERSION", VersionReport.table.specifications),
      ("WATCH", WatchReport.table.specifications),
    ]
    return (0..<count).map { index in
      let (name, specifications) = kinds[index % kinds.count]
      var members = [#""class":"\#(name)""#]
      for specification in specifications where Bool.random(using: &generator) {
        guard let value = value(specification, &generator) else { continue }
        members.append("\"\(specification.key)\":\(value)")
      }
      return "{\(members.joined(separator: ","))}"
    }
  }

  private static func value(
    _ specification: FieldSpecification, _ generator: inout SplitMix64
  ) -> String? {
    let lowest = max(specification.range.lowerBound, -100_000)
    let highest = min(specification.range.upperBound, 100_000)
    switch specification.kind {
    case .number where ["delta", "qErr"].contains(specification.key):  // Integers in libgps.
      return "\(Int.random(in: -1000...1000, using: &generator))"
    case .number:
      return String(
        format: "%.\(Int.random(in: 0...9, using: &generator))f",
        Double.random(in: lowest...highest, using: &generator))
    case .integer: return "\(Int.random(in: Int(lowest)...Int(highest), using: &generator))"
    case .flag: return "\(Bool.random(using: &generator))"
    case .time:
      let day = Int.random(in: 1...28, using: &generator)
      let second = Int.random(in: 0...59, using: &generator)
      let fraction = Int.random(in: 0...999, using: &generator)
      return String(format: "\"2026-05-%02dT03:02:%02d.%03dZ\"", day, second, fraction)
    case .text, .device:
      return ["parity": "\"E\"", "mag_st": "\"N\""][specification.key] ?? "\"a-b\""
    case .list, .className: return nil
    }
  }
}
