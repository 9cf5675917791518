import Foundation
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct PageHashTests {
  @Test(
    "the policy of a page names its style sheet and its script",
    arguments: [
      (PageStyle.text, PageStyle.hash), (PageScript.text, PageScript.hash),
      (TracksStyle.page, TracksStyle.pageHash),
    ])
  func hashMatchesTheText(_ text: String, _ hash: String) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Array(text.utf8), to: "text")
    let digits = Array(try await Command.output(of: ["sha256sum", path]).prefix(64))
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0..<$0 + 2]), radix: 16)
    }
    #expect(Data(bytes).base64EncodedString() == hash)
  }
}
