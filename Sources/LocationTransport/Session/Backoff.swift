package import AsyncLocation

/// Computes the delay before the next connection attempt: exponential with random jitter.
package struct Backoff: Sendable {
  /// The number of consecutive failed attempts.
  private(set) var failures = 0
  /// The number of times that the initial delay is doubled for the next delay.
  private var doublings = 0
  /// The last delay before its random reduction.
  private var lastDelay = Duration.zero
  private let initial: Duration
  private let maximum: Duration
  /// The largest random reduction of a delay, as a fraction of the delay.
  private let jitter: Double
  /// The number of consecutive failures that ends the run.
  private let attempts: Int

  init(initial: Duration, maximum: Duration, jitter: Double = 0.5, attempts: Int? = nil) {
    self.initial = initial
    self.maximum = maximum
    self.jitter = jitter
    self.attempts = attempts ?? .max
  }

  /// Without reconnection, the first failure uses up the allowed attempts.
  package init(_ reconnection: Reconnection) {
    let delays = reconnection.delays
    self.init(
      initial: delays?.initial ?? .zero, maximum: delays?.maximum ?? .zero,
      jitter: delays?.jitter ?? 0, attempts: delays.map { $0.attempts ?? .max } ?? 1)
  }

  /// Whether the next failure uses up the allowed attempts.
  package var isExhausted: Bool { failures + 1 >= attempts }

  /// Records a success. Attempts are counted from 0 again, and delays start again from the initial
  /// one.
  package mutating func succeeded() { (failures, doublings, lastDelay) = (0, 0, .zero) }

  /// Records the end of a connection that had worked. Attempts are counted from 0 again. Delays
  /// start again from the initial one only if the connection lasted longer than the last delay: a
  /// server that drops each connection immediately is contacted less and less often.
  package mutating func succeeded(for duration: Duration) {
    failures = 0
    if duration > lastDelay { succeeded() }
  }

  /// Records a failure and returns the delay before the next attempt. The delay doubles up to the
  /// maximum. A random part is subtracted, so that many clients do not reconnect at the same time.
  /// With a jitter below 1, no client reconnects immediately.
  ///
  /// - Parameter isTransient: False for an error that needs intervention; the delay is then the
  ///   maximum, less the random part.
  package mutating func failed(
    isTransient: Bool = true, using generator: inout some RandomNumberGenerator
  ) -> Duration {
    failures += 1
    let isLongest = !isTransient || initial > maximum / (1 << doublings)
    lastDelay = isLongest ? maximum : initial * (1 << doublings)
    doublings = min(doublings + 1, 30)
    return lastDelay * Double.random(in: (1 - jitter)...1, using: &generator)
  }
}
