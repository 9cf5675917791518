import Foundation
import Glibc

/// A TCP server on a free port of 127.0.0.1 that answers each connection in the same way, whatever
/// the client sends. Deallocation ends it.
package final class ScriptedServer: Sendable {
  package enum Answer: Sendable {
    /// Closes each connection at once.
    case close
    /// Sends bytes once the client has sent something, and waits until the client closes.
    case send([UInt8])
    /// Sends bytes once the client has sent something, and closes.
    case sendAndClose([UInt8])
    /// Reads, and never answers.
    case silence
  }

  package var port: Int { listener.port }
  private let listener = Listener()
  private let lock = NSLock()
  // SAFETY: accessed under the lock.
  nonisolated(unsafe) private var count = 0

  package init(_ answer: Answer) {
    listener.accept { [weak self] client in
      self?.countConnection()
      Thread.detachNewThread { Self.serve(client, answer) }
    }
  }

  deinit { listener.stop() }

  /// The number of connections that were accepted.
  package var accepted: Int { lock.withLock { count } }

  private func countConnection() { lock.withLock { count += 1 } }

  private static func serve(_ client: Int32, _ answer: Answer) {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    func receive() -> Bool { recv(client, &buffer, buffer.count, 0) > 0 }
    func send(_ bytes: [UInt8]) { _ = Glibc.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
    switch answer {
    case .close: break
    case .send(let bytes):
      guard receive() else { break }
      send(bytes)
      while receive() {}
    case .sendAndClose(let bytes): if receive() { send(bytes) }
    case .silence: while receive() {}
    }
    close(client)
  }
}
