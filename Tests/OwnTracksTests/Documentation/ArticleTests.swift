import TestSupport
import Testing

/// Checks that the code in the articles compiles: each block occurs in a file of this folder.
@Suite(.inTurn) struct ArticleTests {
  private static let folder = String(#filePath.dropLast("/ArticleTests.swift".count))

  @Test func everyBlockCompiles() throws {
    let blocks = try CodeBlocks(
      in: [Self.folder + "/../../../Sources/OwnTracks/OwnTracks.docc"], knownFrom: [Self.folder])
    for (article, code) in blocks.unknown {
      Issue.record("\(article) has code of its own:\n\(code)")
    }
    #expect(blocks.count == 2)
  }
}
