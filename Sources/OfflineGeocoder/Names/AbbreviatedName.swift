/// A name whose words after the first are abbreviated, such as `freiburg i br` for Freiburg im
/// Breisgau, or that lacks short words, such as `frankfurt main`. Pure.
struct AbbreviatedName {
  private static let space = UInt8(ascii: " ")
  /// The minimum length of the first word in bytes: too many names begin with a shorter word.
  private static let shortestBeginning = 3
  /// The maximum length in bytes of a word that may be missing, such as `am`, `der` or `sur`.
  private static let longestMissing = 3

  /// The beginning of matching names: the first word and a space.
  let beginning: [UInt8]
  private let words: [ArraySlice<UInt8>]

  /// - Parameter key: A folded name. The result is nil if the name has one word, or if its first
  ///   word is too short.
  init?(_ key: [UInt8]) {
    let words = key.split(separator: Self.space)
    guard words.count > 1, words[0].count >= Self.shortestBeginning else { return nil }
    beginning = words[0] + [Self.space]
    self.words = Array(words.dropFirst())
  }

  /// Whether a folded name has the words in this order: either the same number of words,
  /// abbreviated or not, or all words complete and only short words added. The first word is not
  /// compared. With weaker conditions, most texts would match some place.
  func abbreviates(_ name: [UInt8]) -> Bool {
    let nameWords = name.split(separator: Self.space).dropFirst()
    if nameWords.count == words.count {
      return zip(nameWords, words).allSatisfy { $0.starts(with: $1) }
    }
    var rest = words[...]
    for word in nameWords {
      if rest.first == word {
        rest.removeFirst()
      } else if word.count > Self.longestMissing {
        return false
      }
    }
    return rest.isEmpty
  }
}
