import AsyncLocation
import Glibc
import TestSupport

/// A server that accepts one MQTT connection and reads no more of it until a test requests it. It
/// closes all later connections at once.
final class DeafBroker: Sendable {
  private let listener = Listener()
  private let first = Locked<Int32?>(nil)
  private let connections: AsyncStream<Void>
  private let connected: AsyncStream<Void>.Continuation

  var port: Int { listener.port }

  init() {
    (connections, connected) = AsyncStream.makeStream()
    listener.accept { [first, connected] connection in
      defer { connected.yield() }
      guard first.withLock({ $0 == nil }) else {
        close(connection)
        return
      }
      // A size that a program sets does not grow, so the number of unread bytes in buffers is
      // known.
      var size: Int32 = 65_536
      setsockopt(
        connection, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
      var request = [UInt8](repeating: 0, count: 4_096)
      _ = recv(connection, &request, request.count, 0)
      let acceptance: [UInt8] = [0x20, 3, 0, 0, 0]
      _ = send(connection, acceptance, acceptance.count, Int32(MSG_NOSIGNAL))
      first.withLock { $0 = connection }
    }
  }

  deinit {
    listener.stop()
    if let first = first.withLock({ $0 }) { close(first) }
  }

  /// Returns after the next connection.
  func waitForConnection() async { for await _ in connections { break } }

  /// Reads the first connection to its end. Returns the number of bytes.
  func readAll() async -> Int {
    await onThread { [first] in
      guard let first = first.withLock({ $0 }) else { return 0 }
      var buffer = [UInt8](repeating: 0, count: 65_536)
      var total = 0
      while true {
        let count = recv(first, &buffer, buffer.count, 0)
        guard count > 0 else { return total }
        total += count
      }
    }
  }
}
