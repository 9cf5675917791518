import FoundationEssentials
import Testing

/// The code in the articles is code that compiles: each block occurs in a file of this folder.
@Suite struct ArticleTests {
  private static let folder = String(#filePath.dropLast("/ArticleTests.swift".count))
  private static let catalog = folder + "/../../../Sources/AsyncLocation/AsyncLocation.docc"

  private static func texts(in folder: String, ending suffix: String) throws -> [String: String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    var texts: [String: String] = [:]
    for name in names where name.hasSuffix(suffix) {
      let data = try #require(FileManager.default.contents(atPath: "\(folder)/\(name)"))
      texts[name] = String(bytes: data, encoding: .utf8)
    }
    return texts
  }

  /// The lines that matter, without their indentation.
  private static func lines(_ text: some StringProtocol) -> [String] {
    text.split(separator: "\n")
      .map { line in String(line.drop { $0 == " " }) }
      .filter { !$0.isEmpty && !$0.hasPrefix("import ") }
  }

  @Test func everyBlockCompiles() throws {
    let sources = try Self.texts(in: Self.folder, ending: ".swift").mapValues { text in
      "\n" + Self.lines(text).joined(separator: "\n") + "\n"
    }
    var blocks = 0
    for (name, article) in try Self.texts(in: Self.catalog, ending: ".md") {
      for part in article.split(separator: "```swift\n", omittingEmptySubsequences: false)
        .dropFirst()
      {
        let block = try #require(part.split(separator: "```").first)
        blocks += 1
        let wanted = "\n" + Self.lines(block).joined(separator: "\n") + "\n"
        #expect(
          sources.values.contains { $0.contains(wanted) }, "\(name) has code of its own:\n\(block)")
      }
    }
    #expect(blocks >= 15)
  }
}
