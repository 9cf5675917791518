import AsyncLocation

/// Detects a source that is silent for too long.
actor Watchdog {
  private let stopwatch: Stopwatch
  private var fed: Duration

  init(_ clock: any Clock<Duration>) {
    stopwatch = Stopwatch(clock)
    fed = .zero
  }

  func feed() { fed = stopwatch.now }

  /// Returns when the watchdog was not fed for `timeout`.
  func expire(after timeout: Duration) async throws {
    while fed + timeout > stopwatch.now {
      try await stopwatch.sleep(until: fed + timeout)
    }
  }
}
