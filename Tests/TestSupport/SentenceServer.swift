import AsyncLocation
import Glibc

/// A TCP server that sends text to all its clients, under the test's control.
package final class SentenceServer: Sendable {
  private let listener: Listener
  private let clients = Locked<[Int32]>([])

  package var port: Int { listener.port }

  /// - Parameter greeting: Sent to each client at once.
  package init(port: Int = 0, greeting: String = "") {
    listener = Listener(port: port)
    listener.accept { [clients] client in
      Self.send(greeting, to: client)
      clients.withLock { $0.append(client) }
    }
  }

  deinit { stop() }

  /// The number of clients that have not disconnected.
  package var clientCount: Int {
    clients.withLock { clients in
      for (index, client) in clients.enumerated().reversed() {
        var byte: UInt8 = 0
        let count = recv(client, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        guard count == 0 || count < 0 && errno != EAGAIN else { continue }
        close(client)
        clients.remove(at: index)
      }
      return clients.count
    }
  }

  /// Yields until the server has this many clients.
  package func waitForClients(_ count: Int) async {
    while clientCount < count, !Task.isCancelled { await Task.yield() }
  }

  package func send(_ text: String) {
    clients.withLock { for client in $0 { Self.send(text, to: client) } }
  }

  /// Closes the connections.
  package func drop() {
    clients.withLock { clients in
      for client in clients { close(client) }
      clients = []
    }
  }

  /// Ends the server. Connections are refused afterwards.
  package func stop() {
    listener.stop()
    drop()
  }

  private static func send(_ text: String, to client: Int32) {
    let bytes = Array(text.utf8)
    _ = Glibc.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }
}
