import FoundationEssentials
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct CivilTimeTests {
  static let days: [(year: Int, month: Int, day: Int, days: Int)] = [
    (1970, 1, 1, 0), (1970, 1, 2, 1), (1969, 12, 31, -1), (2000, 3, 1, 11_017),
    (2001, 1, 1, 11_323), (2024, 2, 29, 19_782), (1, 1, 1, -719_162), (0, 3, 1, -719_468),
    (9999, 12, 31, 2_932_896), (-1, 12, 31, -719_529), (-400, 3, 1, -865_565),
  ]

  @Test(arguments: days)
  func daysConvertToAndFromDates(_ year: Int, _ month: Int, _ day: Int, _ days: Int) {
    #expect(CivilTime.days(year: year, month: month, day: day) == days)
    #expect(CivilTime.date(days: days) == (year, month, day))
  }

  /// The first and the last day of every month, from the year -400 (401 BC) to the year 10000.
  @Test(.longWork) func consecutiveMonthsHaveConsecutiveDays() {
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    var days = CivilTime.days(year: -400, month: 1, day: 1)
    var wrong = 0
    for year in -400...10_000 {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      for (month, length) in zip(1...12, lengths) {
        let last = month == 2 && isLeap ? 29 : length
        let isInRange = (1...9999).contains(year)
        let first = CivilTime.day(year: year, month: month, day: 1)
        if first != (isInRange ? days : nil) { wrong += 1 }
        if (CivilTime.day(year: year, month: month, day: last) != nil) != isInRange { wrong += 1 }
        for day in [0, last + 1] where CivilTime.day(year: year, month: month, day: day) != nil {
          wrong += 1
        }
        for day in [1, last] {
          let count = days + day - 1
          if CivilTime.days(year: year, month: month, day: day) != count { wrong += 1 }
          if CivilTime.date(days: count) != (year, month, day) { wrong += 1 }
        }
        days += last
      }
    }
    #expect(wrong == 0)
  }

  @Test func datesSplitIntoSecondsAndNanoseconds() {
    for (interval, seconds, nanoseconds) in [
      (0.0, 978_307_200, 0), (0.5, 978_307_200, 500_000_000), (-0.5, 978_307_199, 500_000_000),
      (-978_307_200, 0, 0), (-978_307_200.25, -1, 750_000_000),
      (-1e-20, 978_307_200, 0), (0.999_999_999_9, 978_307_201, 0),
    ] {
      let split = CivilTime.split(Date(timeIntervalSinceReferenceDate: interval))
      #expect(split == (seconds, nanoseconds), "\(interval)")
    }
    let date = CivilTime.date(seconds: 978_307_201, nanoseconds: 250_000_000)
    #expect(date == Date(timeIntervalSinceReferenceDate: 1.25))
  }
}
