import AsyncLocation
import Foundation
import Glibc

/// A program of this package that writes files, as a child process that a test may kill.
///
/// Calls wait for the process on threads of their own, since a disk may be slow.
package final class WriterProcess: Sendable {
  private let process = Process()
  private let output = Pipe()
  private let input = Pipe()
  private let buffer = Locked<[UInt8]>([])

  /// - Parameters:
  ///   - program: The name of a program in the folder of the test program.
  ///   - umask: The file mode creation mask, in octal digits.
  package init(_ program: String, _ arguments: [String], umask: String = "022") throws {
    let testProgram = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let path = testProgram.deletingLastPathComponent().appendingPathComponent(program).path
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "umask $0; exec \"$@\"", umask, path] + arguments
    process.standardOutput = output
    process.standardInput = input
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  /// Waits for the next line; nil at the end of the output.
  package func line() async -> String? { await onThread { self.nextLine() } }

  private func nextLine() -> String? {
    while true {
      let line = buffer.withLock { buffer -> String? in
        guard let end = buffer.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { buffer.removeFirst(end + 1) }
        return String(decoding: buffer[..<end], as: UTF8.self)
      }
      if let line { return line }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      buffer.withLock { $0 += more }
    }
  }

  /// Kills the process with SIGKILL.
  package func kill() { Glibc.kill(process.processIdentifier, SIGKILL) }

  /// Closes the process's input, and returns the remaining lines after the end of the process.
  package func finish() async -> [String] {
    await onThread { [self] in
      try? input.fileHandleForWriting.close()
      var lines: [String] = []
      while let line = nextLine() { lines.append(line) }
      process.waitUntilExit()
      return lines
    }
  }
}
