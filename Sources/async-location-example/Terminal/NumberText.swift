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

  /// A duration, with finer units for shorter ones; a negative duration counts as zero.
  static func span(_ duration: Duration) -> String {
    let seconds = max(0, seconds(duration))
    let whole = Int(min(seconds, 1e15))
    return switch whole {
    case ..<10: fixed(seconds, 1) + " s"
    case ..<60: "\(whole) s"
    case ..<3600: "\(whole / 60) min \(whole % 60) s"
    case ..<86_400: "\(whole / 3600) h \(whole % 3600 / 60) min"
    default: "\(whole / 86_400) d \(whole % 86_400 / 3600) h"
    }
  }

  static func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }

  /// A time in UTC to the millisecond: 2026-05-04T03:02:01.250Z.
  static func time(_ date: Date) -> String {
    // The format style truncates, so 0.1 ms is added to the rounded value.
    let milliseconds = (date.timeIntervalSinceReferenceDate * 1000).rounded()
    return Date(timeIntervalSinceReferenceDate: (milliseconds + 0.1) / 1000)
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}
