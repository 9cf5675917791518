package import FoundationEssentials

/// Conversions between civil dates (proleptic Gregorian, UTC) and `Date`, without a calendar.
///
/// The day counts follow Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms".
package enum CivilTime {
  private static let secondsToReferenceDate = 978_307_200  // 1970-01-01 to 2001-01-01, UTC.

  /// The days from 1970-01-01 to a civil date.
  package static func days(year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// The days from 1970-01-01 to a date of the years 1 to 9999; nil if there is no such date.
  package static func day(year: Int, month: Int, day: Int) -> Int? {
    guard (1...9999).contains(year), (1...12).contains(month),
      (1...daysInMonth(month, year: year)).contains(day)
    else { return nil }
    return days(year: year, month: month, day: day)
  }

  /// The civil date a number of days after 1970-01-01.
  package static func date(days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthIndex = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthIndex + 2) / 5 + 1
    let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  private static func daysInMonth(_ month: Int, year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }

  /// A date from whole seconds since 1970 and nanoseconds in 0..<1,000,000,000.
  package static func date(seconds: Int, nanoseconds: Int) -> Date {
    Date(
      timeIntervalSinceReferenceDate: Double(seconds - secondsToReferenceDate)
        + Double(nanoseconds) / 1e9)
  }

  /// Whole seconds since 1970 and the remainder, rounded to the nearest nanosecond.
  package static func split(_ date: Date) -> (seconds: Int, nanoseconds: Int) {
    let interval = date.timeIntervalSinceReferenceDate
    let whole = interval.rounded(.down)
    let nanoseconds = Int(((interval - whole) * 1e9).rounded())
    let seconds = Int(whole) + secondsToReferenceDate
    return nanoseconds < 1_000_000_000 ? (seconds, nanoseconds) : (seconds + 1, 0)
  }

  /// The time between two dates, exact to the nanosecond, so that parts add up.
  package static func duration(from start: Date, to end: Date) -> Duration {
    let (first, last) = (split(start), split(end))
    return .seconds(last.seconds - first.seconds)
      + .nanoseconds(last.nanoseconds - first.nanoseconds)
  }
}
