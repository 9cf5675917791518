import AsyncLocation
package import FoundationEssentials

/// Assigns dates to the times of day of sentences. Pure.
///
/// Only RMC and ZDA have a date. A time without a date belongs to the day of the previous time, or
/// to the next day after midnight. A valid date is trusted from 1999-08-29 on: the second era of
/// GPS began on 1999-08-22, and a receiver that has lost its week number counts from the first week
/// of the era. A receiver that assumes a wrong era is wrong by a multiple of 1,024 weeks; of two
/// dates that differ by that much, the later one is right.
package struct NMEAClock: Hashable, Sendable {
  /// The trusted dates, in days since 1970.
  private let trusted: ClosedRange<Int>
  private static let era = 1024 * 7
  private static let halfDay = 43_200.0
  /// Sentences of one cycle may be out of order by this much, in seconds.
  private static let reordering = 60.0

  private var day: Int?
  private var timeOfDay = 0.0

  /// - Parameter today: Days since 1970. Dates of the next ten years are trusted, since a simulator
  ///   may use them.
  init(today: Int) {
    let first = CivilTime.days(year: 1999, month: 8, day: 29)
    trusted = first...max(first, today + 3653)
  }

  /// Whether a date is known.
  var isDated: Bool { day != nil }

  /// Days since 1970 of a stated date; nil if it cannot be trusted.
  func trustedDay(_ day: Int?) -> Int? {
    guard let day, trusted.contains(day) else { return nil }
    if let last = self.day, day < last, Self.isOtherEra(last - day) { return nil }
    return day
  }

  /// Assigns a date to a time.
  ///
  /// - Parameters:
  ///   - timeOfDay: Seconds after midnight.
  ///   - stated: The trusted date of the same sentence or epoch, if there is one.
  /// - Returns: Seconds since 1970; nil while the date is not known.
  mutating func date(_ timeOfDay: Double, stated: Int?) -> Double? {
    if let stated {
      (day, self.timeOfDay) = (stated, timeOfDay)
      return Double(stated) * 86_400 + timeOfDay
    }
    guard let day else { return nil }
    let step = timeOfDay - self.timeOfDay
    let next: Int
    if step < -Self.halfDay {
      next = day + 1
    } else if step < -Self.reordering {
      // The recording was interrupted, or its parts are in another order.
      self.day = nil
      return nil
    } else if step > 86_400 - Self.reordering {
      // A late sentence of the day before.
      return Double(day - 1) * 86_400 + timeOfDay
    } else {
      next = day
    }
    // A sentence out of order does not set the clock back.
    (self.day, self.timeOfDay) = (next, max(timeOfDay, next == day ? self.timeOfDay : 0))
    return Double(next) * 86_400 + timeOfDay
  }

  /// The date of seconds since 1970, to the nearest microsecond, the precision of the sentences.
  package static func date(_ seconds: Double) -> Date {
    let whole = seconds.rounded(.down)
    let ticks = min(((seconds - whole) * 1e6).rounded(), 999_999)
    return CivilTime.date(seconds: Int(whole), nanoseconds: Int(ticks) * 1000)
  }

  /// Whether a difference of dates is a multiple of an era, to within a day.
  private static func isOtherEra(_ days: Int) -> Bool {
    let eras = (days + era / 2) / era
    return eras > 0 && abs(days - eras * era) <= 1
  }

  /// Days since 1970 of the six digits `ddmmyy`; nil for other text.
  ///
  /// - Parameter century: The century of the last ZDA. Without one, the years 80 to 99 are in the
  ///   20th.
  static func day(_ text: Substring?, century: Int?) -> Int? {
    guard let text, text.utf8.count == 6, text.utf8.allSatisfy(\.isDigit),
      let number = Int(text)
    else { return nil }
    let year = number % 100
    return CivilTime.day(
      year: (century ?? (year < 80 ? 2000 : 1900)) + year, month: number / 100 % 100,
      day: number / 10_000)
  }
}
