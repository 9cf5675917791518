import Foundation
import TestSupport
import Testing

@testable import async_location_example

/// The units of `Examples/systemd`.
@Suite(.inTurn)
struct ServiceUnitTests {
  private static let names = ["publish", "record", "fleet"]
  private static let analyzer = "/usr/bin/systemd-analyze"

  private static func path(_ name: String) -> String {
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    return "/\(root)/Examples/systemd/async-location-\(name).service"
  }

  private static func text(_ name: String) throws -> String {
    try String(contentsOfFile: path(name), encoding: .utf8).replacing("\\\n", with: "")
  }

  /// The value of the first assignment of a name in a unit.
  private static func value(_ key: String, in unit: String) -> String? {
    unit.split(separator: "\n").first { $0.hasPrefix(key + "=") }
      .map { String($0.dropFirst(key.count + 1)) }
  }

  @Test(arguments: names)
  func theToolAcceptsTheCommandLine(_ name: String) throws {
    let unit = try Self.text(name)
    let variables = Self.value("Environment", in: unit) ?? ""
    var line = try #require(Self.value("ExecStart", in: unit))
      .replacing("%d", with: "/run/credentials/unit").replacing("%S", with: "/var/lib")
    for variable in variables.split(separator: " ") {
      let parts = variable.split(separator: "=", maxSplits: 1)
      line = line.replacing("${\(parts[0])}", with: parts[1])
    }
    let words = line.split(separator: " ").map(String.init)
    #expect(words.first == "/usr/bin/\(Help.name)")
    guard case .run(let arguments) = try Invocation.parse(Array(words.dropFirst())) else {
      Issue.record("\(line) runs no command")
      return
    }
    #expect(arguments.command.name == name)
  }

  @Test(arguments: names)
  func aUnitHasAWatchdogAndAFolderOfItsOwn(_ name: String) throws {
    let unit = try Self.text(name)
    #expect(Self.value("Type", in: unit) == "notify")
    #expect(Self.value("WatchdogSec", in: unit) == "60")
    #expect(Self.value("StateDirectory", in: unit) == "async-location-\(name)")
  }

  /// `systemd-analyze` scores from 0, safe, to 10. The threshold is in tenths.
  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: analyzer), "install systemd"),
    arguments: names)
  func systemdFindsTheSandboxTight(_ name: String) async throws {
    let ended = try await ChildProcess(
      words: [
        Self.analyzer, "security", "--offline=yes", "--threshold=15", "--no-pager", Self.path(name),
      ], environment: ["PATH=/usr/bin:/bin", "HOME=/tmp", "LANG=C.UTF-8"]
    ).end()
    #expect(ended.status == 0, "\(ended.output.suffix(400))\(ended.errors)")
  }
}
