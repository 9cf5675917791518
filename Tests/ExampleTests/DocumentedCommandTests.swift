import FoundationEssentials
import TestSupport
import Testing

@testable import async_location_example

/// The tool's commands in the README and in the documents that it names, in the order in which a
/// reader meets them.
@Suite(.inTurn) struct DocumentedCommandTests {
  private static let root = String(
    #filePath.dropLast("Tests/ExampleTests/DocumentedCommandTests.swift".count))

  private static func commands() throws -> [Arguments] {
    let texts = try ["README.md", "Documentation/Features.md", "Documentation/Tool.md"].map {
      path in
      String(
        decoding: try #require(FileManager.default.contents(atPath: root + path)), as: UTF8.self)
    }
    let prefix = "swift run \(Help.name) "
    var commands: [Arguments] = []
    for line in texts.joined(separator: "\n").split(separator: "\n") where line.hasPrefix(prefix) {
      let words = line.dropFirst(prefix.count).prefix { $0 != "#" }.split(separator: " ")
      guard case .run(let arguments) = try Invocation.parse(words.map(String.init)) else {
        continue
      }
      commands.append(arguments)
    }
    return commands
  }

  @Test("a file that a command reads is in the repository, or an earlier command writes it")
  func everyFileExists() throws {
    let commands = try Self.commands()
    #expect(commands.count >= 20)
    var written: Set<String> = []
    for arguments in commands {
      let named = [
        arguments.policy, arguments.file, arguments.conditions, arguments.basemap,
        arguments.recording,
      ]
      for path in named.compactMap(\.self) + arguments.furtherRecordings
      where !written.contains(path) {
        #expect(FileManager.default.fileExists(atPath: Self.root + path), "\(path)")
      }
      if let path = arguments.destination { written.insert(path) }
    }
  }
}
