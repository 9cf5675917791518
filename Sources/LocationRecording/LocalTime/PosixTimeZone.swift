import AsyncLocation

/// A time zone in the format of the environment variable `TZ`: POSIX.1-2017, section 8.3, with the
/// longer hours of RFC 8536, section 3.3.1. Pure.
struct PosixTimeZone: Sendable, Hashable {
  struct Daylight: Sendable, Hashable {
    let type: LocalTimeType
    /// The start of daylight time, in standard time.
    let start: YearlyTime
    /// The end of daylight time, in daylight time.
    let end: YearlyTime
  }

  let standard: LocalTimeType
  let daylight: Daylight?

  /// The local time type in force at a number of seconds since 1970.
  func type(at seconds: Int) -> LocalTimeType {
    guard let daylight else { return standard }
    // Rounded down, also before 1970.
    let day = (seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400
    let year = CivilTime.date(days: day).year
    // A transition may lie up to eight days outside its year, so all transitions of two years ago
    // have passed. If two transitions coincide, that of the later year is in force: daylight time
    // that ends when the next daylight time begins lasts all year.
    for year in (year - 2...year + 1).reversed() {
      let start = daylight.start.seconds(in: year) - standard.offset
      let end = daylight.end.seconds(in: year) - daylight.type.offset
      if start <= end {
        if end <= seconds { return standard }
        if start <= seconds { return daylight.type }
      } else {
        if start <= seconds { return daylight.type }
        if end <= seconds { return standard }
      }
    }
    return standard
  }
}

/// The day and the time of a yearly transition.
struct YearlyTime: Sendable, Hashable {
  enum Day: Sendable, Hashable {
    /// `Jn`: 1...365; February 29 is not counted.
    case withoutLeapDay(Int)
    /// `n`: 0...365; February 29 is counted.
    case withLeapDay(Int)
    /// `Mm.w.d`: the weekday 0...6 from Sunday, in the week 1...5 of a month; 5 is the last.
    case weekday(month: Int, week: Int, weekday: Int)
  }

  let day: Day
  /// Seconds after the midnight at which the day begins; may be negative or beyond the day.
  let time: Int

  /// The seconds from the local 1970-01-01 to the time in a year.
  func seconds(in year: Int) -> Int { days(in: year) * 86_400 + time }

  private func days(in year: Int) -> Int {
    switch day {
    case .withoutLeapDay(let number):
      // March 1 is the 60th day.
      number < 60
        ? CivilTime.days(year: year, month: 1, day: number)
        : CivilTime.days(year: year, month: 3, day: 1) + number - 60
    case .withLeapDay(let number):
      CivilTime.days(year: year, month: 1, day: 1) + number
    case .weekday(let month, let week, let weekday):
      Self.day(year: year, month: month, week: week, weekday: weekday)
    }
  }

  private static func day(year: Int, month: Int, week: Int, weekday: Int) -> Int {
    let first = CivilTime.days(year: year, month: month, day: 1)
    // 1970-01-01 was a Thursday.
    let firstWeekday = ((first + 4) % 7 + 7) % 7
    let day = first + (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
    let next = CivilTime.days(
      year: month == 12 ? year + 1 : year, month: month == 12 ? 1 : month + 1, day: 1)
    return day < next ? day : day - 7
  }
}
