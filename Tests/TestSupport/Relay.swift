import Foundation
import Glibc

/// A TCP relay between a test's client and server, which can close, break and stall connections.
package final class Relay: Sendable {
  private struct State {
    var isOpen = true
    /// Whether bytes are read but not passed on, as in a network that loses every packet.
    var isDark = false
    var sockets: [SharedSocket] = []
    var accepted = 0
    var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  package var port: Int { listener.port }
  private let target: Int
  private let listener = Listener()
  private let condition = NSCondition()
  // SAFETY: accessed between `lock` and `unlock` of the condition.
  nonisolated(unsafe) private var state = State()

  /// Passes connections on to a port of 127.0.0.1.
  package init(to target: Int, isOpen: Bool = true) {
    self.target = target
    state.isOpen = isOpen
    listener.accept { [weak self] client in
      guard let self else {
        close(client)
        return
      }
      self.serve(client)
    }
  }

  deinit {
    listener.stop()
    breakAll()
  }

  private func change<Result>(_ body: (inout State) -> Result) -> Result {
    condition.lock()
    defer {
      condition.broadcast()
      condition.unlock()
    }
    return body(&state)
  }

  /// Sets whether new connections are passed on. Otherwise they are closed at once.
  package func set(open: Bool) { change { $0.isOpen = open } }

  /// Sets whether received bytes are discarded, while connections stay open.
  package func set(dark: Bool) { change { $0.isDark = dark } }

  /// The number of connections so far, with those that were closed at once.
  package var accepted: Int { change { $0.accepted } }

  /// Returns when there have been this many connections, with those that were closed at once.
  package func waitForConnections(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isMet = change { state in
        if state.accepted >= count { return true }
        state.waiters.append((count, continuation))
        return false
      }
      if isMet { continuation.resume() }
    }
  }

  /// Breaks all connections.
  package func breakAll() {
    let sockets = change { state in
      defer { state.sockets = [] }
      return state.sockets
    }
    for socket in sockets { socket.shutDown() }
  }

  /// Counts a connection. Called once ``breakAll()`` affects the connection, so that a test that
  /// waits for it can break it.
  private func countConnection() {
    let met = change { state in
      state.accepted += 1
      let count = state.accepted
      let met = state.waiters.filter { $0.count <= count }
      state.waiters.removeAll { $0.count <= count }
      return met
    }
    for waiter in met { waiter.continuation.resume() }
  }

  private func serve(_ client: Int32) {
    let isOpen = change { $0.isOpen }
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = UInt16(target).bigEndian
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        isOpen ? connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) : -1
      }
    }
    guard status == 0 else {
      close(server)
      close(client)
      countConnection()
      return
    }
    let sockets = [SharedSocket(client), SharedSocket(server)]
    change { $0.sockets += sockets }
    countConnection()
    let ends = Ends()
    for (from, to) in [(client, server), (server, client)] {
      Thread.detachNewThread { [weak self] in
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
          let count = recv(from, &buffer, buffer.count, 0)
          guard count > 0 else { break }
          guard self?.change({ $0.isDark }) == false else { continue }
          guard send(to, buffer, count, Int32(MSG_NOSIGNAL)) == count else { break }
        }
        // One direction only: bytes that a server sends before it closes still pass.
        shutdown(from, Int32(SHUT_RD))
        shutdown(to, Int32(SHUT_WR))
        if ends.countEnd() {
          self?.change { $0.sockets.removeAll { $0 === sockets[0] || $0 === sockets[1] } }
          for socket in sockets { socket.close() }
        }
      }
    }
  }

  /// Counts the ended directions of a connection.
  private final class Ends: Sendable {
    private let lock = NSLock()
    // SAFETY: accessed under the lock.
    nonisolated(unsafe) private var count = 0

    /// Counts an end, and returns whether both directions have ended.
    func countEnd() -> Bool {
      lock.withLock {
        count += 1
        return count == 2
      }
    }
  }
}
