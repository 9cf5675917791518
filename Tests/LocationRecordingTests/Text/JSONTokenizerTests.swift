import Foundation
import MockBackend
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct JSONTokenizerTests {
  /// The tokens of a JSON text read in pieces, and the fault if it is invalid.
  struct Outcome: Hashable, Sendable {
    var tokens: [JSONToken] = []
    var fault: JSONTokenizer.Fault?

    init(_ bytes: [UInt8], cuts: [Int]) {
      var tokenizer = JSONTokenizer()
      do throws(JSONTokenizer.Fault) {
        var start = 0
        for end in cuts + [bytes.count] {
          let piece = Array(bytes[start..<end])
          var index = 0
          while let token = try tokenizer.next(piece.span, at: &index) { tokens.append(token) }
          start = end
        }
        if let last = try tokenizer.finish() { tokens.append(last) }
      } catch {
        fault = error
      }
    }

    init(_ text: String) { self.init(Array(text.utf8), cuts: []) }

    var kinds: [JSONToken.Kind] { tokens.map(\.kind) }
  }

  static func number(_ value: Double, _ integer: Int64? = nil) -> JSONToken.Kind {
    .number(JSONToken.Number(value: value, integer: integer))
  }

  @Test func readsTokens() throws {
    let text = #"{"a": [1, -2.5e3, "x\u00e9\n\ud834\udd1e", true, false, null], "b": {}}"#
    let outcome = Outcome(text)
    #expect(outcome.fault == nil)
    #expect(
      outcome.kinds == [
        .beginObject, .name("a"), .beginArray, Self.number(1, 1), Self.number(-2500),
        .string("xé\n𝄞"), .boolean, .boolean, .null, .endArray, .name("b"), .beginObject,
        .endObject,
        .endObject,
      ])
    #expect(outcome.tokens.map(\.place.column).prefix(5) == [1, 2, 7, 8, 11])
  }

  static let numbers: [(String, Double, Int64?)] = [
    ("0", 0, 0), ("-0", 0, 0), ("12", 12, 12), ("-7", -7, -7), ("1.50", 1.5, nil),
    ("1e3", 1000, nil), ("9223372036854775807", 0x1p63, Int64.max),
    ("-9223372036854775808", -0x1p63, Int64.min), ("9223372036854775808", 0x1p63, nil),
    ("0.1", 0.1, nil), ("179.12345678901234567", 179.12345678901234567, nil),
    ("1" + String(repeating: "0", count: 200), 1e200, nil),
  ]

  @Test(arguments: numbers)
  func readsNumbers(text: String, value: Double, integer: Int64?) {
    #expect(Outcome("[\(text)]").kinds.dropFirst().first == Self.number(value, integer))
  }

  static let faults: [(String, JSONTokenizer.Fault.Problem, Int, Int)] = [
    ("", .cut, 1, 1), (" \n ", .cut, 2, 2), ("{", .cut, 1, 2), ("[1", .cut, 1, 3),
    ("[\"a", .cut, 1, 4), ("[tru", .cut, 1, 5), ("{\"a\":1,}", .syntax, 1, 8),
    ("{\"a\":1\n,\n}", .syntax, 3, 1), ("[1,]", .syntax, 1, 4), ("[1 2]", .syntax, 1, 4),
    ("{1:2}", .syntax, 1, 2), ("{\"a\" 1}", .syntax, 1, 6), ("[}", .syntax, 1, 2),
    ("{]", .syntax, 1, 2), ("[1}", .syntax, 1, 3), ("[]x", .syntax, 1, 3), ("[] []", .syntax, 1, 4),
    ("[01]", .syntax, 1, 2), ("[-]", .syntax, 1, 3), ("[1.]", .syntax, 1, 4),
    ("[.5]", .syntax, 1, 2), ("[+1]", .syntax, 1, 2), ("[1e+]", .syntax, 1, 5),
    ("[1-2]", .syntax, 1, 3), ("[1e999]", .invalidNumber, 1, 2), ("[nul]", .syntax, 1, 5),
    ("[NaN]", .syntax, 1, 2), ("[\"\n\"]", .invalidText, 1, 3), ("[\"\\x\"]", .invalidText, 1, 4),
    ("[\"\\u12g4\"]", .invalidText, 1, 7), ("[\"\\ud800\"]", .invalidText, 1, 9),
    ("[\"\\udc00\"]", .invalidText, 1, 8), ("[\"\\ud800\\n\"]", .invalidText, 1, 10),
    ("[\"\\ud800\\u0041\"]", .invalidText, 1, 14),
  ]

  @Test(arguments: faults)
  func refuses(
    text: String, problem: JSONTokenizer.Fault.Problem, line: Int, column: Int
  ) {
    let place = TextPlace(line: line, column: column)
    #expect(Outcome(text).fault == JSONTokenizer.Fault(problem: problem, place: place))
  }

  static let invalidUTF8: [[UInt8]] = [
    [0x80], [0xC1, 0x80], [0xC3, 0x22], [0xE0, 0x9F, 0x80], [0xED, 0xA0, 0x80],
    [0xF0, 0x8F, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5], [0xFF], [0xE2, 0x82],
  ]

  @Test(arguments: invalidUTF8)
  func refusesInvalidUTF8(_ bytes: [UInt8]) {
    #expect(Outcome([0x22] + bytes + [0x22], cuts: []).fault?.problem == .invalidText)
  }

  @Test func hasLimits() {
    func nested(_ depth: Int) -> Outcome {
      Outcome(String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
    }
    let depth = JSONTokenizer.maximumDepth + 1
    #expect(nested(depth).fault == nil)
    #expect(nested(depth + 1).fault?.problem == .tooDeep)
    let digits = String(repeating: "0", count: JSONTokenizer.maximumNumber - 2)
    #expect(Outcome("0.\(digits)").fault == nil)
    #expect(Outcome("[0.\(digits)0]").fault?.problem == .invalidNumber)
    let text = String(repeating: "x", count: JSONTokenizer.maximumText)
    #expect(Outcome("\"\(text)\"").kinds == [.string(text)])
    #expect(Outcome("\"\(text)x\"").kinds == [.string(nil)])
    #expect(Outcome("{\"\(text)x\":1}").kinds.dropFirst().first == .name(nil))
  }

  static let whole =
    #" {"a" :[1,-20.5e-1,"é\u00e9\ud834\udd1e\n𝄞" ,true,false , null],\#n"b":{ "c":""}, "d":[[],{}] } "#

  @Test(
    "a text read in pieces gives the same result as the whole text", .longWork,
    arguments: [whole] + faults.map(\.0) + ["[\"\u{7F}𝄞\"", "-12.5", "{\"a\":12"])
  func readsPieces(_ text: String) {
    let bytes = Array(text.utf8)
    let expected = Outcome(bytes, cuts: [])
    #expect(Outcome(bytes, cuts: Array(0..<bytes.count)) == expected)
    for cut in bytes.indices {
      #expect(Outcome(bytes, cuts: [cut]) == expected, "cut at \(cut)")
    }
  }

  /// However the text is split, each byte is examined once, except for the bytes of a split number.
  @Test func eachByteIsExaminedOnce() throws {
    let bytes = Array(Self.whole.utf8)
    for length in 1...7 {
      var tokenizer = JSONTokenizer()
      for piece in bytes.pieces(of: length) {
        var index = 0
        while try tokenizer.next(piece.span, at: &index) != nil {}
      }
      #expect((bytes.count...bytes.count + 12).contains(tokenizer.processed))
    }
  }

  /// Python's reader accepts the same texts, once it also refuses numbers beyond the range of a
  /// double and unpaired surrogates.
  @Test(.enabled(if: Command.isInstalled("python3"), "install python3"))
  func agreesWithPython() async throws {
    var random = SplitMix64(seed: 71)
    let characters = Array("{}[]\",:0123456789eE+-.tfnul \n\\x".utf8)
    let texts = (0..<3000).map { _ -> [UInt8] in
      var bytes = Array(Self.whole.utf8)
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        let place = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = characters.randomElement(using: &random) ?? 0
        case 1: bytes.remove(at: place)
        default: bytes.insert(characters.randomElement(using: &random) ?? 0, at: place)
        }
      }
      return bytes
    }
    let folder = try TemporaryFolder()
    let encoded = texts.map { Data($0).base64EncodedString() }.joined(separator: "\n")
    let script = """
      import base64, json, math, sys
      def refuse(text): raise ValueError
      def number(text):
        value = float(text)
        if math.isinf(value): raise ValueError
        return value
      for line in open(sys.argv[1]):
        try:
          text = base64.b64decode(line).decode("utf-8")
          value = json.loads(text, parse_constant=refuse, parse_float=number)
          json.dumps(value, ensure_ascii=False).encode("utf-8")
          print(1)
        except ValueError: print(0)
      """
    let program = try folder.write(Array(script.utf8), to: "judge.py")
    let path = try folder.write(Array(encoded.utf8), to: "texts")
    let judged = try await Command.output(of: ["python3", "-B", program, path])
    let theirs = judged.split(separator: "\n").map { $0 == "1" }
    try #require(theirs.count == texts.count)
    for (text, isAccepted) in zip(texts, theirs) {
      let outcome = Outcome(text, cuts: [])
      #expect(
        (outcome.fault == nil) == isAccepted,
        "\(String(decoding: text, as: UTF8.self)): \(outcome.fault as Any)")
    }
  }
}
