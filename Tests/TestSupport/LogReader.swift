import Foundation
import Glibc

/// Reads the log of a server from a pipe, so that the server never blocks on a full pipe. Keeps the
/// first 100,000 lines.
package final class LogReader: Sendable {
  private let descriptor: Int32
  private let condition = NSCondition()
  // SAFETY: accessed between `lock` and `unlock` of the condition.
  nonisolated(unsafe) private var lines: [String] = []
  nonisolated(unsafe) private var hasEnded = false

  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  package var log: [String] {
    condition.lock()
    defer { condition.unlock() }
    return lines
  }

  /// Waits until the log contains a number of matching lines.
  ///
  /// - Returns: False if the log ended before.
  package func waitForLines(_ count: Int, where isWanted: (String) -> Bool) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if lines.count(where: isWanted) >= count { return true }
      if hasEnded { return false }
      condition.wait()
    }
  }

  /// Reads on the calling thread until the log ends, and closes the descriptor.
  package func run() {
    var rest: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      rest += buffer.prefix(count)
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: rest[..<end], as: UTF8.self)
        rest.removeFirst(end + 1)
        condition.lock()
        if lines.count < 100_000 { lines.append(line) }
        condition.broadcast()
        condition.unlock()
      }
    }
    close(descriptor)
    condition.lock()
    hasEnded = true
    condition.broadcast()
    condition.unlock()
  }
}
