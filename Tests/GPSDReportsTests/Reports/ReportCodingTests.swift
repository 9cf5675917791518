import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import GPSDReports

/// Encodes and decodes reports as JSON with gpsd's names and units.
@Suite(.inTurn) struct ReportCodingTests {
  /// One line of each class with all fields, as gpsd writes them, with invented values.
  static let lines = [
    #"{"class":"VERSION","release":"3.25","rev":"3.25~dev","proto_major":3,"proto_minor":15,"remote":"tcp://h:1"}"#,
    #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","activated":"2026-05-04T03:02:01.250Z","flags":1,"driver":"u-blox","subtype":"S","subtype1":"T","sernum":"77","bps":9600,"parity":"N","stopbits":1,"native":1,"cycle":1.5,"mincycle":0.25,"readonly":false,"hexdata":"b562"},{"class":"DEVICE","path":"/dev/b"}],"remote":"r"}"#,
    #"{"class":"DEVICE","path":"/dev/b","activated":0}"#,
    #"{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":1,"scaled":true,"timing":false,"split24":true,"pps":true,"device":"/dev/a","remote":"r"}"#,
    #"{"class":"TPV","device":"/dev/ttyS0","status":3,"mode":3,"time":"2005-06-08T10:34:48.283Z","ept":0.005,"lat":46.498293369,"lon":-7.567411672,"altHAE":1343.127,"altMSL":1295.5,"alt":1295.5,"epx":1.5,"epy":2.25,"epv":32.321,"track":10.3788,"magtrack":12.5,"magvar":-2.1,"speed":0.091,"climb":-0.085,"eps":0.5,"epc":1.25,"epd":3.5,"geoidSep":47.627,"eph":36.5,"sep":41.75,"datum":"WGS84","depth":2.5,"dgpsAge":3.5,"dgpsSta":138,"dgpsRatio":1.5,"leapseconds":18,"ecefx":4387120.86,"ecefy":-734141.97,"ecefz":4555801.88,"ecefvx":-0.19,"ecefvy":0.07,"ecefvz":0.16,"ecefpAcc":19.39,"ecefvAcc":0.9,"velN":0.09,"velE":0.016,"velD":-0.085,"relN":1.5,"relE":2.5,"relD":-3.5,"baseS":4,"baseE":-503.349,"baseN":-2270.309,"baseU":60.062,"baseL":2326.213,"baseC":192.5,"wanglem":12.5,"wangler":-13.5,"wanglet":14.5,"wspeedr":3.5,"wspeedt":4.5,"temp":21.5,"wtemp":11.5,"ant":1,"jam":17,"clockbias":-12345.5,"clockdrift":67.25,"errEllMaj":2.5,"errEllMin":1.5,"errEllOr":-45.5,"antPwr":1}"#,
    #"{"class":"SKY","device":"/dev/ttyS0","time":"2005-07-08T11:28:07.114Z","xdop":1.55,"ydop":1.25,"vdop":2.5,"tdop":1.125,"hdop":1.24,"pdop":1.99,"gdop":2.75,"nSat":2,"uSat":1,"prRes":0.5,"qual":3,"satellites":[{"PRN":23,"gnssid":6,"svid":7,"sigid":1,"freqid":8,"el":-6.5,"az":84.25,"ss":44.5,"used":true,"health":1,"prRes":-11.5,"prrRes":0.25,"qual":4,"pr":21384756.25,"prRate":-431.5},{"PRN":28,"used":false}]}"#,
    #"{"class":"GST","device":"/dev/ttyS0","time":"2010-12-07T10:23:07.096Z","rms":2.44,"major":1.66,"minor":1.12,"orient":68.989,"lat":1.625,"lon":1.25,"alt":2.52,"ve":0.125,"vn":0.25,"vu":0.5}"#,
    #"{"class":"ATT","device":"/dev/tnt","time":"2010-04-10T22:21:36.843Z","heading":142.25,"mheading":140.5,"pitch":16.5,"pitch_st":"N","roll":-43.5,"roll_st":"O","yaw":1.5,"yaw_st":"P","rot":-0.013,"dip":13641.5,"mag_len":1.5,"mag_x":2454.5,"mag_y":3.5,"mag_z":-4.5,"mag_st":"C","acc_len":9.75,"acc_x":0.25,"acc_y":-0.5,"acc_z":9.5,"gyro_x":1.25,"gyro_y":2.25,"gyro_z":3.25,"gyro_temp":31.5,"temp":25.5,"depth":12.5,"timeTag":987654321,"baseS":3,"baseE":-0.815,"baseN":-0.393,"baseU":0.044,"baseL":0.906,"baseC":244.28,"msg":"UBX-ESF-ALG"}"#,
    #"{"class":"IMU","device":"/dev/tnt","timeTag":12,"acc_x":0.25,"gyro_z":-1.5}"#,
    #"{"class":"TOFF","device":"/dev/ttyS0","real_sec":1330212592,"real_nsec":343182,"clock_sec":1330212592,"clock_nsec":999999999,"precision":-2,"shm":"NTP0"}"#,
    #"{"class":"PPS","device":"/dev/ttyS0","real_sec":1330212592,"real_nsec":0,"clock_sec":1330212592,"clock_nsec":343184,"precision":-20,"qErr":-1234}"#,
    #"{"class":"OSC","device":"/dev/ttyS0","running":true,"reference":true,"disciplined":false,"delta":67}"#,
    #"{"class":"POLL","time":"2010-06-04T10:31:00.289Z","active":1,"tpv":[{"class":"TPV","device":"a","mode":2,"lat":40.035093060,"lon":-75.519748733}],"gst":[{"class":"GST","device":"a","rms":1.5}],"sky":[{"class":"SKY","device":"a","satellites":[{"PRN":16,"el":55,"az":42,"ss":36,"used":true}]}]}"#,
    #"{"class":"ERROR","message":"Unrecognized request '?FOO;\n\u0001\"'"}"#,
    #"{"class":"AIS","device":"/dev/ais","type":5,"mmsi":351759000,"turn":"nan","heading":511,"big":18446744073709551615,"lon":-0.5,"empty":{},"list":[[],[1,null,true]],"name":"É\u00e9 \ud83d\ude80"}"#,
    #"{"class":"RTCM2","type":14,"station_id":652,"zcount":1657.5,"week":601,"satellites":[{"ident":10,"prc":-2.4}]}"#,
    #"{"class":"RTCM3","type":1005,"x":1.5}"#,
    #"{"class":"SUBFRAME","TOW17":57391,"EPHEM1":{"af2":1e-30}}"#,
    #"{"class":"RAW","time":1570000000,"nsec":5,"rawdata":[{"gnssid":0}]}"#,
    #"{"class":"LOG","msg":"x"}"#, #"{"class":"NEW","a":[1.25,-3]}"#,
  ]

