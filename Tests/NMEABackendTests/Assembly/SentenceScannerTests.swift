import TestSupport
import Testing

@testable import NMEABackend

@Suite(.inTurn) struct SentenceScannerTests {
  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let bytes: [UInt8]
    let parts: [String]
    let otherBytes: Int

    init(_ description: String, _ text: String, _ parts: [String], other: Int = 0) {
      self.init(description, bytes: Array(text.utf8), parts, other: other)
    }

    init(_ description: String, bytes: [UInt8], _ parts: [String], other: Int) {
      (testDescription, self.bytes, self.parts, otherBytes) = (description, bytes, parts, other)
    }
  }

  static let long = String(repeating: "A", count: 255)

  static let scenarios = [
    Scenario("CR LF", "$A,1\r\n$B,2\r\n", ["$A,1", "$B,2"]),
    Scenario("LF alone", "$A,1\n$B,2\n", ["$A,1", "$B,2"]),
    Scenario("CR alone", "$A,1\r$B,2\r", ["$A,1", "$B,2"]),
    Scenario("AIS", "!AIVDM,1\n", ["!AIVDM,1"]),
    Scenario("text before it", "12:00 rx: $A,1\n", ["$A,1"], other: 10),
    Scenario("a tag block", "\\s:gps*1\\$A,1\n", ["$A,1"], other: 9),
    Scenario("glued to a part", "$GPG$A,1\n", ["-$GPG", "$A,1"]),
    Scenario("no end", "$A,1", []),
    Scenario("empty lines", "\r\n\n\r", []),
    Scenario(
      "UBX between them",
      bytes: Array("$A,1\n".utf8) + [0xB5, 0x62, 1, 7, 0, 0xFF] + Array("$B,2\n".utf8),
      ["$A,1", "$B,2"], other: 6),
    Scenario(
      "UBX within one", bytes: Array("$A,1".utf8) + [0xB5, 0x62, 10] + Array("$B,2\n".utf8),
      ["-$A,1", "$B,2"], other: 2),
    Scenario("the longest", "$\(long)\n", ["$\(long)"]),
    Scenario("too long", "$\(long)B\n$A,1\n", ["-$\(long)", "$A,1"], other: 1),
  ]

  private func parts(_ scanner: inout SentenceScanner, _ bytes: [UInt8]) -> [String] {
    var parts: [String] = []
    scanner.scan(bytes.span) { part, line in
      parts.append((part == .fragment ? "-" : "") + String(decoding: line, as: UTF8.self))
    }
    return parts
  }

  @Test(arguments: scenarios) func findsSentences(_ scenario: Scenario) {
    var scanner = SentenceScanner()
    #expect(parts(&scanner, scenario.bytes) == scenario.parts)
    #expect(scanner.otherBytes == scenario.otherBytes)
  }

  @Test(arguments: scenarios) func splittingChangesNothing(_ scenario: Scenario) {
    for index in 0...scenario.bytes.count {
      var scanner = SentenceScanner()
      let found =
        parts(&scanner, Array(scenario.bytes[..<index]))
        + parts(&scanner, Array(scenario.bytes[index...]))
      #expect(found == scenario.parts, "split at \(index)")
      #expect(scanner.otherBytes == scenario.otherBytes, "split at \(index)")
    }
  }

  @Test func theEndOfADatagramEndsASentence() {
    var scanner = SentenceScanner()
    #expect(parts(&scanner, Array("$A,1".utf8)) == [])
    var last: [String] = []
    scanner.finish { _, line in last.append(String(decoding: line, as: UTF8.self)) }
    #expect(last == ["$A,1"])
    scanner.finish { _, line in last.append(String(decoding: line, as: UTF8.self)) }
    #expect(last.count == 1)
  }
}
