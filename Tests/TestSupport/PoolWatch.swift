import AsyncLocation
import Dispatch
import Foundation
import Testing

/// Measures how long the cooperative pool leaves an urgent job waiting, and fails the run if what
/// runs on it holds all of its threads for more than a second.
///
/// The time in which the system had no core for the threads does not count, so that a busy machine
/// changes nothing. It is in `/proc/self/task/*/schedstat`; without this file nothing is measured.
package final class PoolWatch: Sendable {
  package static let shared = PoolWatch()

  package struct Run: Hashable, Sendable {
    fileprivate let number: Int
  }

  private struct State {
    var lastNumber = 0
    var running: [Int: String] = [:]
    /// Those that ended during the present measurement.
    var ended: [String] = []
    /// The folders of the threads of the pool that were seen.
    var threads: Set<String> = []
    var isWatching = false
  }

  private static let limit = Duration.seconds(1)
  private static let pause = DispatchTimeInterval.milliseconds(50)
  private let state = Locked(State())

  /// Called when a test begins; the first one begins the watch.
  func begin(_ test: String) -> Run {
    let (run, isFirst) = state.withLock { state in
      state.lastNumber += 1
      state.running[state.lastNumber] = test
      defer { state.isWatching = true }
      return (Run(number: state.lastNumber), !state.isWatching)
    }
    if isFirst, Self.delay(of: Self.thread) != nil { Thread.detachNewThread { self.watch() } }
    return run
  }

  func end(_ run: Run) {
    state.withLock { state in
      if let name = state.running.removeValue(forKey: run.number) { state.ended.append(name) }
    }
  }

  private func watch() {
    let never = DispatchSemaphore(value: 0)
    // System clock: less the time without a core.
    let clock = ContinuousClock()
    let own = Self.thread
    while true {
      let threads = state.withLock { state in
        state.ended = []
        return state.threads
      }
      let delays = Dictionary(
        uniqueKeysWithValues: threads.union([own]).map { ($0, Self.delay(of: $0) ?? .zero) })
      let answered = DispatchSemaphore(value: 0)
      let begun = clock.now
      // Before jobs that wait for their turn: it asks whether the threads are held.
      Task.detached(priority: .high) { [state] in
        state.withLock { _ = $0.threads.insert(Self.thread) }
        answered.signal()
      }
      answered.wait()
      let span = clock.now - begun
      if span > Self.limit {
        let excused = { (thread: String) in
          (Self.delay(of: thread) ?? .zero) - (delays[thread] ?? .zero)
        }
        let deaf = span - (threads.map(excused).max() ?? .zero) - excused(own)
        if deaf > Self.limit { report(deaf, of: span) }
      }
      _ = never.wait(timeout: .now() + Self.pause)
    }
  }

  private func report(_ deaf: Duration, of span: Duration) {
    let names = state.withLock { $0.ended + $0.running.values.sorted() }
    Issue.record(
      """
      The cooperative pool ran nothing for \(deaf), in \(span). These \(names.count) tests ran then; \
      the first ones ended meanwhile:
      \(names.prefix(20).joined(separator: "\n"))
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
