import AsyncLocation
import FoundationEssentials

/// Tells the times that a receiver can have from those that betray a lost count of weeks.
///
/// GPS counts weeks modulo 1024, so that a receiver with an old idea of the era is wrong by 19.6
/// years. Old dates as such are right: recordings are replayed through gpsd. A date that is a whole
/// count of eras before the host's is no recording but such a receiver.
///
/// A time that can be right is provisional until so many fixes in a row were three-dimensional
/// as the daemon itself waits for: before, neither the date nor the leap seconds need be known.
struct ReceiverClock {
  /// The end of GPS's first era, 1999-08-22: gpsd's reports are ten years younger, so an earlier
  /// time is that of a receiver which counts its weeks from the beginning.
  static let earliest = CivilTime.date(
    seconds: CivilTime.days(year: 1999, month: 8, day: 22) * 86_400, nanoseconds: 0)
  /// This code is no older; a host that thinks so has no clock to judge others by.
  static let plausibleHost = CivilTime.date(
    seconds: CivilTime.days(year: 2026, month: 1, day: 1) * 86_400, nanoseconds: 0)
  /// How far ahead of the host a receiver may be, ten years: gpsd itself lifts the dates of
  /// replayed recordings into the era to come.
  static let lead = 315_576_000.0
  private static let era = 1024.0 * 7 * 86_400
  private static let day = 86_400.0
  /// Seconds back in time that are no mere disorder among the reports of an epoch.
  private static let smallestJump = 1.0

  /// Times up to this one need no look at the host's clock. Of all receivers together.
  struct Horizon {
    fileprivate var latest: Date?
  }

  /// The fixes in a row that prove a clock; gpsd trusts it with the host's after as many.
  static let provingFixes = 3

  private var last: Date?
  private var lastFix: Date?
  private var fixes = 0

  /// True once the receiver has proved its clock.
  var isProved: Bool { fixes >= Self.provingFixes }

  /// Takes the accepted time of a fix, or that of one more report of the same.
  @inline(__always)
  mutating func fixed(at time: Date, isThreeDimensional: Bool) {
    guard time != lastFix else { return }
    if let lastFix {
      let step = time.timeIntervalSince(lastFix)
      // A clock that was put right has to prove itself again.
      if step <= -Self.smallestJump || step > Self.day { fixes = 0 }
    }
    lastFix = time
    guard !isProved else { return }
    fixes = isThreeDimensional ? fixes + 1 : 0
  }

  /// Begins the count anew when the clock was not proved yet.
  mutating func lostFix() {
    if !isProved { fixes = 0 }
  }

  /// Whether a time can be the receiver's; what can is remembered.
  mutating func accepts(
    _ time: Date, _ horizon: inout Horizon, hostTime: () -> Date
  ) -> Bool {
    guard time >= Self.earliest else { return false }
    if last == nil || (horizon.latest.map { time > $0 } ?? true) {
      let host = hostTime()
      if host >= Self.plausibleHost {
        let latest = host + Self.lead
        horizon.latest = latest
        guard time <= latest, !Self.isOtherEra(time.timeIntervalSince(host)) else { return false }
      }
    }
    if let last, Self.isOtherEra(time.timeIntervalSince(last)) {
      let host = hostTime()
      // One of the two is wrong. A lost era makes a time too early, never too late.
      let isBetter =
        host >= Self.plausibleHost
        ? abs(time.timeIntervalSince(host)) < abs(last.timeIntervalSince(host)) : time > last
      guard isBetter else { return false }
    }
    last = time
    return true
  }

  /// Whether a jump is one of whole eras.
  private static func isOtherEra(_ jump: Double) -> Bool {
    guard abs(jump) > era - day else { return false }
    let eras = (jump / era).rounded()
    return abs(jump - eras * era) < day
  }
}
