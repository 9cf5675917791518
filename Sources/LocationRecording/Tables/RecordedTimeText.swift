import AsyncLocation
import FoundationEssentials

/// Assembles a time from its parts. Pure.
struct RecordedTimeText: Sendable {
  var timestamp = ""
  var date = ""
  var time = ""
  private var localDate = ""
  private var localTime = ""
  private var utcOffset = ""
  /// Whether `04/05/2026` is the fourth of May; nil if unknown. Such dates are then not understood.
  var isDayFirst: Bool?
  /// Whether an offset was set, even an empty one.
  private var hasOffsetColumn = false
  /// Whether the table has a time of day for each date, even if it is empty or not read.
  var hasTimes = false
  /// Whether previous times had offsets, so that a time without an offset is not in UTC.
  var needsOffset = false
  /// Whether the date is `yymmdd`, in this century, and the time `hhmmss`.
  var hasDigitsOnly = false
  /// The units of the columns' numbers that are in the names of the columns.
  private var units: [RecordedColumn: RecordedField.TimeUnit] = [:]

  init(timestamp: String = "", isDayFirst: Bool? = nil) {
    (self.timestamp, self.isDayFirst) = (timestamp, isDayFirst)
  }

  /// Whether a non-empty offset from UTC was set.
  var hasOffset: Bool { !utcOffset.isEmpty }

  /// Sets the part of a field from its text. Ignores fields that are not parts of a time.
  mutating func set(_ field: RecordedField, _ text: String) {
    switch field.column {
    case .timestamp: timestamp = text
    case .date: date = text
    case .time: (time, hasTimes) = (text, true)
    case .localDate: localDate = text
    case .localTime: localTime = text
    case .utcOffset: (utcOffset, hasOffsetColumn) = (text, true)
    default: return
    }
    units[field.column] = field.timeUnit
  }

  /// The time; nil if a text is not a time or not an offset from UTC, or if a necessary offset is
  /// missing.
  var value: RecordedTime? {
    if needsOffset, hasOffsetColumn, utcOffset.isEmpty, !hasLocal, !statesOffset,
      valueInUTC != .unknown
    {
      return nil
    }
    guard !utcOffset.isEmpty, !hasLocal, !statesOffset else { return valueInUTC }
    guard case .date(let date)? = valueInUTC, let offset = Self.offset(utcOffset) else {
      return timestamp.isEmpty && date.isEmpty && time.isEmpty ? .unknown : nil
    }
    return .date(date.addingTimeInterval(-offset))
  }

  /// Six digits as three pairs with a separator; nil for other text.
  private static func pairs(_ text: String, _ separator: String) -> String? {
    let digits = Array(text)
    guard digits.count == 6, digits.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
    return [0, 2, 4].map { String(digits[$0...$0 + 1]) }.joined(separator: separator)
  }

  private var hasLocal: Bool { !localDate.isEmpty || !localTime.isEmpty }

  /// Whether the time itself has an offset, or counts seconds or days.
  private var statesOffset: Bool {
    let text = timestamp.isEmpty ? time : timestamp
    guard let colon = text.firstIndex(of: ":") else { return time.isEmpty || date.isEmpty }
    return text[colon...].contains { "+-Zz".contains($0) }
  }

  /// Parses an offset: hours as in `+02:00`, `-7` or `UTC`, or a number of seconds.
  private static func offset(_ text: String) -> Double? {
    if ["UTC", "GMT"].contains(text.uppercased()) { return 0 }
    if let number = Int(text), (900...54_000).contains(number.magnitude), number % 900 == 0 {
      // Hours and minutes have a sign: +0900 is nine hours.
      guard "+-".contains(text.prefix(1)), text.count == 5 else { return Double(number) }
    }
    var text = text
    let hasOneDigit = text.dropFirst(2).first.map { $0 == ":" } ?? true
    if text.count > 1, hasOneDigit { text.insert("0", at: text.index(after: text.startIndex)) }
    guard let offset = CalendarTime.offset(text), abs(offset) < 16 * 3600 else { return nil }
    return Double(offset)
  }

