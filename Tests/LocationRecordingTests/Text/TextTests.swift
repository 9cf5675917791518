import FoundationEssentials
import Testing

@testable import LocationRecording

@Suite struct TextTests {
  @Test(arguments: [
    ("1", 1.0 as Double?), (" -1.5e2\n", -150), ("+.5", 0.5), ("nan", nil), ("inf", nil),
    ("0x10", nil), ("", nil), (" ", nil), ("1e999", nil), ("1 2", nil), ("1,5", nil), ("-", nil),
    (String(repeating: "1", count: 65), nil),
  ])
  func readsNumbers(_ text: String, _ number: Double?) {
    #expect(DecimalNumber.parse(text) == number)
  }

  static func units(_ text: String, isBig: Bool, mark: Bool) -> [UInt8] {
    let units = (mark ? [0xFEFF] : []) + Array(text.utf16)
    return units.flatMap { unit in
      let bytes = [UInt8(unit >> 8), UInt8(unit & 255)]
      return isBig ? bytes : bytes.reversed()
    }
  }

  @Test(arguments: [false, true], [false, true])
  func convertsUTF16(_ isBig: Bool, _ mark: Bool) {
    let text = "lat,é𝄞\n"
    for length in 1...5 {
      let bytes = Self.units(text, isBig: isBig, mark: mark)
      var transcoder = TextTranscoder()
      var converted: [UInt8] = []
      for first in stride(from: 0, to: bytes.count, by: length) {
        converted += transcoder.convert(Array(bytes[first..<min(first + length, bytes.count)]))
      }
      converted += transcoder.finish()
      #expect(String(decoding: converted, as: UTF8.self) == text)
    }
  }

  @Test func replacesWhatIsNoText() {
    var transcoder = TextTranscoder()
    let bytes: [UInt8] = [0xFF, 0xFE, 0x00, 0xD8, 0x41, 0x00, 0x00, 0xDC, 0x42]
    let converted = transcoder.convert(bytes) + transcoder.finish()
    #expect(String(decoding: converted, as: UTF8.self) == "\u{FFFD}A\u{FFFD}\u{FFFD}")
  }

  @Test func removesTheMark() {
    var transcoder = TextTranscoder()
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
    for first in stride(from: 0, to: bytes.count, by: length) {
      lines += splitter.split(Array(bytes[first..<min(first + length, bytes.count)]))
    }
    lines += splitter.finish()
    #expect(lines.map { String(decoding: $0.bytes, as: UTF8.self) } == ["ab", "", "cdef", "ij"])
    #expect(lines.map(\.isTooLong) == [false, false, true, false])
    #expect(lines.map(\.number) == [1, 2, 3, 4])
  }
}
