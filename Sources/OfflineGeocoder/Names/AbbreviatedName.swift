/// A name whose words after the first are cut: `freiburg i br` for Freiburg im Breisgau. Pure.
struct AbbreviatedName {
  private static let space = UInt8(ascii: " ")
  /// The bytes of a first word that is looked for: many names begin with a shorter one.
  private static let shortestBeginning = 3
  /// The bytes of a word that may be missing: `am`, `der`, `sur`.
  private static let longestMissing = 3

  /// What names begin with: the first word and a space.
  let beginning: [UInt8]
  private let words: [ArraySlice<UInt8>]

  /// - Parameter key: A folded name. Nil if it has one word.
  init?(_ key: [UInt8]) {
    let words = key.split(separator: Self.space)
    guard words.count > 1, words[0].count >= Self.shortestBeginning else { return nil }
    beginning = words[0] + [Self.space]
    self.words = Array(words.dropFirst())
  }

  /// Whether a folded name has the words in this order, and nothing else than them and short ones.
  func abbreviates(_ name: [UInt8]) -> Bool {
    var rest = words[...]
    for word in name.split(separator: Self.space).dropFirst() {
      if let next = rest.first, word.starts(with: next) {
        rest.removeFirst()
      } else if word.count > Self.longestMissing {
        return false
      }
    }
    return rest.isEmpty
  }
}