  /// The time without ``utcOffset``, which applies only to the local time here.
  private var valueInUTC: RecordedTime? {
    if hasDigitsOnly, !date.isEmpty, !time.isEmpty {
      guard let date = Self.pairs(date, "-"), let time = Self.pairs(time, ":") else { return nil }
      return CalendarTime.parse("20\(date)T\(time)").map(RecordedTime.date)
    }
    if !timestamp.isEmpty {
      if let day = CalendarTime.day(date, isDayFirst: isDayFirst),
        let seconds = CalendarTime.timeOfDay(timestamp)
      {
        return .date(Self.date(day, seconds))
      }
      return instant(timestamp, .timestamp)
    }
    // A local time without an offset is used only without a time in UTC.
    if hasLocal, !utcOffset.isEmpty || time.isEmpty { return local }
    if !date.isEmpty, let day = CalendarTime.day(date, isDayFirst: isDayFirst) {
      // In a table with times, a date without a time is incomplete.
      guard !time.isEmpty else { return hasTimes ? nil : .date(Self.date(day, 0)) }
      guard let seconds = CalendarTime.timeOfDay(time) else { return instant(time, .time) }
      return .date(Self.date(day, seconds))
    }
    if !date.isEmpty, time.isEmpty { return instant(date, .date) }
    guard !time.isEmpty else { return date.isEmpty ? .unknown : nil }
    guard date.isEmpty else { return nil }
    return CalendarTime.timeOfDay(time).map(RecordedTime.timeOfDay) ?? instant(time, .time)
  }

  /// The local time, converted to UTC; nil without an offset. The sign of an offset with a colon is
  /// optional.
  private var local: RecordedTime? {
    let text = localTime.drop { $0 != ":" }
    let hasOffset = text.contains { "+-Zz".contains($0) }
    let hasSign = utcOffset.first?.isNumber == false || !utcOffset.contains(":")
    let zone = hasSign ? utcOffset : "+" + utcOffset
    guard let offset = hasOffset ? 0 : Self.offset(zone) else { return nil }
    // A local time may include its date.
    if case .date(let date)? = instant(localTime, .localTime) {
      return .date(date.addingTimeInterval(-offset))
    }
    guard let day = CalendarTime.day(localDate.isEmpty ? date : localDate, isDayFirst: isDayFirst),
      let seconds = CalendarTime.timeOfDay(localTime.isEmpty ? "00:00" : localTime)
    else { return nil }
    return .date(Self.date(day, seconds).addingTimeInterval(-offset))
  }

  /// A date and time, or a number; see ``number(_:_:)``.
  private func instant(_ text: String, _ column: RecordedColumn) -> RecordedTime? {
    if let date = CalendarTime.parse(text) { return .date(date) }
    let parts = text.split(maxSplits: 1) { " T".contains($0) }
    if parts.count == 2, let day = CalendarTime.day(String(parts[0]), isDayFirst: isDayFirst),
      let seconds = CalendarTime.timeOfDay(String(parts[1]))
    {
      return .date(Self.date(day, seconds))
    }
    // Digits such as 023519 are a time of the day.
    guard text.first != "0" || text.hasPrefix("0.") else { return nil }
    return RecordedNumber.parse(text, hasDecimalComma: true)
      .flatMap { Self.number($0, units[column]) }
  }

  /// Reads seconds or milliseconds since 1970 in the years 1973...2128, or a spreadsheet's days
  /// with a fraction since 1899-12-30 in the years 1954...2119. The ranges do not overlap. Nil for
  /// another number, such as the time since a start, and for a number that contradicts the unit of
  /// the name.
  private static func number(_ number: Double, _ unit: RecordedField.TimeUnit?) -> RecordedTime? {
    switch number {
    case 20_000..<80_000 where number != number.rounded() && unit == nil:
      // Days are written with at least six decimals, which resolve a tenth of a second.
      let seconds = ((number - 25_569) * 864_000).rounded() / 10
      return .date(date(0, seconds))
    case _ where unit == .unknown: return nil
    case 1e8..<5e9 where unit != .milliseconds: return .date(date(microseconds: number * 1e6))
    case 1e11..<5e12 where unit != .seconds: return .date(date(microseconds: number * 1e3))
    default: return nil
    }
  }

  /// The date of microseconds since 1970. Seconds in a double have no finer digits.
  private static func date(microseconds: Double) -> Date {
    let (seconds, rest) = Int(microseconds.rounded()).quotientAndRemainder(dividingBy: 1_000_000)
    return CivilTime.date(seconds: seconds, nanoseconds: rest * 1000)
  }

  /// The date of a day since 1970 and of seconds after its midnight.
  private static func date(_ day: Int, _ seconds: Double) -> Date {
    let whole = seconds.rounded(.down)
    let nanoseconds = min(((seconds - whole) * 1e9).rounded(), 999_999_999)
    return CivilTime.date(seconds: day * 86_400 + Int(whole), nanoseconds: Int(nanoseconds))
  }
}
