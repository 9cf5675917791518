/// Decides how long to wait before the next attempt: longer each time, never in step with others.
struct Backoff: Sendable {
  /// Attempts without success so far.
  private(set) var failures = 0
  private let initial: Duration
  private let maximum: Duration

  init(initial: Duration, maximum: Duration) {
    self.initial = initial
    self.maximum = maximum
  }

  mutating func succeeded() { failures = 0 }

  /// The delay after one more failure: between half and all of the span, so that a crowd of
  /// clients spreads out and yet none comes back at once.
  mutating func failed(using generator: inout some RandomNumberGenerator) -> Duration {
    let doublings = min(failures, 30)
    failures += 1
    let span = initial > maximum / (1 << doublings) ? maximum : initial * (1 << doublings)
    return span * Double.random(in: 0.5...1, using: &generator)
  }
}
