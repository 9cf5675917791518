import AsyncLocation
import JSONScanning
import TestSupport
import Testing

@testable import GPSDReports

/// Tests the scanning of numbers, texts and structure through reports.
@Suite(.inTurn) struct JSONScannerTests {
  static let numbers = [
    "0", "-0", "1", "-1", "12.5", "0.1", "46.498287177", "7.567411672", "1e3", "1E3", "1e+3",
    "1.5e-3", "123456789012345678", "9007199254740992", "9007199254740993",
    "90071992547409935e-1", "0.30000000000000004", "1.7976931348623157e308", "5e-324",
    "2.2250738585072011e-308", "0.1e22", "1e22", "1e23", "8.5e-23", "123456789.123456789123456789",
    "0.000000000000000000000000000001", "100000000000000000000000000000",
    "3.14159265358979323846264338327950288", "17976931348623157e292", "-46.498287177",
    "0.5000000000000000000000000000000000000000000000000000000000000000001", "18446744073709551616",
    "1.8446744073709551616", "4503599627370497.5", "4503599627370496.5", "9007199254740991.5",
  ]

  @Test("F18 a number is the double nearest to it", arguments: numbers)
  func nearest(_ number: String) throws {
    let report = try #require(tpv(#"{"class":"TPV","mode":1,"climb":\#(number),"depth":1}"#))
    let expected = try #require(Double(number))
    #expect(report.climb?.bitPattern == expected.bitPattern)
    #expect(report.depth == 1)
  }

