import AsyncLocation
import FoundationEssentials

/// Reads times and dates in the notations of many programs.
enum CalendarTime {
  /// Reads ISO 8601: a date, and a time after `T` or a space, with any fraction. A time without a
  /// time zone is in UTC. Nil for other text and for dates that do not exist.
  static func parse(_ text: Span<UInt8>) -> Date? {
    guard var scanner = DigitScanner(text), let day = scanner.date() else { return nil }
    if scanner.isAtEnd { return CivilTime.date(seconds: day * 86_400, nanoseconds: 0) }
    guard scanner.skip("T") || scanner.skip("t") || scanner.skip(" "),
      let time = scanner.time(), let zone = scanner.zone(), scanner.isAtEnd
    else { return nil }
    return CivilTime.date(
      seconds: day * 86_400 + time.seconds - zone, nanoseconds: time.nanoseconds)
  }

  static func parse(_ text: String) -> Date? { parse(text.utf8.span) }

  /// Reads a date in the order year, month, day, or with the year at the end. Returns days since
  /// 1970.
  ///
  /// With the year at the end, the order depends on the separator: with periods, the day is first;
  /// with slashes or hyphens, the day is the number above 12 if there is one.
  ///
  /// - Parameter isDayFirst: Whether the day is first in other cases; nil if unknown. The date is
  ///   then not read, unless day and month are equal.
  static func day(_ text: String, isDayFirst: Bool?) -> Int? {
    guard var scanner = DigitScanner(text.utf8.span) else { return nil }
    if let day = scanner.date(), scanner.isAtEnd { return day }
    guard var scanner = DigitScanner(text.utf8.span) else { return nil }
    return scanner.dateWithYearLast(isDayFirst: isDayFirst)
  }

  /// Reads a time of the day. Returns seconds after midnight in UTC, which may be negative or above
  /// a day if the text has an offset.
  static func timeOfDay(_ text: String) -> Double? {
    guard var scanner = DigitScanner(text.utf8.span), let time = scanner.time(),
      let zone = scanner.zone(), scanner.isAtEnd
    else { return nil }
    return ComputedNumber.rounded(
      Double(time.seconds - zone) + Double(time.nanoseconds) / 1e9)
  }

  /// Reads an offset from UTC as at the end of a time, such as `+02:00`, `-0730` or `Z`. Returns
  /// seconds, positive east of UTC.
  static func offset(_ text: String) -> Int? {
    guard !text.isEmpty, var scanner = DigitScanner(text.utf8.span), let zone = scanner.zone(),
      scanner.isAtEnd
    else { return nil }
    return zone
  }
}

/// Reads the parts of a date or a time.
private struct DigitScanner {
  private static let capacity = 64
  private var bytes = InlineArray<64, UInt8>(repeating: 0)
  private let count: Int
  private var position = 0

  /// Nil for text that is too long for a time.
  init?(_ text: Span<UInt8>) {
    let range = text.trimmedRange
    guard range.count <= Self.capacity else { return nil }
    count = range.count
    for index in range { bytes[index - range.lowerBound] = text[index] }
  }

  var isAtEnd: Bool { position == count }

  /// Skips a character. Returns false, and skips nothing, if the next character is another one.
  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard position < count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// Reads a number of `least` to `most` digits. Nil if there are fewer.
  private mutating func number(_ least: Int, _ most: Int) -> Int? {
    var (value, digits) = (0, 0)
    while digits < most, position < count, (48...57).contains(bytes[position]) {
      value = value * 10 + Int(bytes[position] - 48)
      (position, digits) = (position + 1, digits + 1)
    }
    return digits >= least ? value : nil
  }

  /// Reads a date in the order year, month, day. Returns days since 1970.
  mutating func date() -> Int? {
    // The dates in photographs (EXIF) have colons.
    guard let year = number(4, 4), skip("-") || skip("/") || skip(":"), let month = number(1, 2),
      skip("-") || skip("/") || skip(":"), let day = number(1, 2)
    else { return nil }
    return CivilTime.day(year: year, month: month, day: day)
  }

  /// Reads a date with the year at the end. Returns days since 1970; nil also if the order of day
  /// and month is unknown.
  mutating func dateWithYearLast(isDayFirst: Bool?) -> Int? {
    guard let first = number(1, 2) else { return nil }
    let hasPeriods = skip(".")
    guard hasPeriods || skip("/") || skip("-"), let second = number(1, 2),
      skip(hasPeriods ? "." : "/") || !hasPeriods && skip("-"), let year = number(4, 4), isAtEnd
    else { return nil }
    let isFirst =
      if hasPeriods || first == second || first > 12 {
        true
      } else if second > 12 {
        false
      } else {
        isDayFirst
      }
    guard let isFirst else { return nil }
    return CivilTime.day(
      year: year, month: isFirst ? second : first, day: isFirst ? first : second)
  }

  /// Reads a time of the day. Returns the seconds after midnight, and the nanoseconds.
  ///
  /// A leap second, `:60`, is read as the following second, because `Date` cannot represent it.
  mutating func time() -> (seconds: Int, nanoseconds: Int)? {
    guard let hour = number(1, 2), hour < 24, skip(":"), let minute = number(2, 2), minute < 60
    else { return nil }
    var (second, nanoseconds) = (0, 0)
    if skip(":") {
      guard let number = number(2, 2), number <= 60 else { return nil }
      second = number
      if skip(".") || skip(",") {
        var (scale, digits) = (100_000_000, 0)
        while position < count, (48...57).contains(bytes[position]) {
          nanoseconds += Int(bytes[position] - 48) * scale
          (scale, position, digits) = (scale / 10, position + 1, digits + 1)
        }
        guard digits > 0 else { return nil }
      }
    }
    return (hour * 3600 + minute * 60 + second, nanoseconds)
  }

  /// Reads a time zone. Returns seconds east of UTC; 0 at the end of the text, nil for other text.
  mutating func zone() -> Int? {
    if isAtEnd { return 0 }
    _ = skip(" ")
    if skip("Z") || skip("z") { return 0 }
    if skip("U") { return skip("T") && skip("C") ? 0 : nil }
    if skip("G") { return skip("M") && skip("T") && isAtEnd ? 0 : nil }
    let sign: Int
    if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
    guard let hour = number(2, 2), hour < 24 else { return nil }
    _ = skip(":")
    if isAtEnd { return sign * hour * 3600 }
    guard let minute = number(2, 2), minute < 60 else { return nil }
    return sign * (hour * 3600 + minute * 60)
  }
}
