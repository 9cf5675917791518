import AsyncLocation

/// Formats measurements for display, in the units of pictures. Pure.
enum PictureText {
  /// A number of things, such as `1 gap` or `2 gaps`.
  static func counted(_ count: Int, _ name: String) -> String {
    "\(count) \(name)\(count == 1 ? "" : "s")"
  }

  static func length(_ metres: Double) -> String {
    guard metres >= 1000 else { return FixedText.decimal(metres, 0) + " m" }
    return FixedText.decimal(metres / 1000, metres < 99_950 ? 1 : 0) + " km"
  }

  static func speed(_ metresPerSecond: Double) -> String {
    FixedText.decimal(metresPerSecond * 3.6, 1) + " km/h"
  }

  static func altitude(_ metres: Double) -> String { FixedText.decimal(metres, 0) + " m" }

  static func duration(_ duration: Duration) -> String {
    self.duration(seconds: duration / .seconds(1))
  }

  /// A duration in its two greatest units.
  static func duration(seconds: Double) -> String {
    let total = Int(max(0, min(1e12, seconds)).rounded())
    let (days, hours) = (total / 86_400, total / 3600 % 24)
    let (minutes, rest) = (total / 60 % 60, total % 60)
    if days > 0 { return "\(days) d \(hours) h" }
    if hours > 0 { return "\(hours) h \(two(minutes)) min" }
    if minutes > 0 { return "\(minutes) min \(two(rest)) s" }
    return "\(rest) s"
  }

  static func coordinate(_ coordinate: Coordinate) -> String {
    AngleText.label(coordinate.latitude, isLatitude: true, 5) + ", "
      + AngleText.label(coordinate.longitude, isLatitude: false, 5)
  }

  /// A text, shortened to at most a number of characters.
  static func shortened(_ text: String, to count: Int) -> String {
    text.count <= count ? text : text.prefix(count - 1) + "…"
  }

  /// A number with at least two digits.
  private static func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
}
