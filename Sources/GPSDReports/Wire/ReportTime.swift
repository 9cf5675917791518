import AsyncLocation
import FoundationEssentials
import JSONScanning

/// Converts gpsd's times to and from seconds since 2001-01-01 UTC, the representation of `Date`.
enum ReportTime {
  /// Seconds since 1970, up to the beginning of the last second of the year 9999.
  private static let range = 0.0...253_402_300_799
  /// The seconds from 1970 to 2001.
  private static let referenceDate = 978_307_200.0

  /// The beginning of 1970, in seconds since 2001.
  static let epoch = -referenceDate

  /// Converts seconds since 1970; nil before 1970 and after the year 9999.
  static func seconds(since1970 seconds: Double) -> Double? {
    guard range.contains(seconds) else { return nil }
    return exact(Date(timeIntervalSinceReferenceDate: seconds - referenceDate))
  }

  /// Reads ISO 8601 in UTC. Fractions may have up to 43 digits; nine are used.
  ///
  /// A leap second, `:60`, is read as the following second, because `Date` cannot represent it.
  static func seconds(_ text: JSONText) -> Double? {
    let bytes = text.bytes
    guard bytes.count >= 20, bytes.count <= 64, !text.hasEscapes,
      bytes[bytes.count - 1] == UInt8(ascii: "Z"), bytes[13] == UInt8(ascii: ":"),
      bytes[16] == UInt8(ascii: ":")
    else { return nil }
    guard let dayStart = dayStart(bytes), let hour = pair(bytes, 11),
      let minute = pair(bytes, 14), let second = pair(bytes, 17), hour < 24, minute < 60,
      second <= 60
    else { return nil }
    var nanoseconds = 0
    if bytes.count > 20 {
      guard bytes.count > 21, bytes[19] == UInt8(ascii: ".") else { return nil }
      var scale = 100_000_000
      for index in 20..<bytes.count - 1 {
        let digit = bytes[index] &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        nanoseconds += Int(digit) * scale
        scale /= 10
      }
    }
    let interval =
      Double(dayStart + hour * 3600 + minute * 60 + second) + Double(nanoseconds) / 1e9
    // 9999-12-31T23:59:60 would be in the year 10000, which cannot be written.
    return interval <= range.upperBound - referenceDate ? interval : nil
  }

  /// Returns the seconds from 2001-01-01 to the beginning of a day, given the eleven bytes of text
  /// such as "2026-05-04T"; nil for other text.
  static func dayStart(_ bytes: Span<UInt8>) -> Int? {
    guard bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      bytes[10] == UInt8(ascii: "T"), let century = pair(bytes, 0),
      let yearOfCentury = pair(bytes, 2), let month = pair(bytes, 5), let day = pair(bytes, 8),
      let days = CivilTime.day(year: century * 100 + yearOfCentury, month: month, day: day)
    else { return nil }
    return days * 86_400 - Int(referenceDate)
  }

  /// Reads a number of two digits; nil for other bytes.
  private static func pair(_ bytes: Span<UInt8>, _ index: Int) -> Int? {
    let tens = bytes[index] &- UInt8(ascii: "0")
    let units = bytes[index + 1] &- UInt8(ascii: "0")
    return tens < 10 && units < 10 ? Int(tens) * 10 + Int(units) : nil
  }

  /// Reads ISO 8601 from a `String`.
  static func seconds(_ text: String) -> Double? {
    seconds(JSONText(text.utf8.span))
  }

  /// Returns the nearest time that ``text(_:)`` writes exactly; nil outside of the years 1 to 9999.
  static func exact(_ date: Date) -> Double? {
    guard date.timeIntervalSinceReferenceDate.magnitude < 1e12 else { return nil }
    let (seconds, nanoseconds) = CivilTime.split(date)
    let exact = CivilTime.date(seconds: seconds, nanoseconds: nanoseconds)
    let first = CivilTime.days(year: 1, month: 1, day: 1) * 86_400
    guard seconds >= first, exact.timeIntervalSinceReferenceDate <= range.upperBound - referenceDate
    else { return nil }
    return exact.timeIntervalSinceReferenceDate
  }

  /// Formats a time as gpsd does, with milliseconds; with six or nine digits if it is more precise.
  static func text(_ seconds: Double) -> String {
    Timestamp.format(Date(timeIntervalSinceReferenceDate: seconds))
  }
}
