import AsyncLocation
package import FoundationEssentials

/// Reads the header `Retry-After`: a number of seconds or a date (RFC 9110).
package enum RetryAfter {
  /// The maximum wait; longer ones are limited to it.
  package static let longest = Duration.seconds(86_400)

  /// Returns the time to wait before the next request; nil if the header is absent or invalid, or
  /// if the time has passed.
  ///
  /// - Parameters:
  ///   - value: The header `Retry-After`.
  ///   - sent: The header `Date`. If `value` is a date, the wait is counted from this time, because
  ///     the server's clock may be wrong.
  ///   - received: The local time of the answer, used if `sent` is absent or invalid.
  package static func wait(_ value: String?, sent: String?, received: Date) -> Duration? {
    guard let value else { return nil }
    let seconds: Double
    if !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      seconds = Double(value) ?? .infinity
    } else if let until = date(value) {
      seconds = until.timeIntervalSince(sent.flatMap(date) ?? received)
    } else {
      return nil
    }
    guard seconds > 0 else { return nil }
    return seconds < 86_400 ? ExactSeconds.duration(seconds) : longest
  }

  /// Reads an HTTP date in one of its three formats; nil for any other text. The weekday is not
  /// checked.
  ///
  ///     Sun, 06 Nov 1994 08:49:37 GMT
  ///     Sunday, 06-Nov-94 08:49:37 GMT
  ///     Sun Nov  6 08:49:37 1994
  package static func date(_ text: String) -> Date? {
    guard text.utf8.count <= 40 else { return nil }
    let parts = text.split { " ,-".contains($0) }
    let fields: (day: Substring, month: Substring, year: Substring, time: Substring)
    switch parts.count {
    case 6 where parts[5] == "GMT": fields = (parts[1], parts[2], parts[3], parts[4])
    case 5: fields = (parts[2], parts[1], parts[4], parts[3])
    default: return nil
    }
    let clock = fields.time.split(separator: ":", omittingEmptySubsequences: false)
    guard clock.count == 3, let hour = number(clock[0]), let minute = number(clock[1]),
      let second = number(clock[2]), hour < 24, minute < 60, second <= 60,
      let month = months.firstIndex(of: String(fields.month)).map({ $0 + 1 }),
      let day = number(fields.day), let year = year(fields.year),
      let days = CivilTime.day(year: year, month: month, day: day)
    else { return nil }
    return CivilTime.date(
      seconds: days * 86_400 + hour * 3600 + minute * 60 + second, nanoseconds: 0)
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Reads a year since 1970. Years of two digits are in 1970...2069.
  private static func year(_ text: Substring) -> Int? {
    guard let number = number(text) else { return nil }
    switch text.utf8.count {
    case 2: return number < 70 ? 2000 + number : 1900 + number
    case 4 where number >= 1970: return number
    default: return nil
    }
  }

  /// Reads a number of one to four digits.
  private static func number(_ text: Substring) -> Int? {
    guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int(text)
  }
}
