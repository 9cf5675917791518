import Foundation
import TestSupport
import Testing

/// Runs programs that tests need, such as those whose results are compared with this package's.
enum Command {
  /// Runs a program and returns its standard output. Its standard error is discarded. The first
  /// argument is the program. No argument may contain a single quotation mark.
  ///
  /// - Throws: If the program fails.
  static func output(of arguments: [String]) async throws -> String {
    try await onThread { try read(arguments) }
  }

  private static func read(_ arguments: [String]) throws -> String {
    // `Process` fails when another test has opened a descriptor with a high number.
    let command = arguments.map { "'\($0)'" }.joined(separator: " ") + " 2>/dev/null"
    let pipe = try #require(popen(command, "r"))
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&chunk, 1, chunk.count, pipe), count > 0 {
      output += chunk[..<count]
    }
    try #require(pclose(pipe) == 0, "\(arguments.prefix(4)) fails")
    return String(decoding: output, as: UTF8.self)
  }

  static func isInstalled(_ name: String) -> Bool {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
  }
}

/// A folder that is removed with its files on deallocation.
final class TemporaryFolder {
  let path = NSTemporaryDirectory() + "recordings-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(
      at: URL(fileURLWithPath: path, isDirectory: true), withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file and returns its path.
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    return "\(path)/\(name)"
  }
}
