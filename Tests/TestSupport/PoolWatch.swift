import AsyncLocation
import Dispatch
import Foundation
import Testing

/// Measures how long a job waits for the cooperative pool, and fails the run if jobs hold all of
/// the pool's threads for more than a second.
///
/// The time in which the system had no core for a thread does not count, so that a busy machine
/// changes nothing. That time is read from `/proc/self/task/*/schedstat`; without this file,
/// nothing is measured.
final class PoolWatch: Sendable {
  #if THREAD_SANITIZER
    // ThreadSanitizer slows everything down, by a factor of ten and more.
    private static let limit = Duration.seconds(10)
  #else
    private static let limit = Duration.seconds(1)
  #endif
  private static let pause = DispatchTimeInterval.milliseconds(50)

  /// Begins the watch, once for the process.
  static let begin: Void = {
    if !delays().isEmpty { Thread.detachNewThread { PoolWatch().watch() } }
  }()

  private func watch() {
    let never = DispatchSemaphore(value: 0)
    // System clock: the time without a core is subtracted.
    let clock = ContinuousClock()
    let ownThread = Self.thread
    // The first measurement does not count, since the runner begins thousands of tests then.
    var isWarm = false
    while true {
      let answered = DispatchSemaphore(value: 0)
      let mark = {
        (RunningTests.shared.names, RunningTests.shared.changes, Self.delays(), clock.now)
      }
      var (names, changes, delays, begun) = mark()
      // Has the priority of the tests: each priority has its own threads.
      Task.detached(priority: .medium) { answered.signal() }
      // System clock: the watch polls.
      while answered.wait(timeout: .now() + Self.pause) == .timedOut {
        // A test that begins or ends is progress: the job waits behind others.
        if RunningTests.shared.changes != changes { (names, changes, delays, begun) = mark() }
      }
      let span = clock.now - begun
      if isWarm, span > Self.limit {
        // The pool's threads cannot be identified, so the longest wait of any thread for a core is
        // subtracted.
        let waits = Self.delays().map { ($0.key, $0.value - (delays[$0.key] ?? .zero)) }
        let longest = waits.lazy.filter { $0.0 != ownThread }.map(\.1).max() ?? .zero
        let stall = span - longest - (waits.first { $0.0 == ownThread }?.1 ?? .zero)
        // A core that shares caches, memory and the disk with other work is slower, too.
        if stall > Self.limit + longest {
          report(stall, of: span, during: names)
        }
      }
      isWarm = true
      // System clock: the watch polls.
      _ = never.wait(timeout: .now() + Self.pause)
    }
  }

  private func report(_ stall: Duration, of span: Duration, during names: [String]) {
    Issue.record(
      """
      The cooperative pool ran nothing for \(stall), in \(span). These \(names.count) tests ran before:
      \(names.joined(separator: "\n"))
      """)
  }

  private static var folder: String { "/proc/self/task" }

  /// The identifier of the calling thread.
  private static var thread: String? {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self"))?
      .split(separator: "/").last.map(String.init)
  }

  /// The time that each thread has been ready to run without a core; empty if the system does not
  /// report it.
  private static func delays() -> [String: Duration] {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    var delays: [String: Duration] = [:]
    for thread in threads {
      let path = "\(folder)/\(thread)/schedstat"
      guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { continue }
      let fields = text.split(separator: " ")
      guard fields.count > 1, let nanoseconds = Int64(fields[1]) else { continue }
      delays[thread] = .nanoseconds(nanoseconds)
    }
    return delays
  }
}
