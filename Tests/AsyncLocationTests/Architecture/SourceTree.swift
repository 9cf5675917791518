import FoundationEssentials
import Glibc

/// The Swift files of this repository.
struct SourceTree {
  struct File {
    /// Relative to the root of the repository.
    let path: String
    /// The folder, relative to Sources or Tests.
    let room: String
    let names: SwiftNames

    var target: String { String(room.prefix { $0 != "/" }) }
    var name: Substring { path.split(separator: "/").last ?? "" }
  }

  let page: ArchitecturePage
  let sources: [File]
  let tests: [File]

  init() throws {
    let root = String(
      #filePath.dropLast("/Tests/AsyncLocationTests/Architecture/SourceTree.swift".count))
    page = ArchitecturePage(
      String(decoding: try Self.bytes(root + "/Documentation/Architecture.md"), as: UTF8.self))
    sources = try Self.files(root, "Sources")
    tests = try Self.files(root, "Tests")
  }

  private static func files(_ root: String, _ folder: String) throws -> [File] {
    try FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(folder)").sorted()
      // The code of the tutorials belongs to no target.
      .filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }
      .map { path in
        File(
          path: "\(folder)/\(path)",
          room: path.split(separator: "/").dropLast().joined(separator: "/"),
          names: SwiftNames(try bytes("\(root)/\(folder)/\(path)")))
      }
  }

  private static func bytes(_ path: String) throws -> Data {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw POSIXError(.ENOENT)
    }
    return data
  }
}
