package import AsyncLocation
import Glibc

/// Serves a drive to TCP clients as a receiver on a serial-to-network adapter would.
///
/// ``serve(_:rate:connected:until:)`` blocks the calling thread. A client receives the data sent
/// after it connects. A client that does not read is disconnected without affecting others.
package struct FeedServer: ~Copyable {
  /// The bound address in numeric form.
  package let host: String
  package let port: UInt16
  private let listener: Int32

  /// The maximum number of buffered bytes per client: some minutes of a drive.
  private static let capacity = 256 * 1024
  /// The interval at which a waiting server checks whether it should stop, in milliseconds.
  private static let stopCheckInterval: Int32 = 250
  /// The time that clients have to read the end of a drive.
  private static let finalReadTime = Duration.seconds(5)

  private struct Client {
    let descriptor: Int32
    var pending: [UInt8] = []
  }

  /// Creates a server that listens for connections.
  ///
  /// - Parameters:
  ///   - host: A numeric IPv4 address.
  ///   - port: 0 for any free port; see ``port``.
  /// - Throws: ``LocationError`` when the address is malformed or cannot be bound.
  package init(host: String = "127.0.0.1", port: UInt16 = 0) throws(LocationError) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else {
      throw LocationError(
        .invalidValue, "'\(host)' is not a numeric IPv4 address such as 127.0.0.1.")
    }
    let descriptor = socket(
      AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Self.failure("open a socket") }
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    var reuse: Int32 = 1
    setsockopt(
      descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        if bind(descriptor, address, length) != 0 { return Int32(-1) }
        if listen(descriptor, 16) != 0 { return Int32(-1) }
        return getsockname(descriptor, address, &length)
      }
    }
    guard status == 0 else {
      let failure = Self.failure("listen on \(host):\(port)")
      close(descriptor)
      throw failure
    }
    listener = descriptor
    self.host = host
    self.port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(listener) }

  /// Waits for the first client, then sends the drive. After the end of the drive, returns when all
  /// data is sent, or after five seconds.
  ///
  /// - Parameters:
  ///   - rate: The speed relative to the recording; above 0.
  ///   - connected: Called when a client was accepted.
  ///   - shouldStop: Called at least four times a second; returning true ends the call immediately.
  package consuming func serve(
    _ schedule: FeedSchedule, rate: Double = 1, connected: () -> Void = {},
    until shouldStop: () -> Bool = { false }
  ) {
    var schedule = schedule
    var clients: [Client] = []
    defer { for client in clients { close(client.descriptor) } }
    let clock = ContinuousClock()
    var start: ContinuousClock.Instant?
    var end: ContinuousClock.Instant?
    var next = schedule.next()
    while !shouldStop() {
      if let begun = start {
        if let due = next, begun + due.offset / rate <= clock.now {
          for index in clients.indices { clients[index].pending += due.bytes }
          next = schedule.next()
          if next == nil { end = clock.now + Self.finalReadTime }
        }
      }
      send(to: &clients)
      if let end, end <= clock.now || clients.allSatisfy(\.pending.isEmpty) { return }
      let wait = next.flatMap { due in start.map { $0 + due.offset / rate - clock.now } }
      if poll(&clients, for: wait) { connected() }
      if start == nil, !clients.isEmpty { start = clock.now }
    }
  }

  /// Sends data that clients accept without blocking; disconnects clients that have left or are too
  /// slow.
  private func send(to clients: inout [Client]) {
    for index in clients.indices.reversed() {
      var isGone = false
      while !clients[index].pending.isEmpty {
        let descriptor = clients[index].descriptor
        let sent = clients[index].pending.withUnsafeBytes { bytes in
          Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
        guard sent >= 0 else {
          if errno == EINTR { continue }
          isGone = errno != EAGAIN
          break
        }
        clients[index].pending.removeFirst(sent)
      }
      if isGone || clients[index].pending.count > Self.capacity {
        close(clients.remove(at: index).descriptor)
      }
    }
  }

  /// Waits until data is due or a socket is ready; accepts clients, discards their input, and
  /// removes clients that hung up.
  ///
  /// - Returns: True when a client was accepted.
  private func poll(_ clients: inout [Client], for wait: Duration?) -> Bool {
    let milliseconds = wait.map { Int32(clamping: Int64(($0 / .milliseconds(1)).rounded(.up))) }
    var polled = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
    for client in clients {
      let events = client.pending.isEmpty ? POLLIN : POLLIN | POLLOUT
      polled.append(pollfd(fd: client.descriptor, events: Int16(events), revents: 0))
    }
    let timeout = min(max(milliseconds ?? Self.stopCheckInterval, 0), Self.stopCheckInterval)
    guard Glibc.poll(&polled, nfds_t(polled.count), timeout) > 0 else { return false }
    for index in clients.indices.reversed()
    where polled[index + 1].revents & Int16(POLLIN | POLLERR | POLLHUP) != 0
      && hasHungUp(clients[index].descriptor)
    {
      close(clients.remove(at: index).descriptor)
    }
    guard polled[0].revents != 0 else { return false }
    let descriptor = accept(listener, nil, nil)
    guard descriptor >= 0 else { return false }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    clients.append(Client(descriptor: descriptor))
    return true
  }

  /// Discards input from a client, because gpsd probes its receivers. Returns true if the client
  /// hung up.
  private func hasHungUp(_ descriptor: Int32) -> Bool {
    var scratch = [UInt8](repeating: 0, count: 1024)
    let count = recv(descriptor, &scratch, scratch.count, 0)
    return count == 0 || count < 0 && errno != EAGAIN && errno != EINTR
  }

  private static func failure(_ operation: String) -> LocationError {
    let reason = String(cString: strerror(errno))
    return LocationError(.backendUnavailable, "Could not \(operation): \(reason).")
  }
}
