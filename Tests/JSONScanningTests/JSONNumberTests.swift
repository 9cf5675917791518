import JSONScanning
import MockBackend
import TestSupport
import Testing

/// Reads numbers by the grammar of RFC 8259.
@Suite(.inTurn) struct JSONNumberTests {
  /// Reads the number at the beginning of a text. Returns its value, which is nil if the number is
  /// too large or too long, and its length in bytes; nil if there is no valid number.
  private static func number(_ text: String) -> (value: Double?, length: Int)? {
    let bytes = Array(text.utf8)
    var position = 0
    guard let number = JSONNumber(bytes.span, at: &position) else { return nil }
    return (number.value(in: bytes.span, 0..<position), position)
  }

  /// The arguments are a number and the text after it.
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

  /// The second argument is the offset of the first invalid byte; for leading zeros, the offset of
  /// the first one.
  @Test(arguments: [
    ("", 0), ("-", 1), ("+1", 0), (".5", 0), ("-.5", 1), ("1.", 2), ("1.e5", 2), ("01", 0),
    ("-01", 1), ("00", 0), ("1e", 2), ("1e+", 3), ("1E-x", 3), ("x", 0), ("NaN", 0), ("\"1\"", 0),
    (" 1", 0),
  ])
  func invalidTextIsNotANumber(_ text: String, _ errorOffset: Int) {
    var position = 0
    #expect(JSONNumber(Array(text.utf8).span, at: &position) == nil)
    #expect(position == errorOffset)
  }

  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("-7", -7), ("9223372036854775807", .max), ("9223372036854775808", nil),
      ("-9223372036854775808", .min), ("-9223372036854775809", nil), ("18446744073709551617", nil),
      ("99999999999999999999", nil), ("1.0", nil), ("1e0", nil), ("1.5e1", nil),
    ] as [(String, Int64?)])
  func anIntegerIsExact(_ text: String, _ expected: Int64?) throws {
    var position = 0
    let number = try #require(JSONNumber(Array(text.utf8).span, at: &position))
    #expect(number.integer == expected)
  }

  @Test(arguments: ["1e309", "-1e400", "1e99999999999", String(repeating: "9", count: 1_025)])
  func tooLargeAndTooLongNumbersHaveNoValue(_ text: String) throws {
    let found = try #require(Self.number(text))
    #expect(found.value == nil)
    #expect(found.length == text.utf8.count)
  }

  /// Any bytes may follow a number, or none.
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

/// Compares the conversion of numbers with that of the standard library.
@Suite(.inTurn) struct JSONNumberConversionTests {
  /// The value of a document that consists of a number; nil if the document is invalid, or if the
  /// number is too large or too long.
  private static func number(_ text: String) -> Double? {
    try? JSONDocument(Array(text.utf8)).root.number
  }

  private static func randomDigits(_ count: Int, _ random: inout SplitMix64) -> String {
    String((0..<count).map { _ in Character("\(Int.random(in: 0...9, using: &random))") })
  }

  /// Returns a valid number with up to 20 digits before the decimal point, 25 after it, and three
  /// in the exponent.
  private static func randomNumber(_ random: inout SplitMix64) -> String {
    var text = Bool.random(using: &random) ? "-" : ""
    let wholeDigits = Int.random(in: 0...random.pick([1, 3, 20]), using: &random)
    text +=
      wholeDigits == 0
      ? "0" : random.pick(["1", "5", "9"]) + randomDigits(wholeDigits - 1, &random)
    if Int.random(in: 0..<5, using: &random) > 0 {
      let decimals = Int.random(in: 1...random.pick([7, 18, 25]), using: &random)
      text += "." + randomDigits(decimals, &random)
    }
    if Int.random(in: 0..<4, using: &random) == 0 {
      text += random.pick(["e", "E"]) + random.pick(["", "+", "-"])
      text += randomDigits(.random(in: 1...random.pick([1, 2, 3]), using: &random), &random)
    }
    return text
  }

  @Test(.longWork) func randomNumbersAreTheNearestDoubles() throws {
    var random = SplitMix64(seed: 1)
    for _ in 0..<50_000 {
      let text = Self.randomNumber(&random)
      let expected = try #require(Double(text))
      let number = Self.number(text)
      if expected.isFinite {
        #expect(number?.bitPattern == expected.bitPattern, "\(text)")
      } else {
        #expect(number == nil, "\(text)")
      }
    }
  }

  @Test(.longWork) func readsNumbersPrintedBySwift() {
    var random = SplitMix64(seed: 2)
    for _ in 0..<50_000 {
      let value = Double.random(in: -180...180, using: &random)
      #expect(Self.number("\(value)") == value)
      let anyDouble = Double(bitPattern: random.next())
      if anyDouble.isFinite { #expect(Self.number("\(anyDouble)") == anyDouble) }
    }
  }

  /// Significands of 16 to 19 digits with up to 18 decimals. Without decimals, odd integers between
  /// 2⁵³ and 2⁵⁴ are halfway between two doubles.
  @Test(.longWork) func numbersWithLongSignificandsAreTheNearestDoubles() throws {
    var random = SplitMix64(seed: 3)
    for _ in 0..<20_000 {
      let decimals = Int.random(in: 0...18, using: &random)
      let significand = UInt64.random(in: (1 << 53)...(1 << 63), using: &random)
      // The shift leaves 54 bits.
      let odd = significand >> UInt64(10 - significand.leadingZeroBitCount) | 1
      for integer in [significand, odd] {
        let digits = "\(integer)"
        guard digits.count > decimals else { continue }
        let text =
          decimals == 0 ? digits : digits.dropLast(decimals) + "." + digits.suffix(decimals)
        let expected = try #require(Double(String(text)))
        #expect(Self.number(String(text)) == expected, "\(text)")
      }
    }
  }

  @Test(
    arguments: [
      ("9007199254740993", 9_007_199_254_740_992), ("9007199254740995", 9_007_199_254_740_996),
      ("9223372036854775807", 0x1p63), ("18446744073709551615", 0x1p64),
      ("18446744073709551616", 0x1p64), ("1e22", 1e22), ("1e23", 1e23), ("123e-25", 123e-25),
      ("1.7976931348623157e308", .greatestFiniteMagnitude), ("1.7976931348623159e308", nil),
      ("5e-324", .leastNonzeroMagnitude), ("1e-400", 0), ("0e99999999999999999999", 0),
      ("1e99999999999999999999", nil),
      ("0." + String(repeating: "0", count: 1_000) + "1", 0),
      ("0." + String(repeating: "1", count: 2_000), nil),
      ("00", nil), ("-", nil), ("1.e1", nil), ("1e+", nil), ("--1", nil), ("Infinity", nil),
    ] as [(String, Double?)])
  func numbersAtTheLimitsAreConverted(_ text: String, _ expected: Double?) {
    #expect(Self.number(text) == expected)
  }
}

/// Reads words of eight bytes that may be digits.
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
