import FoundationEssentials
import JSONScanning
import TestSupport
import Testing

@testable import OwnTracks

/// Numbers are converted as the standard library converts them.
@Suite(.inTurn) struct PayloadNumberTests {
  /// The number of a payload; nil if it has none, or is not valid.
  static func number(_ text: String) -> Double? {
    let payload = Array("{\(text)}".utf8)
    do {
      var scanner = try PayloadScanner(payload.span)
      let number = try scanner.number()
      guard !(try scanner.takeSeparator(or: UInt8(ascii: "}"))) else { return nil }
      try scanner.finish()
      return number
    } catch {
      return nil
    }
  }

  static func digits(_ count: Int, _ random: inout SeededGenerator) -> String {
    String((0..<count).map { _ in Character("\(Int.random(in: 0...9, using: &random))") })
  }

  static func text(_ random: inout SeededGenerator) -> String {
    var text = Bool.random(using: &random) ? "-" : ""
    let whole = Int.random(in: 0...random.pick([1, 3, 20]), using: &random)
    text += whole == 0 ? "0" : random.pick(["1", "5", "9"]) + digits(whole - 1, &random)
    if Int.random(in: 0..<5, using: &random) > 0 {
      text += "." + digits(.random(in: 1...random.pick([7, 18, 25]), using: &random), &random)
    }
    if Int.random(in: 0..<4, using: &random) == 0 {
      text += random.pick(["e", "E"]) + random.pick(["", "+", "-"])
      text += digits(.random(in: 1...random.pick([1, 2, 3]), using: &random), &random)
    }
    return text
  }

  @Test(.longWork) func areTheNearestDoubles() throws {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<50_000 {
      let text = Self.text(&random)
      let expected = try #require(Double(text))
      let number = Self.number(text)
      if expected.isFinite {
        #expect(number?.bitPattern == expected.bitPattern, "\(text)")
      } else {
        #expect(number == nil, "\(text)")
      }
    }
  }

  /// The numbers that the encoder writes.
  @Test(.longWork) func readsNumbersPrintedBySwift() {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<50_000 {
      let value = Double.random(in: -180...180, using: &random)
      #expect(Self.number("\(value)") == value)
      let bits = Double(bitPattern: random.next())
      if bits.isFinite { #expect(Self.number("\(bits)") == bits) }
    }
  }

  /// Numbers halfway between two doubles, and just beside, with 17 to 19 digits.
  @Test(.longWork) func roundHalvesToEven() throws {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<20_000 {
      let decimals = Int.random(in: 0...18, using: &random)
      let significand = UInt64.random(in: (1 << 53)...(1 << 63), using: &random)
      // Between 2⁵³ and 2⁵⁴ odd numbers are halfway.
      let odd = significand >> UInt64(10 - significand.leadingZeroBitCount) | 1
      for digits in [significand, odd] {
        let all = "\(digits)"
        guard all.count > decimals else { continue }
        let text = decimals == 0 ? all : all.dropLast(decimals) + "." + all.suffix(decimals)
        let expected = try #require(Double(String(text)))
        #expect(Self.number(String(text)) == expected, "\(text)")
      }
    }
  }

  static let limits: [(String, Double?)] = [
    ("9007199254740993", 9_007_199_254_740_992), ("9007199254740995", 9_007_199_254_740_996),
    ("9223372036854775807", 0x1p63), ("18446744073709551615", 0x1p64),
    ("18446744073709551616", 0x1p64), ("1e22", 1e22), ("1e23", 1e23), ("123e-25", 123e-25),
    ("1.7976931348623157e308", .greatestFiniteMagnitude), ("1.7976931348623159e308", nil),
    ("5e-324", .leastNonzeroMagnitude), ("1e-400", 0), ("0e99999999999999999999", 0),
    ("1e99999999999999999999", nil),
    ("0." + String(repeating: "0", count: 1_000) + "1", 0),
    ("0." + String(repeating: "1", count: 2_000), nil),
    ("00", nil), ("-", nil), ("1.e1", nil), ("1e+", nil), ("--1", nil), ("Infinity", nil),
  ]

  @Test(arguments: limits)
  func atTheLimits(_ text: String, _ expected: Double?) {
    #expect(Self.number(text) == expected)
  }
}
