import AsyncLocation

extension PosixTimeZone {
  /// Reads a time zone such as `CET-1CEST,M3.5.0,M10.5.0/3`. Nil for other text, and for daylight
  /// time without a rule, since POSIX leaves the rule to the system.
  init?(_ text: ArraySlice<UInt8>) {
    var scanner = PosixTimeZoneScanner(text)
    guard let name = scanner.abbreviation(), let west = scanner.time(hours: 24),
      let standard = LocalTimeType(offset: -west, abbreviation: name)
    else { return nil }
    self.standard = standard
    guard !scanner.isAtEnd else {
      daylight = nil
      return
    }
    guard let name = scanner.abbreviation() else { return nil }
    var offset = standard.offset + 3600
    if !scanner.skip(",") {
      guard let west = scanner.time(hours: 24), scanner.skip(",") else { return nil }
      offset = -west
    }
    guard let type = LocalTimeType(offset: offset, abbreviation: name),
      let start = scanner.yearlyTime(), scanner.skip(","), let end = scanner.yearlyTime(),
      scanner.isAtEnd
    else { return nil }
    daylight = Daylight(type: type, start: start, end: end)
  }
}

/// Reads the parts of a POSIX time zone. A part is nil if the text does not match.
private struct PosixTimeZoneScanner {
  private var rest: ArraySlice<UInt8>

  init(_ text: ArraySlice<UInt8>) { rest = text }

  var isAtEnd: Bool { rest.isEmpty }

  /// Skips a character; returns false if another one is next.
  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  private mutating func read(while isPart: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let part = rest.prefix(while: isPart)
    rest = rest[part.endIndex...]
    return part
  }

  /// Reads at least three letters or, between `<` and `>`, letters, digits and signs.
  mutating func abbreviation() -> ArraySlice<UInt8>? {
    let isQuoted = skip("<")
    let name = read { isQuoted ? $0.isOfAbbreviation : $0.isLetter }
    guard name.count >= 3, !isQuoted || skip(">") else { return nil }
    return name
  }

  private mutating func number(in range: ClosedRange<Int>) -> Int? {
    let digits = read(while: \.isDigit)
    guard (1...3).contains(digits.count) else { return nil }
    let number = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    return range.contains(number) ? number : nil
  }

  /// Reads `[+-]h[:m[:s]]`, in seconds.
  ///
  /// - Parameter hours: The greatest number of hours.
  mutating func time(hours: Int) -> Int? {
    let sign = skip("-") ? -1 : 1
    if sign > 0 { _ = skip("+") }
    guard let hour = number(in: 0...hours) else { return nil }
    var seconds = hour * 3600
    for unit in [60, 1] {
      guard skip(":") else { break }
      guard let number = number(in: 0...59) else { return nil }
      seconds += number * unit
    }
    return sign * seconds
  }

  /// Reads `date[/time]`; the default time is 02:00.
  mutating func yearlyTime() -> YearlyTime? {
    guard let day = day() else { return nil }
    guard skip("/") else { return YearlyTime(day: day, time: 7200) }
    // RFC 8536, section 3.3.1, allows -167...167 hours, POSIX 0...24.
    return time(hours: 167).map { YearlyTime(day: day, time: $0) }
  }

  private mutating func day() -> YearlyTime.Day? {
    if skip("J") { return number(in: 1...365).map { .withoutLeapDay($0) } }
    guard skip("M") else { return number(in: 0...365).map { .withLeapDay($0) } }
    guard let month = number(in: 1...12), skip("."), let week = number(in: 1...5), skip("."),
      let weekday = number(in: 0...6)
    else { return nil }
    return .weekday(month: month, week: week, weekday: weekday)
  }
}
