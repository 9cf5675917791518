/// The columns of a table, by the names in its header. Pure.
struct CSVHeader: Hashable, Sendable {
  /// The column of each field; nil for one that is not used.
  let columns: [RecordedColumn?]
  /// Between fields: a comma, a semicolon or a tab.
  let separator: UInt8

  /// Reads a header line with any separator. Nil unless it names a latitude and a longitude.
  init?(line: ArraySlice<UInt8>) {
    for separator in [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")] {
      let names = line.split(separator: separator, omittingEmptySubsequences: false)
      var seen: Set<RecordedColumn> = []
      let columns = names.map { name -> RecordedColumn? in
        let column = RecordedColumn(named: String(decoding: name, as: UTF8.self))
        return column.flatMap { seen.insert($0).inserted ? $0 : nil }
      }
      guard seen.isSuperset(of: [.latitude, .longitude]) else { continue }
      (self.columns, self.separator) = (columns, separator)
      return
    }
    return nil
  }
}
