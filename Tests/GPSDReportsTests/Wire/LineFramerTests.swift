import AsyncLocation
import TestSupport
import Testing

@testable import GPSDReports

@Suite(.inTurn) struct LineFramerTests {
  enum Framed: Equatable {
    case line(String)
    /// A line beyond the limit, with the bytes that are kept of it.
    case tooLong(String)
  }

  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let input: String
    let lines: [Framed]
  }

  static let cap = 8
  static let cases = [
    Case(testDescription: "empty input", input: "", lines: []),
    Case(testDescription: "no terminator", input: "abc", lines: []),
    Case(testDescription: "a line", input: "abc\n", lines: [.line("abc")]),
    Case(testDescription: "a carriage return", input: "abc\r\n", lines: [.line("abc")]),
    Case(testDescription: "two carriage returns", input: "a\r\r\n", lines: [.line("a\r")]),
    Case(
      testDescription: "a carriage return within a line", input: "a\rb\n", lines: [.line("a\rb")]),
    Case(
      testDescription: "empty lines", input: "\n\r\n\n", lines: [.line(""), .line(""), .line("")]),
    Case(
      testDescription: "several", input: "ab\r\ncd\nef",
      lines: [.line("ab"), .line("cd")]),
    Case(testDescription: "exactly the limit", input: "12345678\n", lines: [.line("12345678")]),
    Case(
      testDescription: "one byte beyond the limit", input: "123456789\nab\n",
      lines: [.tooLong("12345678"), .line("ab")]),
    Case(
      testDescription: "far beyond the limit", input: "123456789123456789123456789\nab\nc",
      lines: [.tooLong("12345678"), .line("ab")]),
    Case(
      testDescription: "two lines beyond the limit", input: "a\n1234567890\n1234567890\nb\n",
      lines: [.line("a"), .tooLong("12345678"), .tooLong("12345678"), .line("b")]),
    Case(
      testDescription: "beyond the limit without a terminator", input: "1234567890",
      lines: [.tooLong("12345678")]),
  ]

  /// Returns the lines of consecutive chunks.
  func frame(_ chunks: [[UInt8]]) -> [Framed] {
    var framer = LineFramer(cap: Self.cap)
    var lines: [Framed] = []
    for chunk in chunks {
      var offset = 0
      while let line = framer.next(in: chunk.span, from: &offset) {
        switch line {
        case .inChunk(let range):
          #expect(chunk[range.upperBound] == 10 || chunk[range.upperBound] == 13)
          lines.append(.line(String(decoding: chunk[range], as: UTF8.self)))
        case .carried(let count):
          #expect(framer.carried[count] == 10 || framer.carried[count] == 13)
          lines.append(.line(String(decoding: framer.carried[..<count], as: UTF8.self)))
        case .tooLong:
          lines.append(.tooLong(String(decoding: framer.carried.prefix(8), as: UTF8.self)))
        }
      }
    }
    return lines
  }

  @Test(arguments: cases)
  func cuts(_ test: Case) { #expect(frame([Array(test.input.utf8)]) == test.lines) }

  @Test("F16 every split into two and into single bytes gives the same lines", arguments: cases)
  func splits(_ test: Case) {
    let bytes = Array(test.input.utf8)
    for cut in 0...bytes.count {
      #expect(frame([Array(bytes[..<cut]), Array(bytes[cut...])]) == test.lines, "cut at \(cut)")
    }
    #expect(frame(bytes.map { [$0] }) == test.lines)
  }

  @Test("F14 an endless line is reported once and never stored")
  func endless() {
    var framer = LineFramer(cap: 1000)
    let chunk = [UInt8](repeating: 65, count: 64)
    var overlongCount = 0
    for _ in 0..<10_000 {
      var offset = 0
      while let line = framer.next(in: chunk.span, from: &offset) {
        #expect(line == .tooLong)
        overlongCount += 1
      }
      #expect(framer.carried.capacity <= 1100)
    }
    #expect(overlongCount == 1)
  }

  @Test("F13 the memory of a long line is freed")
  func freesMemory() {
    var framer = LineFramer(cap: 1 << 20)
    for chunk in [[UInt8](repeating: 65, count: 1 << 19), [10, 66], [10]] {
      var offset = 0
      while framer.next(in: chunk.span, from: &offset) != nil {}
    }
    #expect(framer.carried.capacity < 1 << 16)
  }

  @Test func resetDiscardsAPartialLine() {
    var framer = LineFramer(cap: 8)
    var lines: [LineFramer.Line] = []
    for chunk in ["123", "456789012", "abc\n"] {
      framer.reset()
      var offset = 0
      while let line = framer.next(in: chunk.utf8.span, from: &offset) { lines.append(line) }
    }
    #expect(lines == [.tooLong, .inChunk(0..<3)])
  }
}
