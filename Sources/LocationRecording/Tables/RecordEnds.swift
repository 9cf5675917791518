/// Finds out whether the last field of a table is cut, from those of the records before. Pure.
struct RecordEnds {
  /// The records whose digits are as many that fewer are no coincidence: where zeros at the end are not
  /// written, the numbers soon differ.
  private static let evidenceOfDigits = 10
  private static let evidenceOfLetters = 2

  private var count = 0
  /// The number of digits in all records so far; nil if they differ.
  private var digits: Int?
  /// The letters behind the digits in all records so far; nil if they differ.
  private var letters: String?

  /// Adds the end of a whole record.
  ///
  /// - Parameter digits: Nil if they do not matter.
  mutating func add(_ record: CSVSplitter.Record, digits: Int?) {
    let letters = record.lastLetters
    if count == 0 {
      (self.digits, self.letters) = (digits, String(letters))
    } else {
      if digits != self.digits { self.digits = nil }
      if let all = self.letters, letters != all[...] { self.letters = nil }
    }
    count += 1
  }

  /// Whether a record lacks digits or letters that all before it have.
  func isCut(_ record: CSVSplitter.Record, digits: Int?) -> Bool {
    if count >= Self.evidenceOfDigits, let all = self.digits, let digits, digits < all {
      return true
    }
    guard count >= Self.evidenceOfLetters, let all = letters, record.fields.last?.isEmpty == false
    else { return false }
    let letters = record.lastLetters
    return letters.utf8.count < all.utf8.count && all.hasPrefix(letters)
  }
}

extension CSVSplitter.Record {
  /// What is behind the last digit of the last field: a unit, a letter or all of it.
  fileprivate var lastLetters: Substring {
    guard let last = fields.last else { return "" }
    let digit = last.utf8.lastIndex { (48...57).contains($0) }
    return digit.map { last[last.utf8.index(after: $0)...] } ?? last[...]
  }
}
