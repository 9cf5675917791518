import Dispatch
import Foundation

/// Prints the running tests and ends the test run if no test begins or ends for a long time.
///
/// A `TimeLimitTrait` only cancels the task of a test; a test that ignores it never ends.
enum HangWatch {
  /// The limit, from `ASYNC_LOCATION_HANG_LIMIT` in seconds. The default is far above the duration
  /// of any test: tests share the cores, so durations vary.
  private static let limit = Duration.seconds(
    ProcessInfo.processInfo.environment["ASYNC_LOCATION_HANG_LIMIT"].flatMap(Int.init) ?? 600)
  private static let pollSeconds = 5

  /// Begins the watch, once for the process.
  static let begin: Void = Thread.detachNewThread { watch() }

  private static func watch() {
    let unsignaled = DispatchSemaphore(value: 0)
    var changes = RunningTests.shared.changes
    var silence = Duration.zero
    // Counts the waits instead of the elapsed time, since a suspended machine is not a hang.
    while silence < limit {
      // System clock: a hung test does not advance a manual one.
      _ = unsignaled.wait(timeout: .now() + .seconds(pollSeconds))
      silence += .seconds(pollSeconds)
      let (names, current) = (RunningTests.shared.names, RunningTests.shared.changes)
      if current != changes || names.isEmpty { (changes, silence) = (current, .zero) }
    }
    let names = RunningTests.shared.names
    let lines = ["", "✘ No test began or ended for \(limit). These \(names.count) tests hang:"]
    FileHandle.standardError.write(
      Data((lines + names.map { "✘ hangs: \($0)" } + [""]).joined(separator: "\n").utf8))
    _exit(1)
  }
}
