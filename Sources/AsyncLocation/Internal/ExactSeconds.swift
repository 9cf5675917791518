/// Durations that a number of seconds names exactly: to the nanosecond, of some 35,000 years at
/// most.
enum ExactSeconds {
  private static let limit = 1 << 40

  /// The nearest duration that ``number(_:)`` and ``duration(_:)`` carry there and back.
  static func exact(_ duration: Duration) -> Duration {
    self.duration(number(duration)) ?? .zero
  }

  static func number(_ duration: Duration) -> Double {
    let bounded = min(max(duration, .seconds(-limit)), .seconds(limit))
    let (seconds, attoseconds) = bounded.components
    return Double(seconds) + Double(attoseconds) / 1e18
  }

  /// Nil for what is not finite or beyond the limit.
  static func duration(_ seconds: Double) -> Duration? {
    guard seconds.magnitude <= Double(limit) else { return nil }
    let whole = seconds.rounded(.down)
    return .seconds(Int64(whole)) + .nanoseconds(Int64(((seconds - whole) * 1e9).rounded()))
  }
}
