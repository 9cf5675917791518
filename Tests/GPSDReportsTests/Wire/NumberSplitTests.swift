import TestSupport
import Testing

@testable import GPSDReports

/// Tries every short text in place of a value. The result must not depend on cuts or on the space
/// for word-wise reading, and must equal that of the reference reader.
@Suite(.inTurn) struct NumberSplitTests {
  struct Template: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let place: LineOutcomes.Place
    let head: String
    let tail: String
    /// The maximum lengths of the values that are made of the bytes in `few` and in `many`.
    let lengths: (few: Int, many: Int)
  }

  /// Few bytes, for longer values: those of numbers, and the end of an object.
  private static let few = Array("01-+.e}".utf8)
  private static let many = Array("09-+.eE, }x\"t:;/".utf8) + [0x80, 0xB1]
  /// All bytes except the line feed.
  private static let all = Array((UInt8.min...UInt8.max).filter { $0 != 10 })

  static let templates = [
    Template(
      testDescription: "a number at the end of a line", place: .tpv(\.ecefX),
      head: #"{"class":"TPV","ecefx":"#, tail: "}", lengths: (5, 3)),
    Template(
      testDescription: "a number before another", place: .tpv(\.ecefX),
      head: #"{"class":"TPV","ecefx":"#, tail: #","ecefy":2.5}"#, lengths: (4, 3)),
    Template(
      testDescription: "a number in a list", place: .satellite(\.elevation),
      head: #"{"class":"SKY","satellites":[{"el":"#, tail: "}]}", lengths: (4, 2)),
    Template(
      testDescription: "a whole number", place: .tpv(\.mode),
      head: #"{"class":"TPV","mode":"#, tail: "}", lengths: (4, 2)),
    Template(
      testDescription: "a number of eight digits and more", place: .tpv(\.ecefX),
      head: #"{"class":"TPV","ecefx":1234567"#, tail: "}", lengths: (4, 2)),
    Template(
      testDescription: "a number of sixteen digits and more", place: .tpv(\.ecefX),
      head: #"{"class":"TPV","ecefx":1.2345678901234"#, tail: "}", lengths: (4, 2)),
    Template(
      testDescription: "a value of no known field", place: .tpv(\.ecefX),
      head: #"{"class":"TPV","ecefx":1,"x":"#, tail: "}", lengths: (4, 2)),
    Template(
      testDescription: "after a number", place: .tpv(\.ecefX),
      head: #"{"class":"TPV","ecefx":1"#, tail: #""ecefx":2}"#, lengths: (4, 3)),
    Template(
      testDescription: "a flag", place: .satellite(\.isUsed),
      head: #"{"class":"SKY","satellites":[{"used":"#, tail: "}]}", lengths: (4, 2)),
    Template(
      testDescription: "after a flag", place: .satellite(\.isUsed),
      head: #"{"class":"SKY","satellites":[{"used":true"#, tail: "}]}", lengths: (3, 2)),
    Template(
      testDescription: "a text", place: .device,
      head: #"{"class":"TPV","device":""#, tail: #""}"#, lengths: (3, 2)),
    Template(
      testDescription: "after a text", place: .device,
      head: #"{"class":"TPV","device":"a""#, tail: "}", lengths: (3, 2)),
  ]

  @Test("F61: every short value is read the same at every cut", .longWork, arguments: templates)
  func everyValue(_ template: Template) {
    var count = 0
    for (alphabet, length) in [
      (Self.few, template.lengths.few), (Self.many, template.lengths.many), (Self.all, 1),
    ] {
      let lines = Self.lines(template, alphabet, upTo: length)
      lines.compareAllWays()
      count += lines.count
    }
    print("F61: \(count) values: \(template.testDescription)")
  }

  @Test("F61: every cut of a line and of the next one gives the same result", .longWork)
  func everyCut() {
    let template = Template(
      testDescription: "", place: .tpv(\.ecefX), head: #"{"class":"TPV","ecefx":"#, tail: "}",
      lengths: (3, 0))
    let next = #"{"class":"TPV","device":"\#(String(repeating: "x", count: 40))","ecefx":2.}"#
    var cuts = 0
    for value in Self.values(Self.few, upTo: 3) {
      var lines = ValueLines(of: template.place)
      lines.append(template.head, value, template.tail)
      lines.append(next, [], "")
      // Stops at the first cut with another result, which `compare` records.
      _ = (0...lines.stream.count).allSatisfy { lines.compare("cut at \($0)", [$0]) }
      cuts += lines.stream.count + 1
    }
    print("F61: \(cuts) cuts")
    #expect(cuts > 20_000)
  }

  private static func lines(
    _ template: Template, _ alphabet: [UInt8], upTo length: Int
  ) -> ValueLines {
    var lines = ValueLines(of: template.place)
    for value in values(alphabet, upTo: length) {
      lines.append(template.head, value, template.tail)
    }
    return lines
  }

  /// All sequences of these bytes, the empty one included.
  private static func values(_ alphabet: [UInt8], upTo length: Int) -> [[UInt8]] {
    var longest: [[UInt8]] = [[]]
    var values = longest
    for _ in 0..<length {
      longest = longest.flatMap { value in alphabet.map { value + [$0] } }
      values += longest
    }
    return values
  }
}
