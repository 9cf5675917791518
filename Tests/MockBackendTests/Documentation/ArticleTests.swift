import TestSupport
import Testing

/// Checks that the code in the articles and doc comments compiles: each block occurs in a file of
/// this folder.
@Suite(.inTurn) struct ArticleTests {
  private static let folder = String(#filePath.dropLast("/ArticleTests.swift".count))
  private static let sources = folder + "/../../../Sources/MockBackend"

  @Test(arguments: [
    ("MockBackend.docc", 28), ("MockBackend.swift", 1), ("MockBackend+Call.swift", 2),
    ("Failing/MockBackend+Failing.swift", 3), ("MockBackend+Settling.swift", 2),
    ("Clock/ManualClock.swift", 1), ("Geocoding/MockGeocoder.swift", 2),
    ("Conformance/BackendConformance.swift", 1), ("Replay/PositionNoise.swift", 1),
    ("../AsyncLocation/Backend/TimedEvent.swift", 1), ("Script/MockGate.swift", 1),
    ("Script/MockScript.swift", 1),
  ])
  func everyBlockCompiles(_ name: String, _ count: Int) throws {
    let blocks = try CodeBlocks(in: ["\(Self.sources)/\(name)"], knownFrom: [Self.folder])
    for (article, code) in blocks.unknown {
      Issue.record("\(article) has code of its own:\n\(code)")
    }
    #expect(blocks.count == count)
  }
}
