/// When the fixes of a source were made, on a monotonic clock.
///
/// A source that was held up delivers many fixes at once, and a fast replay many in a second; their
/// timestamps still show how far apart they are. Timestamps that go backwards, stand still or jump
/// by more than a limit are ignored: then the arrivals count.
struct FixTimeline: Sendable {
  private struct Fix: Sendable {
    let arrival: Duration
    /// Seconds since 2001.
    let timestamp: Double
    let instant: Duration
  }

  /// Longer than the interval of a device that reports seldom, and shorter than what a clock without
  /// battery is wrong by.
  private let longestStep: Duration
  private var latest: Fix?
  /// The first fix with the last timestamp: a receiver may report several with one.
  private var base: Fix?

  init(longestStep: Duration) { self.longestStep = longestStep }

  /// Returns when a fix was made.
  ///
  /// - Parameter arrival: When it arrived, on the manager's monotonic clock.
  mutating func add(_ location: borrowing Location, at arrival: Duration) -> Duration {
    let timestamp = location.timestampSeconds
    let told = base.flatMap { instant(at: timestamp, after: $0) }
    let made = told.map { max($0, latest?.instant ?? $0) } ?? instant(at: arrival)
    let fix = Fix(arrival: arrival, timestamp: timestamp, instant: made)
    latest = fix
    if base?.timestamp != timestamp { base = fix }
    return made
  }

  /// The instant that corresponds to one of the manager's clock, after the fixes so far.
  func instant(at arrival: Duration) -> Duration {
    guard let latest else { return arrival }
    return latest.instant.addingSaturated(
      max(.zero, arrival.subtractingSaturated(latest.arrival)))
  }

  /// The instant of a timestamp that follows another; nil if it is ignored.
  private func instant(at timestamp: Double, after fix: Fix) -> Duration? {
    let step = timestamp - fix.timestamp
    guard step > 0, step <= ExactSeconds.number(longestStep) else { return nil }
    // Two timestamps of whole milliseconds differ by some more or less, as numbers.
    return fix.instant.addingSaturated(.milliseconds(Int64((step * 1_000).rounded())))
  }
}