  @Test("F18 thousands of generated numbers are the doubles nearest to them")
  func generated() throws {
    var state: UInt64 = 1
    func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 11
    }
    for _ in 0..<4000 {
      let digits = String(next() % (1 << (next() % 53 + 1)))
      let point = Int(next()) % (digits.count + 1)
      let whole = point == 0 ? "0" : String(digits.prefix(point))
      guard whole == "0" || !whole.hasPrefix("0") else { continue }
      let rest = String(digits.dropFirst(point))
      let exponent = next() % 4 == 0 ? "e\(Int(next() % 60) - 30)" : ""
      let number =
        (next() % 2 == 0 ? "-" : "") + whole + (rest.isEmpty ? "" : "." + rest) + exponent
      let report = try #require(tpv(#"{"class":"TPV","climb":\#(number)}"#))
      #expect(report.climb?.bitPattern == Double(number)?.bitPattern, "\(number)")
    }
  }

  static let invalidNumbers = [
    "NaN", "nan", "Infinity", "inf", "-inf", "-Infinity", "1e999", "-1e999", "+1", "01", "-01",
    ".5",
    "1.", "1.e3", "1e", "1e+", "0x10", "1.2.3", "--1", "-", "1-1", "true", "false", "null",
    "12abc", "1e5.5",
  ]

  @Test("F18 an invalid number drops only its field", arguments: invalidNumbers)
  func loses(_ number: String) throws {
    let report = try #require(tpv(#"{"class":"TPV","climb":\#(number),"depth":1,"mode":2}"#))
    #expect(report.climb == nil)
    #expect(report.depth == 1)
    #expect(report.mode == 2)
  }

  @Test("F18 an endless number drops only its field")
  func endlessNumber() throws {
    let number = String(repeating: "9", count: 100_000)
    let report = try #require(tpv(#"{"class":"TPV","climb":\#(number),"depth":1}"#))
    #expect(report.climb == nil)
    #expect(report.depth == 1)
  }

  static let texts: [(String, String)] = [
    ("", ""), ("a", "a"), ("/dev/ttyACM0", "/dev/ttyACM0"), ("12345678", "12345678"),
    (#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t"), (#"\u0041\u00e9\u20AC"#, "Aé€"),
    (#"\ud83d\uDE00!"#, "😀!"), ("é€😀", "é€😀"), ("1234567é", "1234567é"),
    ("a\u{7F}b", "a\u{7F}b"), (#"\u0000"#, "\0"),
    ("\u{10FFFF}\u{FFFF}\u{E000}", "\u{10FFFF}\u{FFFF}\u{E000}"),
    (String(repeating: "x", count: 300), String(repeating: "x", count: 300)),
  ]

  @Test(arguments: texts)
  func reads(text: String, expected: String) {
    #expect(tpv(#"{"class":"TPV","device":"\#(text)","mode":2}"#)?.device == expected)
    #expect(tpv(#"{"class":"TPV","mode":2,"device":"\#(text)"}"#)?.device == expected)
  }

  static let badTexts: [[UInt8]] = [
    [0], [1], [0x1F], [9], [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28],
    [0xE0, 0x80, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
    [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xFE],
    Array(#"\ud800"#.utf8), Array(#"\udc00"#.utf8), Array(#"\ud800\u0041"#.utf8),
    Array(#"\ud800\ud800"#.utf8), Array(#"\ud800x"#.utf8), Array(#"\u12"#.utf8),
    Array(#"\u12g4"#.utf8), Array(#"\'"#.utf8), Array(#"\x41"#.utf8), Array(#"\"#.utf8),
  ]

  @Test("F17 invalid UTF-8, NUL, controls and lone surrogates drop the line", arguments: badTexts)
  func refuses(_ text: [UInt8]) {
    for filler in ["", "abcdefghij"] {
      for (head, tail) in [
        (#"{"class":"TPV","device":""#, #"","mode":2}"#), (#"{"class":"TPV","other":""#, #""}"#),
        (#"{"class":"TPV","other":[{"a":""#, #""}]}"#), (#"{"class":"TPV",""#, #"":1}"#),
        (#"{"class":"POLL","other":""#, #""}"#),
      ] {
        #expect(fault(Array((head + filler).utf8) + text + Array(tail.utf8)) == .invalid, "\(head)")
      }
    }
  }

  static let malformed: [(String, ReportReader.MalformedLine.Reason)] = [
    ("", .empty), ("  \t", .empty), ("$GPGGA,1", .notAnObject),
    ("HTTP/1.1 400 Bad Request", .notAnObject),
    ("[]", .notAnObject), ("null", .notAnObject), ("\"TPV\"", .notAnObject), ("{", .invalid),
    ("{}", .noClass), (#"{"class":5}"#, .noClass), (#"{"class":null}"#, .noClass),
    (#"{"class":"TPV""#, .invalid), (#"{"class":"TPV","#, .invalid),
    (#"{"class":"TPV",}"#, .invalid),
    (#"{"class":"TPV","mode"}"#, .invalid), (#"{"class":"TPV","mode":}"#, .invalid),
    (#"{"class":"TPV","mode":,"lat":1}"#, .invalid), (#"{"class":"TPV" "mode":1}"#, .invalid),
    (#"{"class":"TPV","mode":1}}"#, .invalid), (#"{"class":"TPV","mode":1}{"#, .invalid),
    (#"{"class":"TPV","mode":1} x"#, .invalid), (#"{"class":"TPV","mode":foo}"#, .invalid),
    (#"{"class":"TPV","mode":1;}"#, .invalid), (#"{"class":"TPV",mode:1}"#, .invalid),
    (#"{'class':'TPV'}"#, .invalid), (#"{"class":"TPV","x":[1,2}"#, .invalid),
    (#"{"class":"TPV","x":{"a":1]}"#, .invalid), (#"{"class":"TPV","x":[1,]}"#, .invalid),
    (#"{"class":"TPV","x":[,1]}"#, .invalid), (#"{"class":"TPV","x":{"a"}}"#, .invalid),
    (#"{"class":"TPV","device":"abc"#, .invalid),
    (#"{"class":"TPV","device":"/dev/"x"","mode":1}"#, .invalid),
    (#"{"class"="TPV"}"#, .invalid), (#"{"class":"SKY","satellites":[{"PRN":1}"#, .invalid),
    (#"{"class":"SKY","satellites":[{"PRN":1},]}"#, .invalid),
    ("{\"class\":\"TPV\",\"mode\":1\0}", .invalid),
  ]

  @Test(arguments: malformed)
  func malformedLinesAreDropped(line: String, reason: ReportReader.MalformedLine.Reason) {
    #expect(fault(Array(line.utf8)) == reason)
  }

  @Test("F15 no prefix of a line is a report")
  func truncated() {
    let line = Array(
      #"{"class":"SKY","device":"/dev/x","time":"2020-01-01T00:00:00Z","satellites":[{"PRN":1,"el":-1.5e1,"used":true}],"x":{"a":[null,"é"]}}"#
        .utf8)
    #expect(fault(line) == nil)
    for count in 0..<line.count { #expect(fault(Array(line[..<count])) != nil, "\(count) bytes") }
  }

  @Test func whitespaceIsAllowedBetweenTokens() throws {
    let line =
      "\t { \"class\" : \"TPV\" , \"mode\" : 3 ,\"lat\":\t1.5 , \"x\" : [ ] , \"y\" : { } , \"z\" : [ 1 , { \"a\" : 2 } ] } \t"
    let report = try #require(tpv(line))
    #expect(report.mode == 3)
    #expect(report.latitude == 1.5)
  }

  @Test("F20 nesting is read up to the limit and refused beyond it", arguments: ["[", "{\"a\":"])
  func nesting(_ open: String) {
    let close = open == "[" ? "]" : "}"
    func line(_ depth: Int) -> String {
      let value =
        String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
      return #"{"class":"TPV","mode":2,"x":\#(value),"lat":1}"#
    }
    #expect(tpv(line(JSONScanner.maximumDepth - 1))?.latitude == 1)
    #expect(fault(Array(line(JSONScanner.maximumDepth).utf8)) == .tooDeep)
    #expect(fault(Array(line(100_000).utf8)) == .tooDeep)
    #expect(fault(Array(String(repeating: open, count: 200_000).utf8)) != nil)
  }

  @Test("F20 a line of a hundred thousand keys keeps its known fields", .longWork)
  func manyKeys() throws {
    let keys = (0..<100_000).map { #""k\#($0)":1"# }.joined(separator: ",")
    let line = #"{"class":"TPV",\#(keys),"lat":12.5,"mode":2}"#
    let items = read(Array(line.utf8) + [10], cap: 1 << 22).items
    guard case .report(.tpv(let report))? = items.first else {
      Issue.record("the line was dropped")
      return
    }
    #expect(report.latitude == 12.5)
  }
}
