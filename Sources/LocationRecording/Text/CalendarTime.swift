import AsyncLocation
import FoundationEssentials

/// Reads times and dates as files of many programs write them.
enum CalendarTime {
  /// Reads ISO 8601: a date, and a time after `T` or a space, with any fraction. Without a time
  /// zone it is UTC. Nil for other text and for dates that do not exist.
  static func parse(_ text: some StringProtocol) -> Date? {
    var scanner = DigitScanner(text)
    guard let day = scanner.date() else { return nil }
    if scanner.isAtEnd { return CivilTime.date(seconds: day * 86_400, nanoseconds: 0) }
    guard scanner.skip("T") || scanner.skip("t") || scanner.skip(" "),
      let time = scanner.time(), let zone = scanner.zone(), scanner.isAtEnd
    else { return nil }
    return CivilTime.date(
      seconds: day * 86_400 + time.seconds - zone, nanoseconds: time.nanoseconds)
  }

  /// Reads a date in the order year, month, day; days since 1970.
  static func day(_ text: some StringProtocol) -> Int? {
    var scanner = DigitScanner(text)
    guard let day = scanner.date(), scanner.isAtEnd else { return nil }
    return day
  }

  /// Reads a time of the day in UTC; seconds after midnight.
  static func timeOfDay(_ text: some StringProtocol) -> Double? {
    var scanner = DigitScanner(text)
    guard let time = scanner.time(), let zone = scanner.zone(), scanner.isAtEnd else { return nil }
    return Double(time.seconds - zone) + Double(time.nanoseconds) / 1e9
  }
}

/// Reads fixed numbers of digits.
private struct DigitScanner {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: some StringProtocol) {
    bytes = Array(Array(text.utf8.prefix(65)).trimmed)
  }

  var isAtEnd: Bool { position == bytes.count }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// A number of one to `most` digits, at least `least`.
  private mutating func number(_ least: Int, _ most: Int) -> Int? {
    var (value, count) = (0, 0)
    while count < most, position < bytes.count, (48...57).contains(bytes[position]) {
      value = value * 10 + Int(bytes[position] - 48)
      (position, count) = (position + 1, count + 1)
    }
    return count >= least ? value : nil
  }

  mutating func date() -> Int? {
    guard let year = number(4, 4), skip("-") || skip("/"), let month = number(1, 2),
      skip("-") || skip("/"), let day = number(1, 2)
    else { return nil }
    return CivilTime.day(year: year, month: month, day: day)
  }

  /// A leap second, `:60`, is read as the following second, because `Date` cannot represent it.
  mutating func time() -> (seconds: Int, nanoseconds: Int)? {
    guard let hour = number(1, 2), hour < 24, skip(":"), let minute = number(2, 2), minute < 60
    else { return nil }
    var (second, nanoseconds) = (0, 0)
    if skip(":") {
      guard let number = number(2, 2), number <= 60 else { return nil }
      second = number
      if skip(".") || skip(",") {
        var (scale, count) = (100_000_000, 0)
        while position < bytes.count, (48...57).contains(bytes[position]) {
          nanoseconds += Int(bytes[position] - 48) * scale
          (scale, position, count) = (scale / 10, position + 1, count + 1)
        }
        guard count > 0 else { return nil }
      }
    }
    return (hour * 3600 + minute * 60 + second, nanoseconds)
  }

  /// Seconds east of UTC; 0 if there is no zone.
  mutating func zone() -> Int? {
    if isAtEnd || skip("Z") || skip("z") { return 0 }
    let sign: Int
    if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
    guard let hour = number(2, 2), hour < 24 else { return nil }
    _ = skip(":")
    if isAtEnd { return sign * hour * 3600 }
    guard let minute = number(2, 2), minute < 60 else { return nil }
    return sign * (hour * 3600 + minute * 60)
  }
}