  @Test(
    "encoding gives the fields of the line, and decoding gives the same report", arguments: lines)
  func roundTrip(_ line: String) throws {
    let report = try GPSDReport(line: line.utf8)
    let encoded = try JSONEncoder().encode(report)
    let expected = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary
    let found = try JSONSerialization.jsonObject(with: encoded) as? NSDictionary
    #expect(expected != nil)
    #expect(found == expected)
    for data in [encoded, Data(line.utf8)] {
      #expect(try JSONDecoder().decode(GPSDReport.self, from: data) == report)
      #expect(try GPSDReport(line: data) == report)
    }
    #expect(Set([report, try JSONDecoder().decode(GPSDReport.self, from: encoded)]).count == 1)
  }

  /// Lines with unknown members, or with rare known ones, in every class and at every depth.
  static let additions = [
    #"{"class":"TPV","device":"a","errEllMaj":3.5,"errEllMin":1.25,"errEllOr":-12.5,"antPwr":1}"#,
    #"{"class":"SKY","satellites":[{"PRN":3,"used":true,"pr":21000000.5,"prRate":-12.5,"x":[1]}]}"#,
    #"{"class":"GST","ve":0.5,"vn":0.25,"vu":1.5}"#, #"{"class":"IMU","msg":"UBX-ESF-MEAS"}"#,
    #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"a","hexdata":"b562","new":1}]}"#,
    #"{"class":"TPV","new":{"a":[1,2.5,null,true,"é\n"],"class":"SKY"},"":0,"mode":2,"n\u0065xt":"x"}"#,
    #"{"class":"VERSION","new":18446744073709551615}"#, #"{"class":"WATCH","new":[[],{}]}"#,
    #"{"class":"ATT","new":-0.001}"#, #"{"class":"TOFF","new":false}"#,
    #"{"class":"OSC","new":null}"#, #"{"class":"ERROR","new":"x"}"#,
    #"{"class":"POLL","new":1,"tpv":[{"class":"TPV","new":2}],"gst":[{"class":"GST","new":3}],"sky":[{"class":"SKY","new":4,"satellites":[{"new":5}]}]}"#,
  ]

  @Test("unknown members are kept", arguments: additions)
  func keepsAdditions(_ line: String) throws {
    try roundTrip(line)
  }

