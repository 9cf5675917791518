import Dispatch
import Foundation

/// Ends a run of tests that hangs, and prints the tests that hang.
///
/// A test that waits for ever ignores a cancellation, which is all that a `TimeLimitTrait` does.
enum HangWatch {
  /// `ASYNC_LOCATION_HANG_LIMIT` in seconds. The default is far above the duration of any test: tests
  /// share the cores, so durations vary.
  private static let limit = Duration.seconds(
    ProcessInfo.processInfo.environment["ASYNC_LOCATION_HANG_LIMIT"].flatMap(Int.init) ?? 600)
  private static let pause = 5

  /// Begins the watch, once for the process.
  static let begin: Void = Thread.detachNewThread { watch() }

  private static func watch() {
    let never = DispatchSemaphore(value: 0)
    var changes = RunningTests.shared.changes
    var silence = Duration.zero
    // Periods are counted, so that a machine that slept is no hang.
    while silence < limit {
      // System clock: the watch is for tests that hang.
      _ = never.wait(timeout: .now() + .seconds(pause))
      silence += .seconds(pause)
      let (names, present) = (RunningTests.shared.names, RunningTests.shared.changes)
      if present != changes || names.isEmpty { (changes, silence) = (present, .zero) }
    }
    let names = RunningTests.shared.names
    let lines = ["", "✘ No test began or ended for \(limit). These \(names.count) tests hang:"]
    FileHandle.standardError.write(
      Data((lines + names.map { "✘ hangs: \($0)" }).joined(separator: "\n").utf8 + [10]))
    _exit(1)
  }
}
