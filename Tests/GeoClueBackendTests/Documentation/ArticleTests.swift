import TestSupport
import Testing

/// Checks that the code in the articles compiles: each block occurs in a file of this folder.
@Suite(.inTurn) struct ArticleTests {
  private static let folder = String(#filePath.dropLast("/ArticleTests.swift".count))
  private static let sources = folder + "/../../../Sources/GeoClueBackend"

  @Test(arguments: ["GeoClueBackend.docc/GeoClueBackend.md"])
  func everyBlockCompiles(_ name: String) throws {
    let blocks = try CodeBlocks(in: ["\(Self.sources)/\(name)"], knownFrom: [Self.folder])
    blocks.expectKnown()
    #expect(blocks.count > 0)
  }
}
