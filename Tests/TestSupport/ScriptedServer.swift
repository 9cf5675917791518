import Foundation
import Glibc

/// A TCP server on a free port of 127.0.0.1 that answers each connection with the same bytes,
/// whatever the client asks. Deallocation ends it.
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

  package let port: Int
  private let listener: Int32
  private let lock = NSLock()
  // SAFETY: accessed under the lock.
  nonisolated(unsafe) private var count = 0

  package init(_ answer: Answer) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    self.listener = listener
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        _ = bind(listener, raw, length)
        _ = listen(listener, 64)
        _ = getsockname(listener, raw, &length)
      }
    }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { [weak self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { break }
        self?.countOne()
        Thread.detachNewThread { Self.serve(client, answer) }
      }
      close(listener)
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  /// The number of connections that were accepted.
  package var accepted: Int { lock.withLock { count } }

  private func countOne() { lock.withLock { count += 1 } }

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
