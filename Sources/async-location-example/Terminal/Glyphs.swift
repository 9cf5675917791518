/// Symbols outside ASCII, or their ASCII replacements.
struct Glyphs: Hashable, Sendable {
  let degree: String
  let minute: String
  let second: String
  let plusMinus: String
  let dot: String
  let used: String
  let ellipsis: String
  let full: String
  let empty: String
  let separator: String
  let arrow: String
  let ascending: String
  let descending: String
  let selected: String
  /// The separator between the first and the last number of a range.
  let range: String

  static let unicode = Self(
    degree: "°", minute: "′", second: "″", plusMinus: "±", dot: "●", used: "✓", ellipsis: "…",
    full: "█", empty: "░", separator: "·", arrow: "→", ascending: "↑", descending: "↓",
    selected: "▸",
    range: "–")
  static let ascii = Self(
    degree: "d", minute: "'", second: "\"", plusMinus: "+/-", dot: "*", used: "+", ellipsis: ">",
    full: "#", empty: ".", separator: "-", arrow: "->", ascending: "^", descending: "v",
    selected: ">",
    range: "-")
}
