import TestSupport
import Testing

@testable import async_location_example

@Suite(.inTurn) struct KeyDecoderTests {
  /// The bytes of each read, and the decoded keys.
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let reads: [String]
    let keys: [Key]
  }

  static let cases = [
    Case(testDescription: "letters", reads: ["jk", "G"], keys: "jkG".map(Key.character)),
    Case(
      testDescription: "arrows",
      reads: ["\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D"], keys: [.up, .down, .right, .left]),
    Case(
      testDescription: "arrows in the mode of applications", reads: ["\u{1B}OA\u{1B}OB"],
      keys: [.up, .down]),
    Case(
      testDescription: "pages", reads: ["\u{1B}[5~\u{1B}[6~"], keys: [.pageUp, .pageDown]),
    Case(
      testDescription: "beginnings and ends",
      reads: ["\u{1B}[H\u{1B}[F\u{1B}OH\u{1B}OF\u{1B}[1~\u{1B}[4~\u{1B}[7~\u{1B}[8~"],
      keys: [.home, .end, .home, .end, .home, .end, .home, .end]),
    Case(
      testDescription: "with modifiers", reads: ["\u{1B}[1;5A\u{1B}[5;2~"], keys: [.up, .pageUp]),
    Case(
      testDescription: "divided anywhere", reads: ["\u{1B}", "[", "5", "~", "\u{1B}", "O", "A"],
      keys: [.pageUp, .up]),
    Case(
      testDescription: "ESC before a sequence", reads: ["\u{1B}\u{1B}[A"], keys: [.escape, .up]),
    Case(
      testDescription: "ESC before a letter", reads: ["\u{1B}q"], keys: [.escape, .character("q")]),
    Case(
      testDescription: "a sequence that begins anew", reads: ["\u{1B}[5\u{1B}[6~"],
      keys: [.pageDown]),
    Case(
      testDescription: "unknown sequences",
      reads: ["\u{1B}[15~\u{1B}[2~\u{1B}[I\u{1B}OP\u{1B}[?1;2c\u{1B}[24;80R\u{1B}[1 q"], keys: []),
    Case(
      testDescription: "function keys of the console", reads: ["\u{1B}[[A\u{1B}[[Ej"],
      keys: [.character("j")]),
    Case(
      testDescription: "a sequence without an end",
      reads: ["\u{1B}[" + String(repeating: "1;", count: 10_000), "~s"], keys: [.character("s")]),
    Case(testDescription: "no keys of the table", reads: ["é界\t\r\n\u{7F}\u{0}"], keys: []),
  ]

  @Test(arguments: cases)
  func decodes(_ test: Case) {
    var decoder = KeyDecoder()
    #expect(test.reads.flatMap { decoder.decode($0.utf8) } == test.keys)
    #expect(!decoder.isIncomplete)
    #expect(decoder.finish().isEmpty)
  }

  @Test(
    "an incomplete sequence is decoded as single keys",
    arguments: [
      ("\u{1B}", [.escape]), ("\u{1B}[", [.escape, .character("[")]),
      ("\u{1B}O", [.escape, .character("O")]), ("\u{1B}[5", []), ("\u{1B}[[", []),
    ] as [(String, [Key])])
  func finishes(_ text: String, _ keys: [Key]) {
    var decoder = KeyDecoder()
    #expect(decoder.decode(text.utf8).isEmpty)
    #expect(decoder.isIncomplete)
    #expect(decoder.finish() == keys)
    #expect(decoder.decode("A".utf8) == [.character("A")])
  }
}
