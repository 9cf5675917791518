package import FoundationEssentials

/// The package's text format for times: ISO 8601, UTC, with three, six or nine fractional digits.
package enum Timestamp {
  /// From 0001-01-01 until 10000-01-01: the years that ISO 8601 writes with four digits.
  static let range = start(ofYear: 1)..<start(ofYear: 10_000)

  /// The nearest date that ``format(_:)`` and ``parse(_:)`` round-trip exactly. Throws for a date
  /// out of range.
  package static func exact(
    _ date: Date, _ name: StaticString
  ) throws(LocationError) -> Date {
    guard range.contains(date) else {
      throw LocationError(
        .invalidValue,
        "\(name) must be in the years 1 to 9999; got \(date.timeIntervalSince1970) s since 1970.")
    }
    return rounded(date)
  }

  /// Like ``exact(_:_:)``, but clamps a date out of range. NaN becomes the first date.
  package static func nearest(_ date: Date) -> Date {
    guard date > range.lowerBound else { return range.lowerBound }
    guard date < range.upperBound else { return range.upperBound.addingTimeInterval(-1) }
    return rounded(date)
  }

  private static func rounded(_ date: Date) -> Date {
    let (seconds, nanoseconds) = CivilTime.split(date)
    return CivilTime.date(seconds: seconds, nanoseconds: nanoseconds)
  }

  private static func start(ofYear year: Int) -> Date {
    CivilTime.date(
      seconds: CivilTime.days(year: year, month: 1, day: 1) * 86_400, nanoseconds: 0)
  }

  /// Formats a date of the years 1 to 9999.
  package static func format(_ date: Date) -> String {
    let (seconds, nanoseconds) = CivilTime.split(date)
    let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
    let (year, month, day) = CivilTime.date(days: days)
    let second = seconds - days * 86_400
    // The fewest of three, six and nine digits that round-trip: most receivers report milliseconds.
    var (fraction, digits) = (nanoseconds, 9)
    for (unit, count) in [(1_000_000, 3), (1_000, 6)] {
      let rounded = (nanoseconds + unit / 2) / unit
      guard rounded < 1_000_000_000 / unit,
        CivilTime.date(seconds: seconds, nanoseconds: rounded * unit) == date
      else { continue }
      (fraction, digits) = (rounded, count)
      break
    }
    return "\(year.padded(to: 4))-\(month.padded(to: 2))-\(day.padded(to: 2))"
      + "T\((second / 3600).padded(to: 2)):\((second / 60 % 60).padded(to: 2)):\((second % 60).padded(to: 2))"
      + ".\(fraction.padded(to: digits))Z"
  }

  /// Parses the output of ``format(_:)``, with zero to nine fractional digits. Returns nil for any
  /// other text.
  package static func parse(_ text: String) -> Date? {
    let bytes = Array(text.utf8)
    func number(_ range: Range<Int>) -> Int? {
      var value = 0
      for byte in bytes[range] {
        guard byte >= 48, byte <= 57 else { return nil }
        value = value * 10 + Int(byte - 48)
      }
      return value
    }
    let separators: [(Int, UInt8)] = [(4, 45), (7, 45), (10, 84), (13, 58), (16, 58)]
    guard bytes.count >= 20, bytes.last == 90,
      separators.allSatisfy({ bytes[$0.0] == $0.1 }),
      let year = number(0..<4), let month = number(5..<7), let dayOfMonth = number(8..<10),
      let days = CivilTime.day(year: year, month: month, day: dayOfMonth),
      let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
      hour < 24, minute < 60, second < 60
    else { return nil }
    var nanoseconds = 0
    if bytes.count > 20 {
      guard bytes[19] == 46, bytes.count > 21, bytes.count <= 30,
        let fraction = number(20..<bytes.count - 1)
      else { return nil }
      nanoseconds = fraction
      for _ in bytes.count - 21..<9 { nanoseconds *= 10 }
    }
    return CivilTime.date(
      seconds: days * 86_400 + hour * 3600 + minute * 60 + second, nanoseconds: nanoseconds)
  }
}

extension Int {
  /// The digits of a number that is not negative, with leading zeros up to a width.
  package func padded(to width: Int) -> String {
    let digits = String(self)
    return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
  }
}
