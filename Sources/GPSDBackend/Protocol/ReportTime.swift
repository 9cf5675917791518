import AsyncLocation
import FoundationEssentials

/// Times as gpsd writes them, as seconds since 2001-01-01, UTC, which is what `Date` holds.
enum ReportTime {
  /// Seconds since 1970 of the years up to 9999.
  private static let range = 0.0...253_402_300_799
  private static let referenceDate = 978_307_200.0

  /// The beginning of 1970.
  static let epoch = -referenceDate

  /// Reads a number of seconds since 1970.
  static func seconds(since1970 seconds: Double) -> Double? {
    guard range.contains(seconds) else { return nil }
    return exact(Date(timeIntervalSinceReferenceDate: seconds - referenceDate))
  }

  /// Reads ISO 8601 in UTC with any number of digits of a second, of which nine count.
  ///
  /// A leap second, `:60`, is the second after it: a `Date` has no other name for it.
  static func seconds(_ text: ScannedText) -> Double? {
    let bytes = text.bytes
    guard bytes.count >= 20, bytes.count <= 64, !text.hasEscapes,
      bytes[bytes.count - 1] == UInt8(ascii: "Z"), let start = bytes.baseAddress,
      start[4] == UInt8(ascii: "-"), start[7] == UInt8(ascii: "-"), start[10] == UInt8(ascii: "T"),
      start[13] == UInt8(ascii: ":"), start[16] == UInt8(ascii: ":")
    else { return nil }
    var isNumeric = true
    func pair(_ offset: Int) -> Int {
      let tens = start[offset] &- UInt8(ascii: "0")
      let units = start[offset + 1] &- UInt8(ascii: "0")
      if tens > 9 || units > 9 { isNumeric = false }
      return Int(tens) &* 10 &+ Int(units)
    }
    let year = pair(0) &* 100 &+ pair(2)
    let (month, day) = (pair(5), pair(8))
    let (hour, minute, second) = (pair(11), pair(14), pair(17))
    guard isNumeric, year > 0, (1...12).contains(month), hour < 24, minute < 60, second <= 60,
      day >= 1, day <= CivilTime.daysInMonth(month, year: year)
    else { return nil }
    var nanoseconds = 0
    if bytes.count > 20 {
      guard bytes.count > 21, start[19] == UInt8(ascii: ".") else { return nil }
      var scale = 100_000_000
      for byte in bytes[20..<bytes.count - 1] {
        let digit = byte &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        nanoseconds += Int(digit) * scale
        scale /= 10
      }
    }
    let days = CivilTime.days(year: year, month: month, day: day)
    let whole = days * 86_400 + hour * 3600 + minute * 60 + second
    let date = CivilTime.date(seconds: whole, nanoseconds: nanoseconds)
    // 9999-12-31T23:59:60 would be a year that no text has.
    let interval = date.timeIntervalSinceReferenceDate
    return interval <= range.upperBound - referenceDate ? interval : nil
  }

  /// Reads the same of a text.
  static func seconds(_ text: String) -> Double? {
    var text = text
    return text.withUTF8 { seconds(ScannedText(bytes: $0, hasEscapes: false)) }
  }

  /// The nearest time that ``text(_:)`` writes exactly; nil for one outside of the years 1 to 9999.
  static func exact(_ date: Date) -> Double? {
    guard date.timeIntervalSinceReferenceDate.magnitude < 1e12 else { return nil }
    let (seconds, nanoseconds) = CivilTime.split(date)
    let exact = CivilTime.date(seconds: seconds, nanoseconds: nanoseconds)
    let first = CivilTime.days(year: 1, month: 1, day: 1) * 86_400
    guard seconds >= first, exact.timeIntervalSinceReferenceDate <= range.upperBound - referenceDate
    else { return nil }
    return exact.timeIntervalSinceReferenceDate
  }

  /// Writes a time as gpsd does, to the millisecond; with six or nine digits when it has more.
  static func text(_ seconds: Double) -> String {
    Timestamp.format(Date(timeIntervalSinceReferenceDate: seconds))
  }
}