  @Test("no field of any class lacks a round trip")
  func everyField() throws {
    func check<Report: StoredReport>(_ type: Report.Type, _ object: Any?) {
      let object = object as? [String: Any]
      for specification in Report.table.specifications {
        #expect(object?[specification.key] != nil, "\(type).\(specification.key)")
      }
    }
    let objects = try Self.lines.map {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
    func first(_ name: String) -> [String: Any]? {
      objects.first { $0?["class"] as? String == name } ?? nil
    }
    check(VersionReport.self, first("VERSION"))
    check(DevicesReport.self, first("DEVICES"))
    check(DeviceReport.self, (first("DEVICES")?["devices"] as? [Any])?.first)
    check(WatchReport.self, first("WATCH"))
    check(TPV.self, first("TPV"))
    check(SKY.self, first("SKY"))
    check(SatelliteReport.self, (first("SKY")?["satellites"] as? [Any])?.first)
    check(GST.self, first("GST"))
    check(ATT.self, first("ATT"))
    check(OscillatorReport.self, first("OSC"))
    check(PollReport.self, first("POLL"))
    check(ErrorReport.self, first("ERROR"))
    let clocks = (first("TOFF") ?? [:]).merging(first("PPS") ?? [:]) { one, _ in one }
    check(ClockReport.self, clocks)
  }

  static let invalidMembers = [
    #""lat":"1""#, #""lat":null"#, #""lat":[1]"#, #""lat":{"a":1}"#, #""lat":true"#, #""lat":91"#,
    #""mode":2.5"#, #""mode":4"#, #""time":"2023-02-29T00:00:00Z""#, #""time":[]"#, #""device":5"#,
    #""datum":null"#, #""magvar":999.9"#, #""magtrack":1010.3"#,
  ]

  @Test("F19 a JSON decoder drops the same invalid fields as the reader", arguments: invalidMembers)
  func dropsInvalidMembers(_ member: String) throws {
    let line = #"{"class":"TPV",\#(member),"lon":1.5}"#
    let report = try JSONDecoder().decode(GPSDReport.self, from: Data(line.utf8))
    #expect(report == .tpv(try TPV { $0.longitude = 1.5 }))
    #expect(report == whole(line))
  }

  @Test("F19 a JSON decoder drops the same invalid list elements as the reader")
  func dropsInvalidElements() throws {
    for written in [
      "null", "5", "{}", "[]", #"[null,5,{"PRN":1,"used":1},[2],"x",{}]"#, #"[{"ss":-1}]"#,
    ] {
      let line = #"{"class":"SKY","satellites":\#(written),"hdop":1.5}"#
      #expect(
        try JSONDecoder().decode(GPSDReport.self, from: Data(line.utf8)) == whole(line), "\(line)")
    }
  }

