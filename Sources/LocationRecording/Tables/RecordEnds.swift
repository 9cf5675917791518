/// Determines whether the last field of a record is truncated, from the ends of the previous
/// records. Pure.
struct RecordEnds {
  /// The numbers of previous records from which truncation is inferred, if many or few digits are
  /// missing. If trailing zeros are not written, the numbers of digits soon differ, and three zeros
  /// in a row are rare.
  private static let (evidence, evidenceOfFewDigits) = (2, 10)
  private static let manyDigits = 3

  private var count = 0
  /// The least number of digits of a record so far; nil without any.
  private var digits: Int?
  /// The letters after the digits in all records so far; nil if they differ or a record has none.
  private var letters: String?

  /// Adds the end of a complete record.
  ///
  /// - Parameters:
  ///   - digits: The number of digits at its end; nil if it does not matter.
  ///   - letters: The letters after them; nil if they do not matter.
  mutating func add(digits: Int?, letters: Substring?) {
    if let digits { self.digits = min(digits, self.digits ?? digits) }
    if count == 0 {
      self.letters = letters.map(String.init)
    } else if let all = self.letters, letters != all[...] {
      self.letters = nil
    }
    count += 1
  }

  /// Whether a record lacks digits or letters that all previous records have.
  func isCut(digits: Int?, letters: Substring?) -> Bool {
    if let least = self.digits, let digits, digits < least {
      let isFar = digits <= least - Self.manyDigits
      if count >= (isFar ? Self.evidence : Self.evidenceOfFewDigits) { return true }
    }
    guard count >= Self.evidence, let all = self.letters, let letters else { return false }
    return letters.utf8.count < all.utf8.count && all.hasPrefix(letters)
  }
}
