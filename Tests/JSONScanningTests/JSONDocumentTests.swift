import Foundation
import JSONScanning
import MockBackend
import TestSupport
import Testing

@Suite(.inTurn) struct JSONDocumentTests {
  private static func root(_ text: String) throws -> JSONDocument.Value {
    try JSONDocument(Array(text.utf8)).root
  }

  @Test func valuesHaveTheirKinds() throws {
    let root = try Self.root(#" {"a":[1, -2.5e1 ,"x",true,false,null,{ },[ ]],"b":{"c":"d"}} "#)
    let elements = Array(try #require(root["a"]?.elements))
    #expect(
      elements.map(\.kind) == [
        .number, .number, .text, .boolean, .boolean, .null, .object, .array,
      ])
    #expect(elements.map(\.number) == [1, -25, nil, nil, nil, nil, nil, nil])
    #expect(elements.map(\.text) == [nil, nil, "x", nil, nil, nil, nil, nil])
    #expect(elements.map(\.boolean) == [nil, nil, nil, true, false, nil, nil, nil])
    #expect(elements.map { $0.members?.map(\.name) } == [nil, nil, nil, nil, nil, nil, [], nil])
    #expect(elements.map { $0.elements?.map(\.kind) } == [nil, nil, nil, nil, nil, nil, nil, []])
    #expect(root["b"]?["c"]?.text == "d")
    #expect(root["c"] == nil)
    #expect(root["a"]?["b"] == nil)
  }

  @Test func aValueHasItsBytesAndOffset() throws {
    let root = try Self.root("\n{\"a\" :\t[1,\n2] , \"b\":3}")
    let value = try #require(root["a"])
    #expect(String(decoding: value.bytes, as: UTF8.self) == "[1,\n2]")
    #expect(value.offset == 8)
    #expect(root.members?.map(\.offset) == [2, 17])
  }

  @Test(arguments: [
    (#""""#, ""), (#""é😀""#, "é😀"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
    (#""\u0041\u00e9\u20AC\ud83d\uDE00""#, "Aé€😀"), (#""a\u0000b""#, "a\u{0}b"),
  ])
  func escapesAreResolved(_ text: String, _ expected: String) throws {
    #expect(try Self.root(text).text == expected)
  }

  @Test func theFirstOfEqualNamesIsReturned() throws {
    let root = try Self.root(#"{"a":1,"\u0061":2,"aa":3,"a\u0061":4}"#)
    #expect(root["a"]?.number == 1)
    #expect(root["aa"]?.number == 3)
    #expect(root.members?.map(\.name) == ["a", "a", "aa", "aa"])
    #expect(try Self.root(#"{"\ud83d\ude00":1}"#)["\u{0}\u{0}"] == nil)
    #expect(try Self.root(#"{"\u0061\/":2}"#)["a/"]?.number == 2)
    #expect(try Self.root(#"{"ab":1}"#)["a"] == nil)
    #expect(try Self.root(#"{"a":1}"#)["ab"] == nil)
  }

  @Test(
    arguments: [
      ("", .expected(.value), 0), (" ", .expected(.value), 1), ("x", .expected(.value), 0),
      ("[1,]", .expected(.value), 3), ("[tru]", .expected(.value), 1),
      ("[nul", .expected(.value), 1),
      ("[01]", .expected(.value), 1), ("[1.]", .expected(.value), 1),
      ("[+1]", .expected(.value), 1),
      ("{1:2}", .expected(.name), 1), ("{\"a\":1,}", .expected(.name), 7),
      ("{\"a\" 1}", .expected(.colon), 5), ("{\"a\"", .expected(.colon), 4),
      ("[1 2]", .expected(.separator), 3), ("[1}", .expected(.separator), 2),
      ("{\"a\":1]", .expected(.separator), 6), ("[1", .expected(.separator), 2),
      ("\"a", .expected(.endOfText), 2), ("\"a\n\"", .invalidText, 2),
      (#""\x""#, .invalidText, 2), (#""\u12g4""#, .invalidText, 5), (#""\ud800""#, .invalidText, 7),
      (#""\udc00""#, .invalidText, 7), (#""\ud800\u0041""#, .invalidText, 13),
      ("1 2", .trailingBytes, 2), ("{}}", .trailingBytes, 2), ("\u{FEFF}1", .expected(.value), 0),
      (String(repeating: "[", count: 40), .tooDeep, 32),
    ] as [(String, JSONDocumentScanner.Fault, Int)])
  func anErrorHasItsOffset(text: String, problem: JSONDocumentScanner.Fault, offset: Int) {
    let fault = #expect(throws: JSONDocument.Fault.self) {
      try JSONDocument(Array(text.utf8))
    }
    #expect(fault?.problem == problem, "\(text)")
    #expect(fault?.offset == offset, "\(text)")
  }

  @Test(arguments: [
    [0x80], [0xC0, 0x80], [0xC2], [0xE0, 0x9F, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
    [0xFF],
  ])
  func bytesThatAreNotUTF8AreRefused(_ bytes: [UInt8]) {
    let fault = #expect(throws: JSONDocument.Fault.self) {
      try JSONDocument([0x22] + bytes + [0x22])
    }
    #expect(fault?.problem == .invalidText)
  }

  @Test func thirtyTwoLevelsAreRead() throws {
    let deepest = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
    #expect(throws: JSONDocument.Fault.self) { try Self.root("[\(deepest)]") }
    var value = try Self.root(deepest)
    for _ in 0..<31 { value = try #require(value.elements?.first { _ in true }) }
    #expect(value.elements.map(Array.init)?.isEmpty == true)
  }

  /// Each proper prefix of a document is refused.
  @Test func aCutDocumentIsRefused() throws {
    let bytes = Array(#"{"a":[1.5,"x\u00e9",{"b":null}],"c":false}"#.utf8)
    for count in bytes.indices {
      let fault = #expect(throws: JSONDocument.Fault.self) {
        try JSONDocument(Array(bytes[..<count]))
      }
      #expect(fault?.problem != .trailingBytes)
    }
    #expect(try JSONDocument(bytes).root["c"]?.boolean == false)
  }
}

/// Compares the content of random documents with the content that Foundation's decoder reads.
@Suite(.inTurn) struct JSONDocumentJudgeTests {
  /// The content of a document, as Foundation or `JSONDocument` reads it.
  private indirect enum Tree: Decodable, Equatable {
    case object([String: Tree])
    case array([Tree])
    case text(String)
    case number(Double)
    case boolean(Bool)
    case null

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if value.decodeNil() {
        self = .null
      } else if let boolean = try? value.decode(Bool.self) {
        self = .boolean(boolean)
      } else if let number = try? value.decode(Double.self) {
        self = .number(number)
      } else if let text = try? value.decode(String.self) {
        self = .text(text)
      } else if let elements = try? value.decode([Tree].self) {
        self = .array(elements)
      } else {
        self = .object(try value.decode([String: Tree].self))
      }
    }

    init(_ value: JSONDocument.Value) throws {
      switch value.kind {
      case .object:
        let members = try #require(value.members)
        self = .object(
          try Dictionary(
            members.map { ($0.name, try Tree($0.value)) }, uniquingKeysWith: { first, _ in first }))
      case .array: self = .array(try #require(value.elements).map { try Tree($0) })
      case .text: self = .text(try #require(value.text))
      case .number: self = .number(try #require(value.number))
      case .boolean: self = .boolean(value.boolean == true)
      case .null: self = .null
      }
    }
  }

  /// Writes a random valid document.
  private struct Writer {
    var random: SplitMix64
    private(set) var text = ""

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    private mutating func space() { text += random.pick(["", "", "", " ", "\n", "\t \r\n"]) }

    /// - Parameter prefix: The beginning of the text; it makes the names of an object distinct.
    private mutating func addText(prefix: String = "") {
      text += "\"" + prefix
      for _ in 0..<Int.random(in: 0..<12, using: &random) {
        text += random.pick([
          "a", "Z", "0", " ", "é", "€", "😀", #"\n"#, #"\""#, #"\u00e9"#, #"\ud83d\ude00"#,
        ])
      }
      text += "\""
    }

    /// - Parameter depth: The number of open brackets. At most five levels of arrays and objects
    ///   are added.
    mutating func addValue(depth: Int) {
      space()
      switch Int.random(in: 0..<(depth > 4 ? 5 : 9), using: &random) {
      case 0: text += random.pick(["null", "true", "false"])
      case 1: text += "\(Int.random(in: -1000...1000, using: &random))"
      case 2: text += "\(Double.random(in: -1e6...1e6, using: &random))"
      case 3, 4: addText()
      case 5, 6: addList("[", "]") { writer, _ in writer.addValue(depth: depth + 1) }
      default:
        addList("{", "}") { writer, index in
          writer.space()
          writer.addText(prefix: "\(index)")
          writer.space()
          writer.text += ":"
          writer.addValue(depth: depth + 1)
        }
      }
      space()
    }

    private mutating func addList(
      _ begin: String, _ end: String, addElement: (inout Self, Int) -> Void
    ) {
      text += begin
      let count = Int.random(in: 0..<5, using: &random)
      if count == 0 { space() }
      for index in 0..<count {
        if index > 0 { text += "," }
        addElement(&self, index)
      }
      text += end
    }
  }

  @Test(.longWork) func validDocumentsMatchFoundation() throws {
    for seed in 0..<UInt64(Rounds.of(1_000)) {
      var writer = Writer(seed: seed)
      writer.addValue(depth: 0)
      let text = writer.text
      let expected = try JSONDecoder().decode(Tree.self, from: Data(text.utf8))
      #expect(try Tree(JSONDocument(Array(text.utf8)).root) == expected, "seed \(seed): \(text)")
    }
  }

  /// A document that is accepted after one of its bits was inverted is also accepted by Foundation,
  /// with the same content.
  @Test(.longWork) func acceptedDamagedDocumentsMatchFoundation() throws {
    var accepted = 0
    for seed in 0..<UInt64(Rounds.of(3_000)) {
      var writer = Writer(seed: seed)
      writer.addValue(depth: 0)
      var bytes = Array(writer.text.utf8)
      let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &writer.random)
      bytes[Int.random(in: 0..<bytes.count, using: &writer.random)] ^= bit
      guard let document = try? JSONDocument(bytes) else { continue }
      let expected = try JSONDecoder().decode(Tree.self, from: Data(bytes))
      #expect(try Tree(document.root) == expected, "seed \(seed): \(bytes)")
      accepted += 1
    }
    #expect(accepted > 0)
  }
}
