import TestSupport
import Testing

@testable import GPSDReports

/// The result of reading lines must not depend on where the network cuts them.
@Suite(.inTurn) struct ExhaustiveSplitTests {
  private struct Reading: Equatable {
    var items: [ReportReader.Item] = []
    var statistics = ReportReader.Statistics()
  }

  private static func read(_ chunks: [ArraySlice<UInt8>], cap: Int = 65_536) -> Reading {
    var reader = ReportReader(maximumLineLength: cap)
    var decoder = ReportDecoder(keepsUnknownMembers: true)
    var reading = Reading()
    for chunk in chunks {
      reader.readWhole(chunk.span, with: &decoder) { item, _ in reading.items.append(item) }
    }
    reading.statistics = reader.statistics
    return reading
  }

  /// Lines of every class, between invalid lines.
  private static let lines =
    DifferentialLines.written.filter { $0.utf8.count < 400 } + [
      "", "{", "HTTP/1.1 400 Bad Request",
    ]

  @Test("F16: every cut of every line in two gives the same result", .longWork)
  func inTwo() {
    var cuts = 0
    for (index, line) in Self.lines.enumerated() {
      let next = Self.lines[(index + 1) % Self.lines.count]
      let bytes = Array((line + "\r\n" + next + "\n").utf8)
      for cap in [65_536, 100, 16] {
        let expected = Self.read([bytes[...]], cap: cap)
        for cut in 0...bytes.count {
          #expect(
            Self.read([bytes[..<cut], bytes[cut...]], cap: cap) == expected, "\(line) at \(cut)")
          cuts += 1
        }
      }
    }
    print("F16: \(cuts) cuts in two of \(Self.lines.count) lines, all the same")
    #expect(cuts > 10_000)
  }

  @Test("F16: every cut of short lines in three gives the same result", .longWork)
  func inThree() {
    let shortLines = [
      #"{"class":"TPV","mode":1}"#, #"{"class": "SKY","hdop":0.8,"x":[]}"#, "{}", "",
      #"{"class":"A\"\u00e4"}"#, #"{"class":"ERROR","message":"a"}"#, "\u{0}", "[1]",
    ]
    var cuts = 0
    for (index, line) in shortLines.enumerated() {
      let bytes = Array((line + "\r\n" + shortLines[(index + 1) % shortLines.count] + "\n").utf8)
      for cap in [1000, 20] {
        let expected = Self.read([bytes[...]], cap: cap)
        for first in 0...bytes.count {
          for second in first...bytes.count {
            let chunks = [bytes[..<first], bytes[first..<second], bytes[second...]]
            #expect(Self.read(chunks, cap: cap) == expected, "\(line) at \(first) and \(second)")
            cuts += 1
          }
        }
      }
    }
    print("F16: \(cuts) cuts in three of \(shortLines.count) lines, all the same")
    #expect(cuts > 10_000)
  }
}
