import AsyncLocation

/// Detects a source that is silent for too long.
actor Watchdog {
  private let stopwatch: Stopwatch
  private var lastFed: Duration

  init(_ clock: any Clock<Duration>) {
    stopwatch = Stopwatch(clock)
    lastFed = .zero
  }

  func feed() { lastFed = stopwatch.now }

  /// Returns when the watchdog has not been fed for `timeout`.
  func expire(after timeout: Duration) async throws {
    while lastFed + timeout > stopwatch.now {
      try await stopwatch.sleep(until: lastFed + timeout)
    }
  }
}
