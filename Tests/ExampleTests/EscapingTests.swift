import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import async_location_example

@Suite(.inTurn) struct EscapingTests {
  @Test(arguments: [
    ("/dev/ttyUSB0", "/dev/ttyUSB0"),
    ("Empfänger 北斗 ✓ é", "Empfänger 北斗 ✓ é"),
    ("C:\\gps", "C:\\gps"),
    ("\u{1B}[2J", "\\u001b[2J"),
    ("a\r\nb", "a\\u000d\\u000ab"),
    ("a\0b\u{7F}", "a\\u0000b\\u007f"),
    ("\u{9B}31m\u{85}", "\\u009b31m\\u0085"),
    ("\u{202E}gpj.exe", "\\u202egpj.exe"),
    ("\u{200B}\u{FEFF}\u{AD}", "\\u200b\\ufeff\\u00ad"),
    ("\u{2028}\u{2029}", "\\u2028\\u2029"),
    ("\u{FE0F}\u{3164}", "\\ufe0f\\u3164"),
    ("\u{E0041}", "\\udb40\\udc41"),
    ("\u{E000}\u{FFFF}", "\\ue000\\uffff"),
  ])
  func escapes(text: String, harmless: String) {
    #expect(Escaping.escape(text) == harmless)
  }

  @Test("F41 escapes control characters") func escapesControlCharacters() {
    let controls =
      [0...0x1F, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069, 0x200B...0x200F]
      .joined() + [0x61C]
    for value in controls {
      let scalar = Unicode.Scalar(UInt32(value))!
      let escaped = Escaping.escape("a\(scalar)b")
      #expect(!escaped.unicodeScalars.contains(scalar), "\(value)")
    }
  }

  @Test("F41 escaped JSON decodes to the same value")
  func escapedJSONDecodesToTheSameValue() throws {
    let name = "\u{1B}]0;x\u{7}\u{9B}\u{202E}\u{E0041}\"\\"
    let line = try JSONLine.line(Receiver(name: name))
    #expect(line.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 && $0.value != 0x7F })
    let decoded = try JSONDecoder().decode(Receiver.self, from: Data(line.utf8))
    #expect(decoded.name == name)
  }

  @Test func cutsLongText() {
    #expect(Escaping.escape("abcdef", limit: 3) == "abc...")
    #expect(Escaping.escape("abc", limit: 3) == "abc")
    #expect(Escaping.escape("", limit: 3) == "")
  }
}

@Suite(.inTurn) struct TextWidthTests {
  @Test(arguments: [("", 0), ("abc", 3), ("°′″", 3), ("北斗", 4), ("e\u{301}", 1), ("한", 2)])
  func counts(text: String, columns: Int) {
    #expect(TextWidth.columns(text) == columns)
  }

  @Test func neverSplitsAWideCharacter() {
    #expect(TextWidth.prefix("a北斗", columns: 4) == "a北")
    #expect(TextWidth.pad("北", 4) == "北  ")
    #expect(TextWidth.pad("ab", 4, trailing: true) == "  ab")
    #expect(TextWidth.pad("abcde", 4) == "abcde")
  }
}
