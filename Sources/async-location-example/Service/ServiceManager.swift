import AsyncLocation
import Glibc

/// The service manager that started the tool and wants to be notified, such as systemd for a unit
/// with `Type=notify`.
///
/// Each notification is a datagram. Sending does not wait: a datagram for which the socket has no
/// room is dropped.
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

  func notify(_ notification: ServiceNotification) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { path in
      path.copyBytes(from: socket.utf8)
      if path[0] == UInt8(ascii: "@") { path[0] = 0 }
    }
    let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + socket.utf8.count
    let descriptor = Glibc.socket(
      AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let bytes = Array(notification.text.utf8)
    _ = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(
          descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT),
          $0, socklen_t(length))
      }
    }
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
