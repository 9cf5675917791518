import MockBackend
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct WrittenTextTests {
  static let decimals: [(Double, String?)] = [
    (0, "0"), (1, "1"), (-1.5, "-1.5"), (0.0001, "0.0001"), (1e-5, "0.00001"),
    (-1.25e-7, "-0.000000125"), (1e15, "1000000000000000"), (1e16, "10000000000000000"),
    (1.5e17, "150000000000000000"), (-1.2345678901234566e25, "-12345678901234566000000000"),
    (1e30, "1" + String(repeating: "0", count: 30)),
    (1e-30, "0." + String(repeating: "0", count: 29) + "1"),
    (1e31, nil), (9e-31, "0"), (179.99999999999997, "179.99999999999997"),
  ]

  @Test(arguments: decimals)
  func numbersAreWrittenAsDecimals(_ number: Double, _ text: String?) {
    #expect(NumberText.decimal(number) == text)
  }

  @Test(.longWork) func numbersRoundTrip() {
    var random = SplitMix64(seed: 4)
    for _ in 0..<20_000 {
      let number = Double(bitPattern: random.next())
      guard number.isFinite else { continue }
      #expect(Double(NumberText.shortest(number)) == number)
      guard (1e-30...1e30).contains(number.magnitude) else { continue }
      let text = NumberText.decimal(number)
      #expect(text.flatMap { Double($0) } == number)
      #expect(text?.contains("e") == false)
    }
  }

  struct Escape: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: String
    let xml: String
    let json: String
    let csv: String
    /// The number of replaced characters.
    var replaced = (xml: 0, csv: 0)
  }

  static let escapes = [
    Escape(
      testDescription: "plain", text: "Zürich", xml: "Zürich", json: "\"Zürich\"", csv: "Zürich"),
    Escape(testDescription: "empty", text: "", xml: "", json: "\"\"", csv: ""),
    Escape(
      testDescription: "markup", text: "<a b='\"'>&]]>",
      xml: "&lt;a b=&apos;&quot;&apos;&gt;&amp;]]&gt;",
      json: "\"\\u003ca b='\\\"'>&]]>\"", csv: "\"<a b='\"\"'>&]]>\""),
    Escape(
      testDescription: "separators", text: "a,b;c\\", xml: "a,b;c\\", json: "\"a,b;c\\\\\"",
      csv: "\"a,b;c\\\""),
    Escape(
      testDescription: "white space", text: "\t\n\r", xml: "&#9;&#10;&#13;",
      json: "\"\\u0009\\u000a\\u000d\"", csv: "\u{FFFD}\u{FFFD}\u{FFFD}", replaced: (xml: 0, csv: 3)
    ),
    Escape(
      testDescription: "control characters", text: "\u{0}\u{1B}[31m\u{7F}\u{9B}",
      xml: "\u{FFFD}\u{FFFD}[31m&#127;&#155;", json: "\"\\u0000\\u001b[31m\\u007f\\u009b\"",
      csv: "\u{FFFD}\u{FFFD}[31m\u{FFFD}\u{FFFD}", replaced: (xml: 2, csv: 4)),
    Escape(
      testDescription: "noncharacters", text: "\u{FFFE}\u{FFFF}", xml: "\u{FFFD}\u{FFFD}",
      json: "\"\u{FFFE}\u{FFFF}\"", csv: "\u{FFFE}\u{FFFF}", replaced: (xml: 2, csv: 0)),
    Escape(
      testDescription: "format characters", text: "\u{202E}\u{E0001}\u{2028}",
      xml: "&#8238;&#917505;&#8232;", json: "\"\\u202e\\udb40\\udc01\\u2028\"",
      csv: "\u{FFFD}\u{FFFD}\u{FFFD}", replaced: (xml: 0, csv: 3)),
  ]

  @Test("F59 untrusted text is escaped", arguments: escapes)
  func isEscaped(_ escape: Escape) {
    #expect(EscapedText(xml: escape.text).text == escape.xml)
    #expect(EscapedText(json: escape.text).text == escape.json)
    #expect(EscapedText(csv: escape.text).text == escape.csv)
    #expect(EscapedText(xml: escape.text).replacedCharacterCount == escape.replaced.xml)
    #expect(EscapedText(csv: escape.text).replacedCharacterCount == escape.replaced.csv)
  }

  @Test func columnsAreFoundByFieldName() {
    for field in LocationField.table {
      #expect(RecordedColumn(named: field.name) == field.column, "\(field.name)")
    }
    #expect(RecordedColumn(named: RecordedColumn.segmentName) == .segment)
  }
}
