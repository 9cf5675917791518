/// Determines whether the last field of a record is truncated, from the ends of the previous
/// records. Pure.
struct RecordEnds {
  /// The least numbers of previous records from which truncation is inferred: one if letters or at
  /// least ``manyDigits`` digits are missing, and a greater one if fewer digits are. A program that
  /// omits trailing zeros soon writes different numbers of digits, and rarely omits three zeros.
  private static let (leastCount, leastCountForFewDigits) = (2, 10)
  private static let manyDigits = 3

  private var count = 0
  /// The least number of digits at the end of a record so far; nil without any.
  private var digits: Int?
  /// The letters after the digits in all records so far; nil if they differ or a record has none.
  private var letters: String?

  /// Adds the end of a complete record.
  ///
  /// - Parameters:
  ///   - digits: The number of digits at its end; nil if they are not compared.
  ///   - letters: The letters after them; nil if they are not compared.
  mutating func add(digits: Int?, letters: Substring?) {
    if let digits { self.digits = min(digits, self.digits ?? digits) }
    if count == 0 {
      self.letters = letters.map(String.init)
    } else if let common = self.letters, letters != common[...] {
      self.letters = nil
    }
    count += 1
  }

  /// Whether a record lacks digits or letters that all previous records have.
  func isCut(digits: Int?, letters: Substring?) -> Bool {
    if let least = self.digits, let digits, digits < least {
      let lacksMany = digits <= least - Self.manyDigits
      if count >= (lacksMany ? Self.leastCount : Self.leastCountForFewDigits) { return true }
    }
    guard count >= Self.leastCount, let common = self.letters, let letters else { return false }
    return letters.utf8.count < common.utf8.count && common.hasPrefix(letters)
  }
}
