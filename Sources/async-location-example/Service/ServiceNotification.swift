import Glibc

/// A notification for the service manager, as in sd_notify(3).
enum ServiceNotification: Hashable, Sendable {
  /// The service has started, or has read its files again.
  case ready
  /// A line for people, such as `systemctl status` shows.
  case status(String)
  /// The service reads its files again since this time of the monotonic clock.
  case reloading(since: Duration)
  case stopping
  /// The service still runs, for a watchdog.
  case alive

  /// Whether the manager waits for it.
  var isOfState: Bool {
    switch self {
    case .ready, .reloading, .stopping: true
    case .status, .alive: false
    }
  }

  /// The assignments of the datagram.
  var text: String {
    switch self {
    case .ready: "READY=1"
    // A line break would begin another assignment.
    case .status(let line): "STATUS=" + String(line.map { $0.isNewline ? " " : $0 })
    case .reloading(let time): "RELOADING=1\nMONOTONIC_USEC=\(Int64(time / .microseconds(1)))"
    case .stopping: "STOPPING=1"
    case .alive: "WATCHDOG=1"
    }
  }
}

/// The clock that counts from the start of the system, without the time in which it was suspended.
enum MonotonicTime {
  static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
