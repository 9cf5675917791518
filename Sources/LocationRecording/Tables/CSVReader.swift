import AsyncLocation

/// Reads a table whose header names a latitude and a longitude. Keeps one record in memory.
///
/// Lines that begin with `#` before the header are comments.
struct CSVReader: FormatReader {
  private enum State {
    /// The bytes up to the end of the header's line, and how many lines were before it.
    case header(LineSplitter)
    case records(CSVHeader, CSVSplitter)
  }

  private static let maximumHeader = 1 << 16
  private var state = State.header(LineSplitter(cap: maximumHeader))

  mutating func read(
    _ bytes: [UInt8], into output: inout RecordingOutput
  ) throws(RecordingError) {
    switch state {
    case .header: try readHeader(bytes, into: &output)
    case .records(let header, var splitter):
      // Released before it is changed, so that it is not copied.
      state = .header(LineSplitter(cap: 0))
      let records = splitter.split(bytes)
      state = .records(header, splitter)
      for record in records { take(record, header, into: &output) }
    }
  }

  mutating func finish(into output: inout RecordingOutput) throws(RecordingError) {
    switch state {
    case .header: try readHeader([10], into: &output)
    case .records(let header, var splitter):
      for record in splitter.finish() { take(record, header, into: &output) }
    }
  }

  private mutating func readHeader(
    _ bytes: [UInt8], into output: inout RecordingOutput
  ) throws(RecordingError) {
    guard case .header(var lines) = state else { return }
    var rest = bytes[...]
    while let end = rest.firstIndex(where: { $0 == 10 || $0 == 13 }) {
      let complete = lines.split(Array(rest[...end]))
      rest = rest[(end + 1)...]
      for line in complete where !line.bytes.isEmpty && line.bytes.first != UInt8(ascii: "#") {
        guard let header = CSVHeader(line: line.bytes) else {
          throw RecordingError(
            .malformed, line: line.number,
            "the header names no latitude and longitude; name the columns")
        }
        if rest.first == 10 { rest = rest.dropFirst() }
        state = .records(header, CSVSplitter(separator: header.separator, line: line.number + 1))
        return try read(Array(rest), into: &output)
      }
    }
    _ = lines.split(Array(rest))
    state = .header(lines)
  }

  private func take(
    _ record: CSVSplitter.Record, _ header: CSVHeader, into output: inout RecordingOutput
  ) {
    switch record.problem {
    case .tooLong?:
      return output.skip(
        line: record.line, "the record is longer than \(CSVSplitter.maximumLength >> 10) KiB")
    case .openQuotation?:
      return output.skip(line: record.line, "a quotation mark is not closed")
    case nil: break
    }
    var fix = RecordedFix(latitude: .nan, longitude: .nan)
    var time = RecordedTimeText()
    for (column, text) in zip(header.columns, record.fields) {
      guard let column else { continue }
      fix.set(column, text)
      time.set(column, text.trimmed)
      if column == .segment, let number = Int(text) { output.enterSegment(number) }
    }
    guard !fix.latitude.isNaN, !fix.longitude.isNaN else {
      return output.skip(
        line: record.line, "the latitude or the longitude is missing or not a decimal number")
    }
    if let time = time.value {
      fix.time = time
    } else {
      output.skip(line: record.line, "the time is not understood; use ISO 8601 in UTC")
    }
    output.append(fix, line: record.line)
  }
}
