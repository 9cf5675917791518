/// The names that differ from a name by one letter, or by two swapped letters. Pure.
enum Misspelling {
  /// The minimum number of letters in a name that is corrected: most shorter names differ from
  /// another name by one letter.
  private static let shortest = 4
  /// The maximum length in bytes of a name that is corrected: the number of forms grows with the
  /// length, and so does the time for each form.
  static let longest = 32

  /// The forms of a folded name when one letter is removed, swapped with the next, replaced or
  /// added; without duplicates. New letters are those of the name's script (Latin, Greek or
  /// Cyrillic), and the space.
  static func corrections(of key: [UInt8]) -> [[UInt8]] {
    let scalars = Array(String(decoding: key, as: UTF8.self).unicodeScalars)
    guard scalars.count >= shortest else { return [] }
    let alphabet = alphabet(of: scalars)
    var seen: Set = [scalars]
    var corrections: [[UInt8]] = []
    func add(_ scalars: [Unicode.Scalar]) {
      guard seen.insert(scalars).inserted else { return }
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars)
      corrections.append(Array(String(text).utf8))
    }
    for index in scalars.indices {
      add(Array(scalars[..<index] + scalars[(index + 1)...]))
      if index + 1 < scalars.count {
        var swapped = scalars
        swapped.swapAt(index, index + 1)
        add(swapped)
      }
    }
    for letter in alphabet {
      for index in scalars.indices {
        var replaced = scalars
        replaced[index] = letter
        add(replaced)
      }
      for index in 0...scalars.count {
        add(Array(scalars[..<index] + [letter] + scalars[index...]))
      }
    }
    return corrections
  }

  private static func alphabet(of scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
    let scripts: [ClosedRange<Unicode.Scalar>] = ["a"..."z", "α"..."ω", "а"..."џ"]
    let script = scripts.first { script in scalars.contains(where: script.contains) }
    guard let script else { return [] }
    return (script.lowerBound.value...script.upperBound.value).compactMap(Unicode.Scalar.init)
      + [" "]
  }
}
