import AsyncLocation
import TestSupport
import Testing

@testable import GPSDReports

@Suite(.inTurn) struct ReportReaderTests {
  static let stream =
    #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\r\n"
    + #"{"class":"TPV","device":"/dev/é","mode":3,"time":"2020-01-01T00:00:00.5Z","lat":1.5,"lon":-0.25}"#
    + "\r\n" + "$GPGGA,raw\r\n" + #"{"class":"SKY","satellites":[{"PRN":1,"el":1.5,"used":true}]}"#
    + "\n" + #"{"class":"TPV","mode":"# + "\r\n" + #"{"class":"ATT","heading":12.5,"mag_st":"N"}"#
    + "\r\n" + String(repeating: "z", count: 300) + "\r\n" + #"{"class":"GST","rms":1}"# + "\r\n"
    + #"{"class":"TPV","mode":1}"#

  @Test("F16 single bytes, every split and chunks of every size give the same items", .longWork)
  func splits() {
    let bytes = Array(Self.stream.utf8)
    let (expectedItems, expectedStatistics) = read(bytes, cap: 200)
    #expect(expectedItems.count == 8)
    for chunk in 1...bytes.count {
      let (items, statistics) = read(bytes, chunk: chunk, cap: 200)
      #expect(items == expectedItems, "chunks of \(chunk)")
      #expect(statistics == expectedStatistics, "chunks of \(chunk)")
    }
  }

  @Test("F13 bytes and lines are counted")
  func counts() {
    let bytes = Array(Self.stream.utf8)
    let (items, statistics) = read(bytes, cap: 200)
    #expect(statistics.bytes == bytes.count)
    #expect(statistics.lines == 8)
    #expect(statistics.reports == 5)
    #expect(statistics.malformed == 2)
    #expect(statistics.overlong == 1)
    let reasons = items.compactMap { item -> ReportReader.MalformedLine.Reason? in
      if case .malformed(let line) = item { line.reason } else { nil }
    }
    #expect(reasons == [.notAnObject, .invalid, .tooLong])
  }

  @Test("F41 the excerpt of a foreign line is printable and short")
  func excerpt() {
    let line =
      Array("HTTP/1.1 \u{1B}[31m\u{202E}400\u{7F}\u{9B} ".utf8) + [0xFF]
      + Array(repeating: 65, count: 500)
    guard case .malformed(let malformed)? = read(line + [10]).items.first else {
      Issue.record("an HTTP server was taken for gpsd")
      return
    }
    #expect(malformed.reason == .notAnObject)
    #expect(malformed.excerpt.hasPrefix(#"HTTP/1.1 \u{1b}[31m\u{202e}400\u{7f}\u{9b} "#))
    #expect(malformed.excerpt.count < 100)
  }

  @Test func resetDiscardsThePartialLine() {
    var reader = ReportReader()
    var items: [ReportReader.Item] = []
    reader.read(#"{"class":"TPV","#.utf8.span) { items.append(copy $0) }
    reader.reset()
    reader.read("{\"class\":\"GST\"}\n".utf8.span) { items.append(copy $0) }
    #expect(items == [.report(.other(OpaqueReport(className: "GST", device: nil, line: [])))])
  }

  @Test("F17 mutated lines never give a value out of its range", .longWork)
  func mutated() {
    let lines = Self.stream.utf8.split(separator: 10).map { Array($0) }
    var state: UInt64 = 7
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    var reports = 0
    for _ in 0..<20_000 {
      var line = lines[random(lines.count)]
      for _ in 0...random(3) {
        let index = random(line.count)
        switch random(3) {
        case 0: line[index] = UInt8(random(256))
        case 1: line.remove(at: index)
        default: line.insert(Array(#"{}[],:"\0123456789eE+-."#.utf8)[random(23)], at: index)
        }
        if line.isEmpty { line = [0] }
      }
      for case .report(.tpv(let report)) in read(line + [10]).items {
        reports += 1
        for key in ReportKeys.tpv {
          if let value = report[key] { #expect(key.expected(value) == value) }
        }
      }
    }
    #expect(reports > 100)
  }
}
