import FoundationEssentials
import Testing

/// The code in the articles is code that compiles: each block occurs in a file of this folder.
@Suite struct ArticleTests {
  private static let folder = String(#filePath.dropLast("/ArticleTests.swift".count))
  private static let articles = [
    "GPSDBackend.docc/GPSDBackend.md", "GPSDBackend.docc/Reports.md",
    "Reports/GPSDBackend+Reports.swift",
  ]

  private static func lines(_ text: some StringProtocol) -> String {
    let lines = text.split(separator: "\n").map { $0.drop { $0 == " " || $0 == "/" } }
    return "\n" + lines.filter { !$0.isEmpty }.joined(separator: "\n") + "\n"
  }

  private static func text(_ path: String) throws -> String {
    String(decoding: try #require(FileManager.default.contents(atPath: path)), as: UTF8.self)
  }

  @Test(arguments: articles)
  func everyBlockCompiles(_ name: String) throws {
    let snippets = Self.lines(try Self.text(Self.folder + "/ReportSnippets.swift"))
    let blocks = try Self.text("\(Self.folder)/../../../Sources/GPSDBackend/\(name)")
      .split(separator: "```swift\n").dropFirst()
    #expect(!blocks.isEmpty)
    for block in blocks {
      let code = Self.lines(try #require(block.split(separator: "```").first))
        .replacing("\n\n", with: "\n")
      #expect(snippets.contains(code), "\(name) has code of its own:\n\(code)")
    }
  }
}
