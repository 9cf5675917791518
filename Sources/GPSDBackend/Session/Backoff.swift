/// Decides how long to wait before the next attempt: longer each time, never in step with others.
struct Backoff: Sendable {
  /// Attempts without success so far.
  private(set) var failures = 0
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

  init(_ reconnection: GPSDConfiguration.Reconnection) {
    let delays = reconnection.delays
    self.init(
      initial: delays?.initial ?? .zero, maximum: delays?.maximum ?? .zero,
      jitter: delays?.jitter ?? 0, attempts: delays.map { $0.attempts ?? .max } ?? 1)
  }

  /// True when one more failure is the last.
  var isExhausted: Bool { failures + 1 >= attempts }

  mutating func succeeded() { failures = 0 }

  /// The delay after one more failure: the span less a random part of it, so that a crowd of
  /// clients spreads out and yet none comes back at once.
  mutating func failed(using generator: inout some RandomNumberGenerator) -> Duration {
    let doublings = min(failures, 30)
    failures += 1
    let span = initial > maximum / (1 << doublings) ? maximum : initial * (1 << doublings)
    return span * Double.random(in: (1 - jitter)...1, using: &generator)
  }
}
