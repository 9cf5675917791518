import TestSupport
import Testing

/// Checks that the code in the articles compiles: each block occurs in a file of this folder.
@Suite(.inTurn) struct ArticleTests {
  private static let folder = String(#filePath.dropLast("/ArticleTests.swift".count))
  private static let sources = folder + "/../../../Sources/CombinedBackend"

  @Test func everyBlockCompiles() throws {
    let blocks = try CodeBlocks(
      in: ["\(Self.sources)/CombinedBackend.docc/CombinedBackend.md"], knownFrom: [Self.folder])
    blocks.expectKnown()
    #expect(blocks.count == 1)
  }
}
