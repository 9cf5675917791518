import AsyncLocation
import Glibc
import TestSupport

/// A server that accepts one MQTT connection, and reads nothing after CONNECT until ``readAll()``
/// is called. It closes all later connections at once.
final class DeafBroker: Sendable {
  private let listener = Listener()
  private let openConnection = Locked<Int32?>(nil)
  private let connections: AsyncStream<Void>
  private let connectionSink: AsyncStream<Void>.Continuation

  var port: Int { listener.port }

  init() {
    (connections, connectionSink) = AsyncStream.makeStream()
    listener.accept { [openConnection, connectionSink] connection in
      defer { connectionSink.yield() }
      guard openConnection.withLock({ $0 == nil }) else {
        close(connection)
        return
      }
      // The system does not enlarge a buffer whose size is set explicitly, so the number of unread
      // bytes is limited.
      var size: Int32 = 65_536
      setsockopt(
        connection, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
      var request = [UInt8](repeating: 0, count: 4_096)
      _ = recv(connection, &request, request.count, 0)
      // CONNACK: success, without properties.
      let acceptance: [UInt8] = [0x20, 3, 0, 0, 0]
      _ = send(connection, acceptance, acceptance.count, Int32(MSG_NOSIGNAL))
      openConnection.withLock { $0 = connection }
    }
  }

  deinit {
    listener.stop()
    if let connection = openConnection.withLock({ $0 }) { close(connection) }
  }

  /// Waits for the next connection. A connection since the last call counts.
  func waitForConnection() async { for await _ in connections { break } }

  /// Reads the first connection to its end, and returns the number of bytes after CONNECT.
  func readAll() async -> Int {
    await onThread { [openConnection] in
      guard let connection = openConnection.withLock({ $0 }) else { return 0 }
      var buffer = [UInt8](repeating: 0, count: 65_536)
      var total = 0
      while true {
        let count = recv(connection, &buffer, buffer.count, 0)
        guard count > 0 else { return total }
        total += count
      }
    }
  }
}
