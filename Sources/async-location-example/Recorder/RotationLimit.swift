/// The value of `--rotate`: a size, a duration or a distance, by its unit. Pure.
enum RotationLimit: Hashable, Sendable {
  case bytes(Int)
  case duration(Duration)
  /// In metres.
  case distance(Double)

  /// Nil unless the text is a number above 0 and below 1e9, and a unit: B, kB, MB, GB; s, min, h,
  /// d; m, km. A size must be at least one byte. Units are case-sensitive, except that `KB` is also
  /// accepted.
  init?(_ text: String) {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard let number = Double(digits), number > 0, number < 1e9 else { return nil }
    switch text[digits.endIndex...] {
    case "B": self = .bytes(Int(number))
    case "kB", "KB": self = .bytes(Int(number * 1e3))
    case "MB": self = .bytes(Int(number * 1e6))
    case "GB": self = .bytes(Int(number * 1e9))
    case "s": self = .duration(.seconds(number))
    case "min": self = .duration(.seconds(number * 60))
    case "h": self = .duration(.seconds(number * 3600))
    case "d": self = .duration(.seconds(number * 86_400))
    case "m": self = .distance(number)
    case "km": self = .distance(number * 1e3)
    default: return nil
    }
    if case .bytes(0) = self { return nil }
  }
}
