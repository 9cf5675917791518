import Foundation
import Glibc

/// `monitor-writer` as a child process.
final class WriterProcess {
  private let process = Process()
  private let output = Pipe()
  private let input = Pipe()
  private var buffer: [UInt8] = []

  /// In the folder of the test program.
  private static let program: URL = {
    let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    return own.deletingLastPathComponent().appendingPathComponent("monitor-writer")
  }()

  /// - Parameter umask: In octal digits.
  init(_ arguments: [String], umask: String = "022") throws {
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "umask $0; exec \"$@\"", umask, Self.program.path] + arguments
    process.standardOutput = output
    process.standardInput = input
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  /// Waits for the next line; nil at the end of the output.
  func line() -> String? {
    while true {
      if let end = buffer.firstIndex(of: 10) {
        let line = String(decoding: buffer[..<end], as: UTF8.self)
        buffer.removeFirst(end + 1)
        return line
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      buffer += more
    }
  }

  /// Kills the process with SIGKILL.
  func kill() { Glibc.kill(process.processIdentifier, SIGKILL) }

  /// Reads the remaining lines, and returns after the end of the process.
  func finish() -> [String] {
    try? input.fileHandleForWriting.close()
    var lines: [String] = []
    while let line = line() { lines.append(line) }
    process.waitUntilExit()
    return lines
  }
}
