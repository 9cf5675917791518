import TestSupport
import Testing

/// Checks that the code in articles and doc comments compiles: each block occurs in a file of this
/// folder.
@Suite(.inTurn) struct ArticleTests {
  private static let folder = String(#filePath.dropLast("/ArticleTests.swift".count))
  private static let sources = folder + "/../../../Sources/MQTTBackend"

  @Test(arguments: [
    ("MQTTBackend.docc", 13), ("Publishing/LocationPublisher.swift", 1),
    ("Device/MQTTBackend.swift", 1),
  ])
  func everyBlockCompiles(_ text: String, count: Int) throws {
    let blocks = try CodeBlocks(in: ["\(Self.sources)/\(text)"], knownFrom: [Self.folder])
    for (article, code) in blocks.unknown {
      Issue.record("\(article) has code of its own:\n\(code)")
    }
    #expect(blocks.count == count)
  }
}