  @Test func anotherClassIsRefused() throws {
    let line = Data(#"{"class":"TPV","time":"2026-05-04T03:02:01.250Z"}"#.utf8)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(SKY.self, from: line) }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(GPSDReport.self, from: Data(#"{"x":1}"#.utf8))
    }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(OpaqueReport.self, from: Data(#"{"x":1}"#.utf8))
    }
    let bare = try JSONDecoder().decode(
      TPV.self, from: Data(#"{"mode":2}"#.utf8))
    #expect(bare.mode == 2)
  }

  static let times: [(Date, String)] = [
    (date(2005, 6, 8, 10, 34, 48.283), "2005-06-08T10:34:48.283Z"),
    (date(2026, 1, 1), "2026-01-01T00:00:00.000Z"),
    (date(2026, 1, 1, 0, 0, 0.25), "2026-01-01T00:00:00.250Z"),
    (date(1969, 12, 31, 23, 59, 59.5), "1969-12-31T23:59:59.500Z"),
    (date(2000, 2, 29, 23, 59, 59.999), "2000-02-29T23:59:59.999Z"),
    (date(2001, 1, 1, 0, 0, 0.123456), "2001-01-01T00:00:00.123456Z"),
  ]

  @Test("times are written as gpsd writes them", arguments: times)
  func time(_ date: Date, _ expected: String) throws {
    let report = try SKY { $0.time = date }
    let json = String(decoding: try JSONEncoder().encode(report), as: UTF8.self)
    #expect(json.contains("\"\(expected)\""))
    #expect(report.time == date)
    #expect(try JSONDecoder().decode(SKY.self, from: Data(json.utf8)) == report)
  }

  @Test("numbers of seconds are written exactly, too")
  func numericTimes() throws {
    for number in ["978307200.1234567891", "978307200.00000023841858", "0.5", "1270938096.843"] {
      let report = try GPSDReport(line: #"{"class":"SKY","time":\#(number)}"#.utf8)
      let encoded = try JSONEncoder().encode(report)
      #expect(try GPSDReport(line: encoded) == report, "\(number)")
    }
  }

  @Test("F17 F18 F19 damaged reports that are read round-trip", .longWork, arguments: 0..<8)
  func damaged(_ seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let pieces = [
      "\"", "{", "}", "[", "]", ",", ":", "-", "e9", "1e999", "null", "true", "\\u0041", "9",
    ]
    var readCount = 0
    for line in Self.lines {
      for _ in 0..<60 {
        var bytes = Array(line.utf8)
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
          let place = Int.random(in: 0..<bytes.count, using: &generator)
          let length = min(Int.random(in: 0...3, using: &generator), bytes.count - place)
          let piece = Array(pieces.randomElement(using: &generator)!.utf8)
          bytes.replaceSubrange(place..<place + length, with: piece)
        }
        guard let report = try? GPSDReport(line: bytes) else { continue }
        readCount += 1
        let text = String(decoding: bytes, as: UTF8.self)
        let encoded = try JSONEncoder().encode(report)
        #expect((try? GPSDReport(line: encoded)) == report, "\(text)")
        #expect(try JSONDecoder().decode(GPSDReport.self, from: encoded) == report, "\(text)")
      }
    }
    #expect(readCount > 50)
  }

  @Test("F18 initializers refuse values that are not finite or out of range")
  func refusesValues() {
    #expect(throws: LocationError.self) { try TPV { $0.latitude = 90.5 } }
    #expect(throws: LocationError.self) { try TPV { $0.climb = .nan } }
    #expect(throws: LocationError.self) { try TPV { $0.mode = 4 } }
    #expect(throws: LocationError.self) { try TPV { $0.speed = -1 } }
    #expect(throws: LocationError.self) {
      try SKY { $0.time = Date(timeIntervalSinceReferenceDate: .nan) }
    }
    #expect(throws: LocationError.self) { try SKY { $0.time = .distantFuture + 1e13 } }
    #expect(throws: LocationError.self) { try SatelliteReport { $0.prn = -1 } }
    #expect(throws: LocationError.self) { try SatelliteReport { $0.prn = .max } }
    #expect(throws: LocationError.self) {
      try ClockReport { $0.receiverNanoseconds = 1_000_000_000 }
    }
    #expect(throws: LocationError.self) { try OscillatorReport { $0.delta = .infinity } }
  }

  @Test("F42 a refusal contains no coordinate")
  func refusalsAreSilent() {
    #expect {
      try TPV { $0.latitude = 123.456 }
    } throws: { error in
      let message = (error as? LocationError)?.message ?? "123.456"
      return !message.contains("123.456") && message.contains("lat of TPV")
    }
  }

  @Test func opaqueReportsCompareAsJSON() throws {
    let one = try OpaqueReport(line: #"{"class":"AIS","a":1,"b":[2.5]}"#.utf8)
    let two = try OpaqueReport(line: #" { "b" : [25e-1], "class":"\#u{41}IS", "a":1.0 } "#.utf8)
    #expect(one == two)
    #expect(one.hashValue == two.hashValue)
    #expect(one != (try OpaqueReport(line: #"{"class":"AIS","a":1,"b":[2]}"#.utf8)))
    #expect(String(decoding: one.line, as: UTF8.self) == #"{"class":"AIS","a":1,"b":[2.5]}"#)
  }

  @Test(
    "unknown numbers beyond the precision of a double round-trip",
    arguments: [
      "9223372036854775807", "9223372036854775807.5", "9223372036854775808",
      "9223372036854775808.5", "9.2233720368547758e18", "1e19", "18446744073709551615",
      "18446744073709551615.5", "18446744073709551616", "-9223372036854775808",
      "-9223372036854775809", "-9223372036854777856", "9007199254740993", "9007199254740993.5",
      "-0", "-0.0", "1e20", "1e300", "0.1", "5e-324",
    ])
  func numbersOfOpenReports(_ number: String) throws {
    let report = try GPSDReport(line: Array(#"{"class":"AIS","x":\#(number)}"#.utf8))
    let encoded = try JSONEncoder().encode(report)
    #expect(try GPSDReport(line: Array(encoded)) == report)
    #expect(try JSONDecoder().decode(GPSDReport.self, from: encoded) == report)
  }

  @Test("words that are not JSON are encoded as null")
  func words() throws {
    let report = try OpaqueReport(line: #"{"class":"AIS","turn":nan,"x":-inf,"y":1e999}"#.utf8)
    let json = String(decoding: try JSONEncoder().encode(report), as: UTF8.self)
    #expect(json.contains(#""turn":null"#))
    #expect(json.contains(#""y":null"#))
  }
}
