/// The behaviour of a backend after a transient error: its server is absent, restarted or silent.
public struct Reconnection: Sendable, Hashable {
  /// Nil for no reconnection.
  package let delays: Delays?

  /// The values of ``exponential(initial:maximum:jitter:attempts:)``.
  package struct Delays: Sendable, Hashable {
    package var initial: Duration
    package var maximum: Duration
    package var jitter: Double
    package var attempts: Int?
  }

  /// Never reconnects: the first error ends the run.
  public static var never: Self { Self(delays: nil) }

  /// Reconnects after delays that begin at `initial` and double up to `maximum`. They begin at
  /// `initial` again after a connection that lasted longer than the last delay. Each attempt looks
  /// up the host name again.
  ///
  /// - Parameters:
  ///   - initial: The first delay.
  ///   - maximum: The longest delay.
  ///   - jitter: The random part of each delay, 0...1, so that many clients of one server do not
  ///     reconnect at the same time; 0.5 yields delays between half and all of the nominal delay.
  ///   - attempts: The run ends with the last error after this many consecutive failures; nil for
  ///     no limit.
  public static func exponential(
    initial: Duration = .seconds(1), maximum: Duration = .seconds(30), jitter: Double = 0.5,
    attempts: Int? = nil
  ) -> Self {
    Self(delays: Delays(initial: initial, maximum: maximum, jitter: jitter, attempts: attempts))
  }
}

extension Reconnection {
  /// A description of the invalid value; nil if all values are valid.
  package var problem: String? {
    guard let delays else { return nil }
    let longest = Duration.seconds(1_000_000_000)  // The sum of two delays does not overflow.
    if !(.milliseconds(10)...longest).contains(delays.initial) {
      return "reconnection's initial delay must be at least 0.01 seconds and at most "
        + "\(longest), got \(delays.initial)."
    }
    if !(delays.initial...longest).contains(delays.maximum) {
      return "reconnection's maximum delay must be at least \(delays.initial) and at most "
        + "\(longest), got \(delays.maximum)."
    }
    if !(0...1).contains(delays.jitter) {
      return "reconnection's jitter must be in 0...1, got \(delays.jitter)."
    }
    if let attempts = delays.attempts, attempts < 1 {
      return "reconnection's attempts must be at least 1, got \(attempts)."
    }
    return nil
  }
}

extension Reconnection: Described {
  package var describedName: String { "exponential" }

  public var description: String { delays == nil ? "never" : listing }

  package var members: [DescribedMember] {
    guard let delays else { return [] }
    return [
      DescribedMember("initial", delays.initial),
      DescribedMember("maximum", delays.maximum),
      DescribedMember("jitter", delays.jitter),
      DescribedMember("attempts", delays.attempts),
    ]
  }
}
