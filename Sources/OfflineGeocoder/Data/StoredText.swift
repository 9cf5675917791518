/// A text in a file of places, as bytes in UTF-8.
struct StoredText: RandomAccessCollection {
  private let table: Table
  let startIndex: Int
  let endIndex: Int

  /// - Parameter range: A part of the table, whose elements are bytes.
  init(_ table: Table, _ range: Range<Int>) {
    (self.table, startIndex, endIndex) = (table, range.lowerBound, range.upperBound)
  }

  subscript(index: Int) -> UInt8 { table.number(index, as: UInt8.self) }

  var string: String { table.string(startIndex..<endIndex) }
  /// Nil if the text is empty.
  var nonEmpty: String? { isEmpty ? nil : string }
}
