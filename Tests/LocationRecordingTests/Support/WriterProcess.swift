import Foundation
import Glibc

/// `track-writer` as a child process.
final class WriterProcess {
  private let process = Process()
  private let output = Pipe()
  private var buffer: [UInt8] = []

  /// In the folder of the test program.
  private static let program: URL = {
    let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    return own.deletingLastPathComponent().appendingPathComponent("track-writer")
  }()

  init(_ arguments: [String]) throws {
    // Without any permission of the umask, the mode of the file must be right.
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "umask 777; exec \"$@\"", "sh", Self.program.path] + arguments
    process.standardOutput = output
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

  /// Kills the process and returns its last line.
  func kill() -> String? {
    Glibc.kill(process.processIdentifier, SIGKILL)
    var last: String?
    while let line = line() { last = line }
    process.waitUntilExit()
    return last
  }
}
