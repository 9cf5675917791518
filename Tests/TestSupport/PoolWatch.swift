import AsyncLocation
import Dispatch
import Foundation
import Testing

/// Measures how long the cooperative pool leaves a job waiting, and fails the run if what runs on it
/// holds all of its threads for more than a second.
///
/// The time in which the system had no core for the threads does not count, so that a busy machine
/// changes nothing. It is in `/proc/self/task/*/schedstat`; without this file nothing is measured.
final class PoolWatch: Sendable {
  private static let limit = Duration.seconds(1)
  private static let pause = DispatchTimeInterval.milliseconds(50)
  /// The folders of the threads of the pool that were seen.
  private let threads = Locked(Set<String>())

  /// Begins the watch, once for the process.
  static let begin: Void = {
    if delay(of: thread) != nil { Thread.detachNewThread { PoolWatch().watch() } }
  }()

  private func watch() {
    let never = DispatchSemaphore(value: 0)
    // System clock: less the time without a core.
    let clock = ContinuousClock()
    let own = Self.thread
    // At first the runner begins thousands of tests.
    var isWarm = false
    while true {
      let threads = threads.withLock(\.self)
      let answered = DispatchSemaphore(value: 0)
      let mark = {
        (
          RunningTests.shared.names, RunningTests.shared.changes,
          Dictionary(
            uniqueKeysWithValues: threads.union([own]).map { ($0, Self.delay(of: $0) ?? .zero) }),
          clock.now
        )
      }
      var (names, changes, delays, begun) = mark()
      // That of the tests: each priority has threads of its own.
      Task.detached(priority: .medium) { [self] in
        self.threads.withLock { _ = $0.insert(Self.thread) }
        answered.signal()
      }
      while answered.wait(timeout: .now() + Self.pause) == .timedOut {
        // A test that begins or ends is progress: the job waits behind others.
        if RunningTests.shared.changes != changes { (names, changes, delays, begun) = mark() }
      }
      let span = clock.now - begun
      if isWarm, span > Self.limit {
        let excused = { (thread: String) in
          (Self.delay(of: thread) ?? .zero) - (delays[thread] ?? .zero)
        }
        let deaf = span - (threads.map(excused).max() ?? .zero) - excused(own)
        if deaf > Self.limit { report(deaf, of: span, during: names) }
      }
      isWarm = true
      _ = never.wait(timeout: .now() + Self.pause)
    }
  }

  private func report(_ deaf: Duration, of span: Duration, during names: [String]) {
    Issue.record(
      """
      The cooperative pool ran nothing for \(deaf), in \(span). These \(names.count) tests ran before:
      \(names.joined(separator: "\n"))
      """)
  }

  /// The folder of the calling thread below `/proc`.
  private static var thread: String {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")) ?? ""
  }

  /// The time that a thread has been ready to run without a core; nil if the system does not say.
  private static func delay(of thread: String) -> Duration? {
    guard let text = try? String(contentsOfFile: "/proc/\(thread)/schedstat", encoding: .utf8)
    else { return nil }
    let fields = text.split(separator: " ")
    guard fields.count > 1, let nanoseconds = Int64(fields[1]) else { return nil }
    return .nanoseconds(nanoseconds)
  }
}
