import AsyncLocation
import TestSupport
import Testing

@testable import NMEABackend

@Suite(.inTurn) struct ForeignContentTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let bytes: [UInt8]
    let content: ForeignContent
    let words: String

    init(_ name: String, _ bytes: [UInt8], _ content: ForeignContent, _ words: String) {
      (testDescription, self.bytes, self.content, self.words) = (name, bytes, content, words)
    }
  }

  static let cases = [
    Case(
      "gpsd", Array(#"{"class":"VERSION","release":"3.22"}"#.utf8), .gpsd, "Use GPSDBackend."),
    Case("HTTP", Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), .webServer, "a web server"),
    Case("SSH", Array("SSH-2.0-OpenSSH_9.2\r\n".utf8), .shell, "an SSH server"),
    Case("UBX", [0, 0xB5, 0x62, 1, 7, 92, 0], .receiverProtocol("UBX"), "that is UBX"),
    Case("RTCM", [0xD3, 0, 19, 62], .receiverProtocol("RTCM 3"), "that is RTCM 3"),
    Case("no RTCM", [0xD3, 0xFF, 19, 62], .binary, "binary"),
    Case("a position", Array("48.1173,11.5167\r\n".utf8), .text, "other text"),
    Case("JSON", Array(#"{"lat":48.1173,"lon":11.5167}"#.utf8), .text, "other text"),
    Case("noise", [0xE6, 0x66, 0x80], .binary, "binary"),
    Case(
      "wrong checksums", Array((sentence(rmc("120001")).replacing("48", with: "47")).utf8),
      .wrongChecksums, "checksums are wrong"),
    Case("no checksum's digits", Array("$GPGGA,120001,48*\r\n".utf8), .text, "other text"),
  ]

  @Test(arguments: cases) func isNamedWithoutAQuotation(_ scenario: Case) {
    for size in [1, 7, scenario.bytes.count] {
      var bench = ReaderBench()
      var excerpt: [UInt8] = []
      var wrongChecksums = 0
      for start in stride(from: 0, to: scenario.bytes.count, by: size) {
        let end = min(start + size, scenario.bytes.count)
        _ = bench.receive(Array(scenario.bytes[start..<end]))
        if bench.content.excerpt.count > excerpt.count { excerpt = bench.content.excerpt }
        wrongChecksums += bench.content.wrongChecksums
      }
      // Ends a line that has not ended.
      _ = bench.receive("\n")
      if bench.content.excerpt.count > excerpt.count { excerpt = bench.content.excerpt }
      let content = ForeignContent(excerpt, hasWrongChecksums: wrongChecksums > 0)
      #expect(content == scenario.content)
      for isSerial in [false, true] {
        let error = LocationError.notNMEA("line", sent: content, isSerial: isSerial)
        #expect(error.message.contains(scenario.words), "\(error.message)")
        for part in ["48", "47", "11.5", "1131", "VERSION", "Bad", "OpenSSH"] {
          #expect(!error.message.contains(part), "\(error.message)")
        }
      }
    }
  }
}
