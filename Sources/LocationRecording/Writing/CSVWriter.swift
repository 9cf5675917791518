import AsyncLocation

/// Writes CSV (RFC 4180) with line feeds. The columns are the members of `Location` and of
/// ``SensorReadings``, the segment number, and the number of locations lost before the point.
struct CSVWriter: FormatWriter {
  private var segment = 0

  func begin(name: String?, into output: inout WriterOutput) {
    let names =
      LocationField.table.map(\.name) + SensorField.all.map(\.name)
      + [RecordedColumn.segmentName, LocationField.lostName]
    output.append(names.joined(separator: ",") + "\n")
  }

  mutating func resume(afterSegment segment: Int) { self.segment = segment }

  mutating func beginSegment(isFirst: Bool, into output: inout WriterOutput) { segment += 1 }

  func write(_ point: TrackPoint, into output: inout WriterOutput) {
    let location = point.location
    for field in LocationField.table {
      if let value = field.value(location) { output.append(value.csv) }
      output.append(",")
    }
    for field in SensorField.all {
      if let value = point.sensors.flatMap(field.value) {
        output.append(LocationField.Value.number(value).csv)
      }
      output.append(",")
    }
    let lost = point.lostCount
    output.append(lost > 0 ? "\(segment),\(lost)\n" : "\(segment),\n")
  }

  func finish(note: String?, into output: inout WriterOutput) {}
}
