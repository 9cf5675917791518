import FoundationEssentials
import Glibc

/// The Swift files of the targets.
struct SourceTree {
  struct File {
    /// Relative to the root of the repository.
    let path: String
    /// The folder, relative to Sources.
    let room: String
    let names: SwiftNames

    var target: String { String(room.prefix { $0 != "/" }) }
    var name: Substring { path.split(separator: "/").last ?? "" }
  }

  let page: ArchitecturePage
  let sources: [File]

  init() throws {
    let root = String(
      #filePath.dropLast("/Tests/AsyncLocationTests/Architecture/SourceTree.swift".count))
    page = ArchitecturePage(
      String(decoding: try Self.bytes(root + "/Documentation/Architecture.md"), as: UTF8.self))
    sources = try FileManager.default.subpathsOfDirectory(atPath: root + "/Sources").sorted()
      // The code of the tutorials belongs to no target.
      .filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }
      .map { path in
        File(
          path: "Sources/\(path)",
          room: path.split(separator: "/").dropLast().joined(separator: "/"),
          names: SwiftNames(try Self.bytes("\(root)/Sources/\(path)")))
      }
  }

  private static func bytes(_ path: String) throws -> Data {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw POSIXError(.ENOENT)
    }
    return data
  }
}
