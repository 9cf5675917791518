import AsyncLocation
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct TextTests {
  @Test(arguments: [
    ("1", 1.0 as Double?), (" -1.5e2\n", -150), ("+.5", 0.5), ("nan", nil), ("inf", nil),
    ("0x10", nil), ("", nil), (" ", nil), ("1e999", nil), ("1 2", nil), ("1,5", nil), ("-", nil),
    (String(repeating: "1", count: 65), nil),
  ])
  func readsNumbers(_ text: String, _ number: Double?) {
    #expect(DecimalNumber.parse(text) == number)
  }

  /// The bytes of a text in UTF-16.
  static func units(_ text: String, isBigEndian: Bool, hasMark: Bool) -> [UInt8] {
    let units = (hasMark ? [0xFEFF] : []) + Array(text.utf16)
    return units.flatMap { unit in
      let bytes = [UInt8(unit >> 8), UInt8(unit & 255)]
      return isBigEndian ? bytes : bytes.reversed()
    }
  }

  @Test(arguments: [false, true], [false, true])
  func convertsUTF16(isBigEndian: Bool, hasMark: Bool) {
    let text = "lat,é𝄞\n"
    for length in 1...5 {
      let bytes = Self.units(text, isBigEndian: isBigEndian, hasMark: hasMark)
      var transcoder = TextTranscoder(decidingCount: 3) { _ in false }
      var converted: [UInt8] = []
      for piece in bytes.pieces(of: length) {
        converted += transcoder.convert(piece)
      }
      converted += transcoder.finish()
      #expect(String(decoding: converted, as: UTF8.self) == text)
    }
  }

  @Test func replacesInvalidCodeUnits() {
    var transcoder = TextTranscoder(decidingCount: 3) { _ in false }
    let bytes: [UInt8] = [0xFF, 0xFE, 0x00, 0xD8, 0x41, 0x00, 0x00, 0xDC, 0x42]
    let converted = transcoder.convert(bytes) + transcoder.finish()
    #expect(String(decoding: converted, as: UTF8.self) == "\u{FFFD}A\u{FFFD}\u{FFFD}")
  }

  @Test func aByteOrderMarkIsRemoved() {
    var transcoder = TextTranscoder(decidingCount: 3) { _ in false }
    #expect(transcoder.convert([0xEF]).isEmpty)
    #expect(transcoder.convert([0xBB]).isEmpty)
    #expect(transcoder.convert([0xBF, 65]) == [65])
    #expect(transcoder.convert([0xEF, 0xBB, 0xBF]) == [0xEF, 0xBB, 0xBF])
  }

  @Test(arguments: [1, 2, 3, 100])
  func splitsLines(_ length: Int) {
    let bytes = Array("ab\r\n\ncdefgh\rij".utf8)
    var splitter = LineSplitter(cap: 4)
    var lines: [LineSplitter.Line] = []
    for piece in bytes.pieces(of: length) {
      lines += splitter.split(piece)
    }
    lines += splitter.finish()
    #expect(lines.map { String(decoding: $0.bytes, as: UTF8.self) } == ["ab", "", "cdef", "ij"])
    #expect(lines.map(\.isTooLong) == [false, false, true, false])
    #expect(lines.map(\.number) == [1, 2, 3, 4])
  }
}

@Suite(.inTurn) struct DecimalNumberTests {
  /// Numbers without an exponent are read as `Double` reads them.
  @Test(.longWork) func numbersParseLikeDouble() {
    var random = SplitMix64(seed: 7)
    for _ in 0..<20_000 {
      let sign = ["", "-", "+"].randomElement(using: &random) ?? ""
      let digits = { (most: Int, random: inout SplitMix64) in
        (0..<Int.random(in: 0...most, using: &random))
          .map { _ in String(Int.random(in: 0...9, using: &random)) }.joined()
      }
      let (whole, fraction) = (digits(12, &random), digits(12, &random))
      let point = Bool.random(using: &random) ? "." : ""
      let text = sign + whole + point + fraction
      #expect(DecimalNumber.parse(" \(text)\t") == Double(text), "\(text)")
    }
  }

  @Test(arguments: [
    ("9007199254740992", 9_007_199_254_740_992 as Double?),
    ("9007199254740993", 9_007_199_254_740_992), ("-0", -0.0), ("1.", 1), (".", nil), ("-.", nil),
    ("1.2.3", nil), ("--1", nil), ("12345678901234567890", 12_345_678_901_234_567_168),
    ("0.00000000000000000001", 1e-20), ("1e5", 1e5), ("1e", nil),
  ])
  func numbersAtTheLimitsOfTheFastPathAreParsed(_ text: String, _ number: Double?) {
    #expect(DecimalNumber.parse(text) == number)
    #expect(DecimalNumber.parse(Substring(text))?.sign == number?.sign)
  }
}

@Suite(.inTurn) struct RecordedColumnTests {
  @Test(arguments: [
    ("Latitude", RecordedColumn.latitude as RecordedColumn?), ("lat (deg)", .latitude),
    ("\"Long\"", .longitude), ("horizontal_accuracy [m]", .horizontalAccuracy),
    ("UTC-Time", .timestamp), ("(lat)", nil), ("", nil), ("ＬＡＴ", nil),
  ])
  func aColumnHasManySpellings(_ name: String, _ column: RecordedColumn?) {
    #expect(
      RecordedField.reading(of: name) == column.map { .field(RecordedField($0)) } ?? .other)
  }
}
