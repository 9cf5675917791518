import AsyncLocation
package import FoundationEssentials

/// Decides which of a receiver's times are plausible, and rejects times that are wrong because of a
/// GPS week rollover.
///
/// GPS counts weeks modulo 1024, so a receiver that assumes the wrong era is wrong by 19.6 years.
/// Old dates are accepted, because recordings are replayed through gpsd. A date that differs from
/// the host's by a whole number of eras, give or take a day, is rejected: it is taken to come from
/// such a receiver, not from a recording.
///
/// A plausible time is provisional until ``provingFixes`` consecutive fixes were three-dimensional;
/// gpsd waits for the same number. Before that, the receiver may not have received the date or the
/// leap seconds.
package struct ReceiverClock: Sendable {
  /// The end of GPS's first era, 1999-08-22. gpsd's reports were introduced ten years later, so an
  /// earlier time comes from a receiver that counts weeks from the first era.
  static let earliest = CivilTime.date(
    seconds: CivilTime.days(year: 1999, month: 8, day: 22) * 86_400, nanoseconds: 0)
  /// A time before this code was written. A host clock that is earlier is wrong and is not used to
  /// check other clocks.
  static let plausibleHost = CivilTime.date(
    seconds: CivilTime.days(year: 2026, month: 1, day: 1) * 86_400, nanoseconds: 0)
  /// How far ahead of the host a receiver may be: ten years, in seconds. gpsd itself moves the
  /// dates of replayed recordings into the next era.
  static let lead = 315_576_000.0
  private static let era = 1024.0 * 7 * 86_400
  private static let day = 86_400.0
  /// The smallest backward step, in seconds, that counts as a correction of the clock. Reordered
  /// reports of an epoch cause smaller steps.
  private static let smallestJump = 1.0

  /// Times up to this one need no check against the host's clock. Shared by all receivers.
  package struct Horizon: Sendable {
    fileprivate var latest: Date?

    package init() {}
  }

  /// The number of consecutive fixes that prove a clock; gpsd sets the host's clock after the same
  /// number.
  static let provingFixes = 3

  /// The last plausible time.
  private var lastTime: Date?
  /// The time of the last fix.
  private var lastFix: Date?
  /// The number of consecutive three-dimensional fixes, up to ``provingFixes``.
  private var consecutiveFixes = 0

  package init() {}

  /// Whether the receiver has proved its clock.
  package var isProved: Bool { consecutiveFixes >= Self.provingFixes }

  /// Handles the accepted time of a fix, which may equal the last fix's time.
  @inline(__always)
  package mutating func fixed(at time: Date, isThreeDimensional: Bool) {
    guard time != lastFix else { return }
    if let lastFix {
      let step = time.timeIntervalSince(lastFix)
      // A corrected clock must be proved again.
      if step <= -Self.smallestJump || step > Self.day { consecutiveFixes = 0 }
    }
    lastFix = time
    guard !isProved else { return }
    consecutiveFixes = isThreeDimensional ? consecutiveFixes + 1 : 0
  }

  /// Restarts the count of fixes if the clock is not proved yet.
  package mutating func lostFix() {
    if !isProved { consecutiveFixes = 0 }
  }

  /// Returns whether a time is plausible, and stores it if it is.
  package mutating func accepts(
    _ time: Date, _ horizon: inout Horizon, hostTime: () -> Date
  ) -> Bool {
    guard time >= Self.earliest else { return false }
    if lastTime == nil || (horizon.latest.map { time > $0 } ?? true) {
      let host = hostTime()
      if host >= Self.plausibleHost {
        let latest = host + Self.lead
        horizon.latest = latest
        guard time <= latest, !Self.isOtherEra(time.timeIntervalSince(host)) else { return false }
      }
    }
    if let lastTime, Self.isOtherEra(time.timeIntervalSince(lastTime)) {
      let host = hostTime()
      // One of the two times is wrong. A missed rollover makes a time too early, never too late.
      let isBetter =
        host >= Self.plausibleHost
        ? abs(time.timeIntervalSince(host)) < abs(lastTime.timeIntervalSince(host))
        : time > lastTime
      guard isBetter else { return false }
    }
    lastTime = time
    return true
  }

  /// Returns whether a difference of two times, in seconds, is within a day of a nonzero whole
  /// number of eras.
  private static func isOtherEra(_ difference: Double) -> Bool {
    guard abs(difference) > era - day else { return false }
    let eras = (difference / era).rounded()
    return abs(difference - eras * era) < day
  }
}
