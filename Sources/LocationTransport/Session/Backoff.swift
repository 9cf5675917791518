package import AsyncLocation

/// Computes the delay before the next connection attempt: exponential with random jitter.
package struct Backoff: Sendable {
  /// The number of consecutive failed attempts.
  private(set) var failures = 0
  /// The number of times that the initial delay is doubled for the next delay.
  private var doublings = 0
  /// The last delay, without its random part.
  private var span = Duration.zero
  private let initial: Duration
  private let maximum: Duration
  private let jitter: Double
  private let attempts: Int

  init(initial: Duration, maximum: Duration, jitter: Double = 0.5, attempts: Int? = nil) {
    self.initial = initial
    self.maximum = maximum
    self.jitter = jitter
    self.attempts = attempts ?? .max
  }

  package init(_ reconnection: Reconnection) {
    let delays = reconnection.delays
    self.init(
      initial: delays?.initial ?? .zero, maximum: delays?.maximum ?? .zero,
      jitter: delays?.jitter ?? 0, attempts: delays.map { $0.attempts ?? .max } ?? 1)
  }

  /// Whether the next failure uses up the allowed attempts.
  package var isExhausted: Bool { failures + 1 >= attempts }

  package mutating func succeeded() { (failures, doublings, span) = (0, 0, .zero) }

  /// Records the end of a connection that had worked. Attempts are counted from 0 again. Delays
  /// start again from the initial one only if the connection lasted longer than the last delay: a
  /// server that drops each connection immediately is contacted less and less often.
  package mutating func succeeded(for duration: Duration) {
    failures = 0
    if duration > span { succeeded() }
  }

  /// Returns the delay after one more failure. The delay doubles up to the maximum, less a random
  /// part, so that many clients do not reconnect at the same time. With a jitter below 1, no client
  /// reconnects immediately.
  ///
  /// - Parameter isTransient: False for an error that does not heal by itself; the delay is then
  ///   the maximum, less the random part.
  package mutating func failed(
    isTransient: Bool = true, using generator: inout some RandomNumberGenerator
  ) -> Duration {
    failures += 1
    let isLongest = !isTransient || initial > maximum / (1 << doublings)
    span = isLongest ? maximum : initial * (1 << doublings)
    doublings = min(doublings + 1, 30)
    return span * Double.random(in: (1 - jitter)...1, using: &generator)
  }
}
