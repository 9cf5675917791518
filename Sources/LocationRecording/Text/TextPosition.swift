/// Converts offsets in a text to lines and columns.
enum TextPosition {
  /// The line and the column of an offset, both counted from 1; columns are bytes.
  static func lineAndColumn(of offset: Int, in text: [UInt8]) -> (line: Int, column: Int) {
    let before = text.prefix(offset)
    let line = before.count { $0 == 10 } + 1
    let start = before.lastIndex(of: 10).map { $0 + 1 } ?? 0
    return (line, before.count - start + 1)
  }
}
