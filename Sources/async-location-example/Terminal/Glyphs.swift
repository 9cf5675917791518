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

  static let unicode = Self(
    degree: "°", minute: "′", second: "″", plusMinus: "±", dot: "●", used: "✓", ellipsis: "…",
    full: "█", empty: "░", separator: "·", arrow: "→")
  static let ascii = Self(
    degree: "d", minute: "'", second: "\"", plusMinus: "+/-", dot: "*", used: "+", ellipsis: ">",
    full: "#", empty: ".", separator: "-", arrow: "->")
}
