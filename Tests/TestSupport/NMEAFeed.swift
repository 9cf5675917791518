import Foundation
import Glibc

/// A TCP server that a gpsd uses as a receiver: sends epochs of NMEA as fast as they are read,
/// under the test's control. Time continues across connections, so every fix is newer than the
/// previous one. A test may also provide the epochs.
package final class NMEAFeed: Sendable {
  private final class Core: Sendable {
    private struct State {
      /// The number of further epochs that may be sent.
      var allowance = 0
      var isStopped = false
      /// The number of epochs that were sent.
      var sent = 0
    }

    // SAFETY: `state` is accessed only between `lock` and `unlock` of this condition.
    private let condition = NSCondition()
    nonisolated(unsafe) private var state = State()
    private let sequence: [[UInt8]]?

    init(_ sequence: [[UInt8]]?) { self.sequence = sequence }

    private func change(_ body: (inout State) -> Void) {
      condition.lock()
      body(&state)
      condition.broadcast()
      condition.unlock()
    }

    func setAllowance(_ count: Int) { change { $0.allowance = count } }
    func addAllowance(_ count: Int) { change { $0.allowance += count } }
    func stop() { change { $0.isStopped = true } }

    /// The next epoch, once it may be sent; nil at the end.
    func next() -> [UInt8]? {
      condition.lock()
      defer { condition.unlock() }
      while state.allowance == 0, !state.isStopped { condition.wait() }
      guard !state.isStopped, state.sent < (sequence?.count ?? NMEAFeed.length) else {
        return nil
      }
      state.sent += 1
      state.allowance -= 1
      return sequence?[state.sent - 1] ?? Array(NMEAFeed.epoch(state.sent).joined().utf8)
    }

    func serve(_ connection: Int32) {
      while let bytes = next() {
        guard Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) > 0 else { break }
      }
      close(connection)
    }
  }

  /// The number of generated epochs; the last one is before midnight.
  package static let length = 40_000

  package var port: Int { listener.port }
  private let listener = Listener(backlog: 8)
  private let core: Core

  /// A recording as one epoch.
  package convenience init(playing recording: [UInt8]) { self.init(sequence: [recording]) }

  /// Consecutive epochs; generated unless provided.
  package init(sequence: [[UInt8]]? = nil) {
    core = Core(sequence)
    listener.accept { [core] connection in
      Thread.detachNewThread { core.serve(connection) }
    }
  }

  deinit {
    core.stop()
    listener.stop()
  }

  /// Sends a number of epochs. Tests send no more than they need, because gpsd handles no client
  /// and no command while a receiver floods it, and drops slow readers.
  package func start(_ count: Int = 500) { core.setAllowance(count) }
  /// Sends more epochs.
  package func sendMore(_ count: Int) { core.addAllowance(count) }
  package func pause() { core.setAllowance(0) }

  /// One epoch of a receiver: GGA, GSA, GSV and RMC at a second after 2026-05-04 12:00 UTC.
  package static func epoch(_ second: Int) -> [String] {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let clock = two(12 + second / 3600) + two(second / 60 % 60) + two(second % 60)
    let minutes = "\(15 + second % 60 / 10).\(1000 + second % 1000)"
    return [
      "GPGGA,\(clock).00,60\(minutes),N,02430.5000,E,1,08,0.9,30.5,M,17.2,M,,",
      "GPGSA,A,3,02,04,06,09,12,17,23,25,,,,,1.8,0.9,1.5",
      "GPGSV,2,1,08,02,45,120,40,04,30,210,38,06,60,300,42,09,15,045,35",
      "GPGSV,2,2,08,12,50,080,41,17,20,150,37,23,70,250,44,25,35,330,39",
      "GPRMC,\(clock).00,A,60\(minutes),N,02430.5000,E,10.0,90.0,040526,,,A",
    ].map { body in
      let sum = body.utf8.reduce(0 as UInt8, ^)
      let digits = String(sum, radix: 16, uppercase: true)
      return "$\(body)*\(digits.count < 2 ? "0" : "")\(digits)\r\n"
    }
  }
}
