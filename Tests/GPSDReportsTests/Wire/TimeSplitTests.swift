import TestSupport
import Testing

@testable import GPSDReports

/// Reads nearly valid times, flags and texts, and lines at the limit of texts. The result must not
/// depend on where the stream is cut into chunks.
@Suite(.inTurn) struct TimeSplitTests {
  private static let head = #"{"class":"TPV","time":""#
  private static let tail = #""}"#

  static let times = [
    "2026-05-04T03:02:01.250Z", "2024-02-29T23:59:59.999Z", "2024-02-29T23:59:60.000Z",
    "2023-02-29T00:00:00.000Z", "2026-05-04T24:00:00.000Z", "0001-01-01T00:00:00.000Z",
    "0000-01-01T00:00:00.000Z", "2001-01-01T00:00:00.000Z", "9999-12-30T23:59:59.999Z",
    "9999-12-31T23:59:59.000Z", "9999-12-31T23:59:59.001Z", "9999-12-31T23:59:59.999Z",
    "9999-12-31T23:59:60.000Z", "2026-05-04T03:02:01Z", "2026-05-04T03:02:01.25Z",
    "2026-05-04T03:02:01.250000Z",
  ]

  @Test("F61: each byte of a time replaced by others", .longWork, arguments: times)
  func oneByte(_ time: String) {
    var lines = ValueLines(of: .tpv(\.time))
    lines.append(Self.head, Array(time.utf8), Self.tail)
    // The first time is tried with all bytes, the others only with bytes that occur in times or
    // resemble them.
    let replacements =
      time == Self.times[0]
      ? Array((UInt8.min...UInt8.max).filter { $0 != 10 })
      : Array("0123456789:;/-.,TZtz+ \"\\}\0\r".utf8) + [0x7F, 0x80, 0xB1]
    for place in 0..<time.utf8.count {
      var bytes = Array(time.utf8)
      for byte in replacements {
        bytes[place] = byte
        lines.append(Self.head, bytes, Self.tail)
      }
    }
    lines.compareAllWays()
  }

  @Test("F61: two bytes of a time replaced", .longWork)
  func twoBytes() {
    let time = Array("2026-05-04T03:02:01.250Z".utf8)
    var lines = ValueLines(of: .tpv(\.time))
    for first in time.indices {
      for second in time.indices where second > first {
        var bytes = time
        for byte in "0369:-.TZ\"".utf8 {
          bytes[first] = byte
          for byte in "059:Z\"".utf8 {
            bytes[second] = byte
            lines.append(Self.head, bytes, Self.tail)
          }
        }
      }
    }
    lines.compareAllWays()
    #expect(lines.countOfValues > 1000)
  }

  /// `DayCache` starts with a valid day. An invalid date that is read first must not match it.
  @Test("F61: the first time of a stream needs a date", .longWork)
  func firstTime() {
    for byte in UInt8.min...UInt8.max where byte != 10 {
      var lines = ValueLines(of: .tpv(\.time))
      let day = [UInt8](repeating: byte, count: 11)
      for _ in 0..<2 { lines.append(Self.head, day + Array("12:00:00.000Z".utf8), Self.tail) }
      lines.compareAllWays()
    }
  }

  @Test("F61: a flag cut short, and every byte of it replaced, or another inserted", .longWork)
  func flags() {
    var lines = ValueLines(of: .satellite(\.isUsed))
    let (head, tail) = (#"{"class":"SKY","satellites":[{"used":"#, "}]}")
    for flag in ["true", "false"] {
      for place in 0...flag.utf8.count {
        let (before, after) = (flag.utf8.prefix(place), flag.utf8.dropFirst(place))
        lines.append(head, Array(before), tail)
        for byte in UInt8.min...UInt8.max where byte != 10 {
          lines.append(head, before + [byte] + after, tail)
          lines.append(head, before + [byte] + after.dropFirst(), tail)
        }
      }
    }
    lines.compareAllWays()
    #expect(lines.countOfValues > 2)
  }

  @Test("F61: every byte at every place of texts of up to 17 bytes", .longWork)
  func texts() {
    var lines = ValueLines(of: .device)
    // Around one and two 8-byte words, the units in which texts are scanned.
    for length in [0, 1, 2, 6, 7, 8, 9, 10, 15, 16, 17] {
      let text = [UInt8](repeating: UInt8(ascii: "x"), count: length)
      lines.append(#"{"class":"TPV","device":""#, text, #""}"#)
      for place in 0..<length {
        var bytes = text
        for byte in UInt8.min...UInt8.max where byte != 10 {
          bytes[place] = byte
          lines.append(#"{"class":"TPV","device":""#, bytes, #""}"#)
        }
      }
    }
    lines.compareAllWays()
  }

  /// To limit the cost of a line, a text after the first 4,096 is treated as absent. The last
  /// member named `device` decides, so the device is then nil. Flags and times do not count.
  @Test(
    "F61: the limit of texts per line does not depend on the cut", arguments: 4092...4097)
  func manyTexts(_ count: Int) {
    let texts = String(repeating: #""device":"a","#, count: count)
    let flags = #"{"used":true},{"used":false},{"used":true}"#
    let line =
      #"{"class":"SKY",\#(texts)"satellites":[\#(flags)],"time":"2026-05-04T03:02:01.250Z","device":"b"}"#
    let stream = Array((line + "\n" + line + "\n").utf8)
    func devices(cutAt cut: Int) -> [String?] {
      var reader = ReportReader()
      var found: [String?] = []
      for chunk in [stream[..<cut], stream[cut...]] {
        reader.read(chunk.span) { item in
          guard case .report(.sky(let sky)) = copy item else { return found.append("malformed") }
          found.append(sky.device)
        }
      }
      return found
    }
    let expected = count < 4096 ? "b" : nil
    for cut in [0, 1, line.utf8.count, line.utf8.count + 1, line.utf8.count + 50] {
      #expect(devices(cutAt: cut) == [expected, expected], "cut at \(cut)")
    }
  }
}
