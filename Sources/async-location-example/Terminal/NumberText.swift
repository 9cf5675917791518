import AsyncLocation
import FoundationEssentials

/// Formats numbers for people.
enum NumberText {
  /// A decimal number with a fixed number of decimals, 0...9.
  static func fixed(_ value: Double, _ digits: Int) -> String {
    var scale = 1
    for _ in 0..<digits { scale *= 10 }
    let scaled = (value.magnitude * Double(scale)).rounded()
    guard scaled < 1e18 else { return "\(value)" }
    let whole = Int(scaled)
    let sign = value < 0 && whole != 0 ? "-" : ""
    guard digits > 0 else { return sign + String(whole) }
    return sign + String(whole / scale) + "." + (whole % scale).padded(to: digits)
  }

  /// As ``fixed(_:_:)``, but without decimals if the text is too wide, and as a power of ten if it
  /// still is. At a width of 6, every nonnegative number fits.
  static func fixed(_ value: Double, _ digits: Int, width: Int) -> String {
    let text = fixed(value, digits)
    guard text.utf8.count > width, value.isFinite else { return text }
    let whole = fixed(value, 0)
    guard whole.utf8.count > width || whole.contains("e") else { return whole }
    var (mantissa, exponent) = (value.magnitude, 0)
    while mantissa >= 9.5 { (mantissa, exponent) = (mantissa / 10, exponent + 1) }
    return "\(value < 0 ? "-" : "")\(Int(mantissa.rounded()))e+\(exponent)"
  }

  /// A duration, with finer units for shorter ones; a negative duration counts as zero.
  static func span(_ duration: Duration) -> String {
    let seconds = max(0, duration / .seconds(1))
    let whole = Int(min(seconds, 1e15))
    return switch whole {
    case ..<10: fixed(seconds, 1) + " s"
    case ..<60: "\(whole) s"
    case ..<3600: "\(whole / 60) min \(whole % 60) s"
    case ..<86_400: "\(whole / 3600) h \(whole % 3600 / 60) min"
    default: "\(whole / 86_400) d \(whole % 86_400 / 3600) h"
    }
  }

  /// A number of things, such as `1 location` or `2 locations`.
  static func counted(_ count: some BinaryInteger, _ name: String) -> String {
    "\(count) \(name)\(count == 1 ? "" : "s")"
  }

  /// A whole number with its digits in groups, such as `5,000`.
  static func grouped(_ number: Int) -> String {
    let digits = String(number.magnitude)
    let text = digits.enumerated().map { index, digit in
      index > 0 && (digits.count - index).isMultiple(of: 3) ? ",\(digit)" : "\(digit)"
    }.joined()
    return number < 0 ? "-" + text : text
  }

  /// Seconds for JSON, exact up to 35,000 years.
  static func seconds(_ duration: Duration) -> Double { ExactSeconds.number(duration) }

  /// A time in UTC to the millisecond: 2026-05-04T03:02:01.250Z.
  static func time(_ date: Date) -> String {
    // The format style truncates, so 0.1 ms is added to the rounded value.
    let milliseconds = (date.timeIntervalSinceReferenceDate * 1000).rounded()
    return Date(timeIntervalSinceReferenceDate: (milliseconds + 0.1) / 1000)
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}
