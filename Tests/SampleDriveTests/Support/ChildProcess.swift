import Foundation
import TestSupport

/// A program that a test starts, whose standard output and standard error are read together.
/// Deallocation ends and reaps it.
final class ChildProcess {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let process: ServerProcess
  private let output: FileDescriptorLines

  init(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    let ends = try ServerProcess.pipe()
    defer { close(ends.writing) }
    output = FileDescriptorLines(ends.reading)
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process = try ServerProcess(
      [path] + arguments, environment: variables.map { "\($0)=\($1)" },
      standardOutput: ends.writing, standardError: ends.writing)
  }

  /// Returns the next line of the program's output; nil at its end.
  func line() throws -> String? { try output.next() }

  /// Waits for the program to end by itself.
  ///
  /// - Returns: Its exit code, or the signal that ended it as a negative number.
  func wait() -> Int32 { process.wait() }

  /// Sends SIGTERM until the program ends, and returns as ``wait()`` does.
  func terminate() -> Int32 { process.stop(SIGTERM, isRepeated: true) }
}
