import FoundationEssentials
import TestSupport
import Testing

/// Checks that the code in the articles and doc comments compiles: each block occurs in a file of
/// this folder, of another library's snippets, or of an example.
@Suite(.inTurn) struct ArticleTests {
  private static let folder = String(#filePath.dropLast("/ArticleTests.swift".count))

  @Test func everyBlockCompiles() throws {
    let blocks = try CodeBlocks(
      in: [Self.folder + "/../../../Sources/AsyncLocation/AsyncLocation.docc"],
      knownFrom: [
        Self.folder, Self.folder + "/../../../Examples/stops-on-sigterm/Sources/stops-on-sigterm",
      ])
    blocks.expectKnown()
    #expect(blocks.count >= 15)
  }

  private static let tests = folder + "/../.."

  /// Returns the folders of the snippets of all libraries.
  private static func snippets() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: tests).map {
      "\(tests)/\($0)/Documentation"
    }.filter { FileManager.default.fileExists(atPath: $0) }
  }

  @Test(.longWork) func everyBlockOfADocCommentCompiles() throws {
    let sources = Self.tests + "/../Sources"
    let files = try FileManager.default.subpathsOfDirectory(atPath: sources)
      .filter { $0.hasSuffix(".swift") }.map { "\(sources)/\($0)" }
    let blocks = try CodeBlocks(in: files, knownFrom: try Self.snippets())
    blocks.expectKnown()
    #expect(blocks.count >= 46)
  }

  /// The code of the README and of Features.md occurs in the snippets or in an example's test. A
  /// package manifest is not compared.
  @Test(.longWork) func everyBlockOfTheReadmeCompiles() throws {
    let tests = Self.tests
    let blocks = try CodeBlocks(
      in: [tests + "/../README.md", tests + "/../Documentation/Features.md"],
      knownFrom: try Self.snippets() + [
        tests + "/../Examples/tested-service/Tests/TripServiceTests"
      ])
    blocks.expectKnown { $0.hasPrefix("// swift-tools-version") }
    #expect(blocks.count >= 10)
  }

  /// Snippets are on the main actor, so that the code of the articles also compiles in UI code.
  @Test(.longWork) func snippetsAreOnTheMainActor() throws {
    let tests = Self.tests
    var count = 0
    for path in try FileManager.default.subpathsOfDirectory(atPath: tests)
    where path.contains("/Documentation/") && path.hasSuffix("Snippets.swift") {
      count += 1
      let text = String(
        decoding: try #require(FileManager.default.contents(atPath: "\(tests)/\(path)")),
        as: UTF8.self)
      let type = try #require(path.split(separator: "/").last).dropLast(".swift".count)
      let isIsolated = ["struct", "enum"].contains { text.contains("@MainActor\n\($0) \(type) {") }
      #expect(isIsolated, "\(path) has no main actor")
    }
    #expect(count >= 15)
  }
}
