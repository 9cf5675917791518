import JSONScanning
import MockBackend
import TestSupport
import Testing

/// Numbers by the grammar of RFC 8259.
@Suite(.inTurn) struct JSONNumberTests {
  /// The number at the beginning of a text, and how many bytes it has; nil if there is none.
  private static func number(_ text: String) -> (value: Double?, length: Int)? {
    let bytes = Array(text.utf8)
    var position = 0
    guard let number = JSONNumber(bytes.span, at: &position) else {
      #expect(position == 0, "\(text)")
      return nil
    }
    return (number.value(in: bytes.span, 0..<position), position)
  }

  /// What follows the number.
  @Test(arguments: [
    ("0", ""), ("-0", ""), ("7", ","), ("120.50", "]"), ("1e3", ""), ("1E+3", " "),
    ("-2.5e-3", "}"),
    ("0.000000000000000000001", ""), ("12345678", ""), ("123456789012345678901", ""),
    ("9007199254740993", ""), ("1e22", ""), ("1e23", ""), ("4.9e-324", ""),
    ("1.7976931348623157e308", ""), ("8.5", ".5"),
  ])
  func aNumberIsTheNearestDouble(_ text: String, _ rest: String) throws {
    let found = try #require(Self.number(text + rest))
    #expect(found.value?.bitPattern == Double(text)?.bitPattern)
    #expect(found.length == text.utf8.count)
  }

  @Test(arguments: [
    "", "-", "+1", ".5", "-.5", "1.", "1.e5", "01", "-01", "00", "1e", "1e+", "1E-", "x", "NaN",
    "Infinity", "\"1\"", " 1",
  ])
  func anotherTextIsNone(_ text: String) { #expect(Self.number(text) == nil) }

  @Test(arguments: ["1e309", "-1e400", "1e99999999999", String(repeating: "9", count: 1_025)])
  func aNumberThatIsTooLargeOrTooLongHasNoValue(_ text: String) throws {
    let found = try #require(Self.number(text))
    #expect(found.value == nil)
    #expect(found.length == text.utf8.count)
  }

  /// Whatever follows a number, and however few bytes do.
  @Test func valuesDoNotDependOnWhatFollows() throws {
    var random = SplitMix64(seed: 3)
    for _ in 0..<5_000 {
      let text = "\(Double.random(in: -400...400, using: &random))"
      let expected = try #require(Double(text))
      for rest in ["", ",", "}", "]\r\n", ",\"lat\":12345678", "\u{0}", "\u{FF}\u{3A}\u{2F}"] {
        let found = try #require(Self.number(text + rest))
        #expect(found.value?.bitPattern == expected.bitPattern, "\(text)\(rest)")
        #expect(found.length == text.utf8.count, "\(text)\(rest)")
      }
    }
  }
}

/// Eight digits at a time.
@Suite(.inTurn) struct DigitWordTests {
  @Test func leadingDigitsAreThoseOfTheText() {
    var random = SplitMix64(seed: 4)
    let bytes = Array("0123456789/:+-. eE\u{0}\u{7F}".utf8) + [0x80, 0xB0, 0xB9, 0xFF]
    for _ in 0..<20_000 {
      let text = (0..<8).map { _ in
        Int.random(in: 0..<6, using: &random) > 0
          ? UInt8.random(in: 0x30...0x39, using: &random)
          : bytes[Int.random(in: 0..<bytes.count, using: &random)]
      }
      let word = text.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      let digits = text.prefix { (0x30...0x39).contains($0) }
      let found = DigitWord.leadingDigits(of: word)
      #expect(found.count == digits.count, "\(text)")
      #expect(found.value == digits.reduce(0) { $0 * 10 + UInt64($1 - 0x30) }, "\(text)")
    }
  }
}
