import FoundationEssentials
import TestSupport
import Testing

@testable import async_location_example

/// The tool's commands in the README.
@Suite(.inTurn) struct ReadmeCommandTests {
  private static let root = String(
    #filePath.dropLast("Tests/ExampleTests/ReadmeCommandTests.swift".count))

  private static func commands() throws -> [Arguments] {
    let readme = try #require(FileManager.default.contents(atPath: root + "README.md"))
    let prefix = "swift run \(Help.name) "
    var commands: [Arguments] = []
    for line in String(decoding: readme, as: UTF8.self).split(separator: "\n")
    where line.hasPrefix(prefix) {
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
