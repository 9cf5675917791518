/// Determines the times of the fixes of a source on a monotonic clock.
///
/// A delayed source delivers many fixes at once, and a fast replay delivers many per second; their
/// timestamps still show the intervals between them. Timestamps that go backwards, stand still or
/// jump by more than a limit are ignored; the arrival times are used instead.
struct FixTimeline: Sendable {
  private struct Fix: Sendable {
    let arrival: Duration
    /// Seconds since 2001.
    let timestamp: Double
    let instant: Duration
  }

  /// The longest accepted step between timestamps. It should be longer than the interval of a
  /// device that reports rarely, and shorter than the error of a clock without a battery.
  private let longestStep: Duration
  private var latest: Fix?
  /// The first fix with the latest timestamp: a receiver may report several fixes with one
  /// timestamp.
  private var base: Fix?

  init(longestStep: Duration) { self.longestStep = longestStep }

  /// Adds a fix and returns its time.
  ///
  /// - Parameter arrival: The arrival time of the fix, on the manager's monotonic clock.
  mutating func add(_ location: borrowing Location, at arrival: Duration) -> Duration {
    let timestamp = location.timestampSeconds
    let expected = base.flatMap { instant(at: timestamp, after: $0) }
    let fixInstant = expected.map { max($0, latest?.instant ?? $0) } ?? instant(at: arrival)
    let fix = Fix(arrival: arrival, timestamp: timestamp, instant: fixInstant)
    latest = fix
    if base?.timestamp != timestamp { base = fix }
    return fixInstant
  }

  /// Converts an instant of the manager's clock to this timeline, relative to the latest fix.
  func instant(at arrival: Duration) -> Duration {
    guard let latest else { return arrival }
    return latest.instant.addingSaturated(
      max(.zero, arrival.subtractingSaturated(latest.arrival)))
  }

  /// The instant of a timestamp after a fix; nil if the timestamp is ignored.
  private func instant(at timestamp: Double, after fix: Fix) -> Duration? {
    let step = timestamp - fix.timestamp
    guard step > 0, step <= ExactSeconds.number(longestStep) else { return nil }
    // Rounded, because the difference of two timestamps in whole milliseconds is inexact as a
    // `Double`.
    return fix.instant.addingSaturated(.milliseconds(Int64((step * 1_000).rounded())))
  }
}
