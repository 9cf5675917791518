import FoundationEssentials
import TestSupport
import Testing

/// Checks that the tutorial ends with the code of the example, which is built and tested.
@Suite(.inTurn) struct TutorialTests {
  private static let root = String(
    #filePath.dropLast("Tests/AsyncLocationTests/Documentation/TutorialTests.swift".count))
  private static let folder = root + "Sources/AsyncLocation/AsyncLocation.docc/Tutorials"
  private static let example = root + "Examples/tested-service"

  private static func text(_ path: String) throws -> String {
    let data = try #require(FileManager.default.contents(atPath: path), "no file \(path)")
    return String(decoding: data, as: UTF8.self)
  }

  /// Returns the code of the steps in order: the name shown to the reader, and the file.
  private static func steps() throws -> [(name: String, file: String)] {
    try text(folder + "/TestedService.tutorial").split(separator: "\n").compactMap { line in
      let parts = line.split(separator: "\"")
      guard parts.count == 5, parts[0].contains("@Code(name: ") else { return nil }
      return (String(parts[1]), String(parts[3]))
    }
  }

  /// Replaces the path of the library's package, which is beside a reader's package but above the
  /// example.
  private static func withPathOfTheExample(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line == #"  dependencies: [.package(path: "../async-location")],"#
        ? #"  dependencies: [.package(name: "async-location", path: "../..")],"# : String(line)
    }.joined(separator: "\n")
  }

  @Test func theLastStepsMatchTheExamplePackage() throws {
    let lastFiles = Dictionary(
      try Self.steps().map { ($0.name, $0.file) }, uniquingKeysWith: { $1 })
    let files = try FileManager.default.subpathsOfDirectory(atPath: Self.example)
      .filter { $0.hasSuffix(".swift") && !$0.hasPrefix(".build") }
    #expect(files.count == lastFiles.count, "\(files)")
    for path in files {
      let name = try #require(path.split(separator: "/").last.map(String.init))
      let file = try #require(lastFiles[name], "the tutorial has no \(name)")
      let code = try Self.text("\(Self.folder)/Code/\(file)")
      let isEqual = try Self.withPathOfTheExample(code) == Self.text("\(Self.example)/\(path)")
      #expect(isEqual, "Code/\(file) differs from Examples/tested-service/\(path)")
    }
  }

  @Test func everyFileIsAStep() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder + "/Code")
    #expect(try files.sorted() == Self.steps().map(\.file).sorted())
  }
}
