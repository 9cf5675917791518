import AsyncLocation

/// Writes CSV (RFC 4180) with line feeds: the names of `Location`, and the number of the segment.
struct CSVWriter: FormatWriter {
  private var segment = 0

  func begin(name: String?, into output: inout WriterOutput) {
    let names = LocationField.table.map(\.name) + [RecordedColumn.segmentName]
    output.append(names.joined(separator: ",") + "\n")
  }

  mutating func beginSegment(isFirst: Bool, into output: inout WriterOutput) { segment += 1 }

  func write(_ location: Location, into output: inout WriterOutput) {
    for field in LocationField.table {
      if let value = field.value(location) { output.append(value.csv) }
      output.append(",")
    }
    output.append("\(segment)\n")
  }

  func finish(into output: inout WriterOutput) {}
}
