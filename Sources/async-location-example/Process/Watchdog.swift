import AsyncLocation

/// Detects a source that is silent for too long.
actor Watchdog {
  private let stopwatch: Stopwatch
  private var lastFed: Duration
  private var isStopped = false

  init(_ clock: any Clock<Duration>) {
    stopwatch = Stopwatch(clock)
    lastFed = .zero
  }

  /// Restarts the timeout.
  func feed() { lastFed = stopwatch.now }

  /// Stops the watchdog, which then never expires.
  func stop() { isStopped = true }

  /// Returns true when the watchdog has not been fed for `timeout`, and false if it was stopped
  /// before.
  func expire(after timeout: Duration) async throws -> Bool {
    while !isStopped, lastFed + timeout > stopwatch.now {
      try await stopwatch.sleep(until: lastFed + timeout)
    }
    return !isStopped
  }
}
