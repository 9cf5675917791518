import AsyncLocation
import Glibc

/// The service manager that started the tool and wants to be notified, such as systemd for a unit
/// with `Type=notify`.
///
/// Each notification is a datagram. Sending does not wait: a status or a sign of life for which the
/// socket has no room is dropped.
struct ServiceManager: Hashable, Sendable {
  /// The path of the socket; a name in Linux' abstract namespace begins with `@`.
  let socket: String
  /// How often the service says that it runs; nil without a watchdog.
  let watchdogInterval: Duration?

  /// Nil if the environment names no socket of a supported kind.
  ///
  /// - Parameter process: The identifier of this process.
  init?(_ environment: [String: String], process: pid_t) {
    guard let socket = environment["NOTIFY_SOCKET"], socket.first == "/" || socket.first == "@",
      (2...Self.longestPath).contains(socket.utf8.count)
    else { return nil }
    self.socket = socket
    let watched = environment["WATCHDOG_PID"].map { pid_t($0) == process } ?? true
    guard watched, let limit = environment["WATCHDOG_USEC"].flatMap(Int64.init), limit > 0 else {
      watchdogInterval = nil
      return
    }
    // sd_watchdog_enabled(3) recommends half of the limit.
    watchdogInterval = .microseconds(max(1, limit / 2))
  }

  /// `sun_path` has 108 bytes, the last of which is zero.
  private static let longestPath = 107

  /// Sends a notification. A manager that waits for one would otherwise end the service, so one of
  /// the state is sent again for up to five seconds while the socket has no room.
  func notify(_ notification: ServiceNotification) {
    guard !send(notification), notification.isOfState else { return }
    Task {
      for _ in 0..<50 where !Task.isCancelled {
        try? await Task.sleep(for: .milliseconds(100))
        if send(notification) { return }
      }
    }
  }

  /// Returns false if the socket has no room.
  private func send(_ notification: ServiceNotification) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { path in
      path.copyBytes(from: socket.utf8)
      if path[0] == UInt8(ascii: "@") { path[0] = 0 }
    }
    let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + socket.utf8.count
    let descriptor = Glibc.socket(
      AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    let bytes = Array(notification.text.utf8)
    let sent = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(
          descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), $0,
          socklen_t(length))
      }
    }
    return sent >= 0 || errno != EAGAIN
  }

  /// Says that the service runs, until cancelled. Returns at once without a watchdog.
  func keepAlive(_ clock: any Clock<Duration>) async {
    guard let watchdogInterval else { return }
    let stopwatch = Stopwatch(clock)
    while !Task.isCancelled {
      notify(.alive)
      try? await stopwatch.sleep(until: stopwatch.now + watchdogInterval)
    }
  }
}
