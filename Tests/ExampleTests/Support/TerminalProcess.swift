import AsyncLocation
import Foundation
import Glibc
import TestSupport
import Testing

@testable import async_location_example

/// The built tool in a terminal of 80 by 24, which `script` of util-linux creates.
///
/// A shell runs a script that starts the tool; `$TOOL` is the tool's path.
final class TerminalProcess: Sendable {
  private static let command = "/usr/bin/script"
  static let isInstalled = access(command, X_OK) == 0

  private let process: ServerProcess
  private let keys: Int32
  private let output: Int32
  private let folder: RecordingFolder
  private let broker: RealBroker?
  /// Output that was read but not returned yet.
  private let rest = Locked([UInt8]())

  /// - Parameter broker: Runs as long as this value exists.
  init(_ script: String, beside broker: RealBroker? = nil) throws {
    self.broker = broker
    folder = try RecordingFolder()
    try folder.write("TOOL=\(try ChildProcess.path)\n\(script)\n", to: "run.sh")
    let fifo = folder.path + "/keys"
    guard mkfifo(fifo, 0o600) == 0 else { throw OutputError.failed(errno) }
    // Opening the FIFO for reading and writing does not wait for another process.
    keys = open(fifo, O_RDWR | O_CLOEXEC)
    let pipe = try ServerProcess.pipe()
    defer { close(pipe.writing) }
    output = pipe.reading
    process = try ServerProcess(
      [Self.command, "-qefc", "sh \(folder.path)/run.sh", "/dev/null"],
      environment: ["PATH=/usr/bin:/bin", "TERM=xterm", "LANG=C.UTF-8", "SHELL=/bin/sh"],
      standardInput: fifo, standardOutput: pipe.writing)
  }

  deinit {
    close(keys)
    close(output)
  }

  func press(_ keys: String) { _ = keys.withCString { write(self.keys, $0, strlen($0)) } }

  /// Reads until a text appears after the output that earlier calls returned.
  ///
  /// - Returns: The output since then, up to the end of the text; all of it if the tool ends first.
  @discardableResult
  func read(until wanted: String) async -> String {
    await onThread { [self] in
      var bytes = rest.withLock { exchange(&$0, with: []) }
      var chunk = [UInt8](repeating: 0, count: 4096)
      while true {
        let text = String(decoding: bytes, as: UTF8.self)
        if let range = text.range(of: wanted) {
          rest.withLock { $0 = Array(text[range.upperBound...].utf8) }
          return String(text[..<range.upperBound])
        }
        let count = Glibc.read(output, &chunk, chunk.count)
        guard count > 0 else { return text }
        bytes += chunk[..<count]
      }
    }
  }

  /// Waits for the end of the shell, and returns its exit status.
  func end() async -> Int32 { await onThread { [process] in process.wait() } }
}
