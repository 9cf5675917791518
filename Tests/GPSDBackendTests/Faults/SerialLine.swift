import AsyncLocation
import FaultInjection
import Glibc
import TestSupport

@testable import GPSDBackend
@testable import LocationTransport

/// A receiver's serial line, as a pair of pseudo-terminals: gpsd has one end, the test the other.
final class SerialLine: Sendable {
  /// Writes epochs to a line until it is stopped or writing fails.
  final class Writer: Sendable {
    private let isStopped = Locked(false)
    private let isDone = Locked(false)

    init(_ descriptor: Int32, from second: Int) {
      _ = NamedThread.start("serial-line") { [self] in
        for second in second... where !isStopped.withLock({ $0 }) {
          let bytes = Array(NMEAFeed.epoch(second % 30_000).joined().utf8)
          guard write(descriptor, bytes, bytes.count) > 0 else { break }
          usleep(20_000)  // System clock: gpsd separates epochs by pauses.
          if isStopped.withLock({ $0 }) { break }
        }
        isDone.withLock { $0 = true }
      }
    }

    /// Returns when the writer has stopped.
    func stop() {
      isStopped.withLock { $0 = true }
      while !isDone.withLock({ $0 }) { sched_yield() }
    }
  }

  /// The path that gpsd opens.
  let path: String
  private let descriptor: Locked<Int32>

  init?() {
    var path = [CChar](repeating: 0, count: 128)
    let end = fault_open_terminal(&path, Int32(path.count))
    guard end >= 0 else { return nil }
    self.path = String(decoding: path.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    descriptor = Locked(end)
  }

  deinit { pull() }

  /// Starts sending epochs.
  func talk(from second: Int) -> Writer { Writer(descriptor.withLock { $0 }, from: second + 1) }

  /// Unplugs the receiver.
  func pull() {
    let end = descriptor.withLock { end in
      defer { end = -1 }
      return end
    }
    if end >= 0 { close(end) }
  }
}
