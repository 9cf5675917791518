import TestSupport
import Testing

/// Checks that the code in the article and in the backend's doc comment compiles.
@Suite(.inTurn) struct ArticleTests {
  private static let folder = String(#filePath.dropLast("/ArticleTests.swift".count))

  @Test func everyBlockCompiles() throws {
    let sources = Self.folder + "/../../../Sources/NMEABackend"
    let blocks = try CodeBlocks(
      in: [sources + "/NMEABackend.docc", sources + "/NMEABackend.swift"],
      knownFrom: [Self.folder])
    blocks.expectKnown()
    #expect(blocks.count == 4)
  }
}
