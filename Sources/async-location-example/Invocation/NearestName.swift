/// Finds the closest name to a mistyped one.
enum NearestName {
  /// The first name that starts with the word, or else the name with the smallest edit distance, if
  /// the distance is 1 or at most a third of the name's length without leading dashes.
  static func find(_ word: String, in names: [String]) -> String? {
    guard word.utf8.count <= 40 else { return nil }
    let dashes = word.prefix { $0 == "-" }.count
    if word.count > dashes, let longer = names.first(where: { $0.hasPrefix(word) }) {
      return longer
    }
    let best = names.map { (name: $0, edits: edits(word, $0)) }.min { $0.edits < $1.edits }
    guard let best, best.edits <= max(1, (best.name.count - dashes) / 3) else { return nil }
    return best.name
  }

  /// The restricted Damerau-Levenshtein distance: insertions, deletions, substitutions and
  /// transpositions of adjacent characters.
  static func edits(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    var (older, old) = ([Int](), Array(0...right.count))
    for row in left.indices {
      var new = [row + 1]
      for column in right.indices {
        let cost = left[row] == right[column] ? 0 : 1
        var best = min(old[column] + cost, old[column + 1] + 1, new[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          best = min(best, older[column - 1] + 1)
        }
        new.append(best)
      }
      (older, old) = (old, new)
    }
    return old[right.count]
  }
}
