import TestSupport
import Testing

/// Checks that the code in the articles compiles: each block occurs in a file of this folder.
@Suite(.inTurn) struct ArticleTests {
  private static let folder = String(#filePath.dropLast("/ArticleTests.swift".count))

  @Test func everyBlockCompiles() throws {
    let blocks = try CodeBlocks(
      in: [Self.folder + "/../../../Sources/MQTTBackend/MQTTBackend.docc"],
      knownFrom: [Self.folder])
    blocks.expectKnown()
    #expect(blocks.count == 25)
  }
}
