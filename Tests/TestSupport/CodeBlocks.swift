import FoundationEssentials
import Glibc
import Testing

/// The Swift code in articles and doc comments, which must occur in files that compile.
package struct CodeBlocks {
  /// The number of blocks.
  package private(set) var count = 0
  /// The blocks that occur in no file, each with the name of its article.
  private var unknown: [(article: String, code: String)] = []

  /// Compares all blocks of texts with the Swift files of folders. Indentation, empty lines and
  /// imports do not matter.
  ///
  /// - Parameters:
  ///   - texts: Paths of articles and Swift files, or of folders of articles.
  ///   - folders: Paths of folders of Swift files, or of Swift files.
  package init(in texts: [String], knownFrom folders: [String]) throws {
    let sources = try folders.flatMap({ try Self.files($0, ending: ".swift") }).map { path in
      "\n" + Self.lines(try Self.text(path)).joined(separator: "\n") + "\n"
    }
    for path in try texts.flatMap({ try Self.files($0, ending: ".md") }) {
      // The first part is the text before the first block.
      for part in Self.lines(try Self.text(path), keepingImports: true)
        .split(separator: "```swift", omittingEmptySubsequences: false).dropFirst()
      {
        let block = part.prefix { $0 != "```" }.filter { !$0.hasPrefix("import ") }
        count += 1
        let code = block.joined(separator: "\n")
        if !sources.contains(where: { $0.contains("\n\(code)\n") }) { unknown.append((path, code)) }
      }
    }
  }

  /// Records an issue for each block that occurs in no file.
  ///
  /// - Parameter isAccepted: Returns whether a block may occur in no file.
  package func expectKnown(except isAccepted: (String) -> Bool = { _ in false }) {
    for (article, code) in unknown where !isAccepted(code) {
      Issue.record("\(article) has code of its own:\n\(code)")
    }
  }

  /// The files of a folder whose names end with a suffix; only the path itself if it is no folder.
  private static func files(_ path: String, ending suffix: String) throws -> [String] {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
      return [path]
    }
    return names.filter { $0.hasSuffix(suffix) }.map { "\(path)/\($0)" }
  }

  private static func text(_ path: String) throws -> String {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw POSIXError(.ENOENT)
    }
    return String(decoding: data, as: UTF8.self)
  }

  /// The compared lines, without indentation and doc comment markers.
  private static func lines(_ text: String, keepingImports: Bool = false) -> [Substring] {
    text.split(separator: "\n")
      .map { line in
        let code = line.drop { $0 == " " }
        return code.hasPrefix("/// ") ? code.dropFirst(4).drop { $0 == " " } : code
      }
      .filter { !$0.isEmpty && $0 != "///" && (keepingImports || !$0.hasPrefix("import ")) }
  }
}
