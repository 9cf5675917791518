import AsyncLocation

/// Reads a table whose header names a latitude and a longitude. Keeps one record in memory.
///
/// Lines that begin with `#` before the header are comments, and a title may precede it.
struct CSVReader: FormatReader {
  private enum State {
    /// The bytes up to the end of the header's line, and how many lines were before it.
    case header(LineSplitter)
    case records(CSVHeader, CSVSplitter)
  }

  private static let maximumHeader = 1 << 16
  private var state = State.header(LineSplitter(cap: maximumHeader))
  /// How many lines were not the header.
  private var titles = 0
  /// The columns of which a text that is not understood was counted.
  private var faults: Set<RecordedColumn> = []

  var cost: ReadingCost {
    switch state {
    case .header(let lines): lines.cost
    case .records(_, let splitter): splitter.cost
    }
  }

  var line: Int {
    switch state {
    case .header(let lines): lines.number
    case .records(_, let splitter): splitter.line
    }
  }

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
    case .header:
      try readHeader([10], into: &output)
      guard case .header = state else { return }
      throw Self.missingHeader(line: 1)
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
          titles += 1
          if titles < CSVHeader.searchedLines { continue }
          throw Self.missingHeader(line: line.number)
        }
        for name in header.unknownUnits {
          output.skip(line: line.number, "the unit of the column \"\(name)\" is not understood")
        }
        if rest.first == 10 { rest = rest.dropFirst() }
        state = .records(header, CSVSplitter(separator: header.separator, line: line.number + 1))
        return try read(Array(rest), into: &output)
      }
    }
    _ = lines.split(Array(rest))
    state = .header(lines)
  }

  private static func missingHeader(line: Int) -> RecordingError {
    RecordingError(
      .malformed, line: line, "the header names no latitude and longitude; name the columns")
  }

  private mutating func take(
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
    // One field too many before another one would shift its value; empty ones follow a comma at the end.
    guard record.fields.dropFirst(header.fields.count).allSatisfy(\.trimmed.isEmpty) else {
      return output.skip(line: record.line, "the record has more fields than the header")
    }
    var fix = RecordedFix(latitude: .nan, longitude: .nan)
    var time = RecordedTimeText(isDayFirst: header.isOfMediaTek ? true : nil)
    var coordinates = (latitude: "", longitude: "")
    var hemispheres: [RecordedColumn: String] = [:]
    let hasCommas = Self.hasDecimalCommas(record, header)
    for (field, text) in zip(header.fields, record.fields) {
      guard let field else { continue }
      switch field.column {
      case .latitude: coordinates.latitude = text
      case .longitude: coordinates.longitude = text
      case .latitudeHemisphere, .longitudeHemisphere: hemispheres[field.column] = text.trimmed
      case .fix where Self.noFix.contains(text.trimmed.lowercased()):
        return output.skip(line: record.line, "the receiver had no fix")
      case .timestamp, .date, .time: time.set(field, text.trimmed)
      case .segment: if let number = Int(text) { output.enterSegment(number) }
      default:
        let isUnderstood =
          !(hasCommas && RecordedNumber.mayHaveThousands(text))
          && fix.set(field, text, hasDecimalComma: header.hasDecimalComma)
        if !isUnderstood, faults.insert(field.column).inserted {
          output.skip(
            line: record.line, "the \(field.column) is not understood, here or in later lines")
        }
      }
    }
    guard
      let latitude = Self.coordinate(coordinates.latitude, .latitude, hemispheres, header),
      let longitude = Self.coordinate(coordinates.longitude, .longitude, hemispheres, header)
    else {
      return output.skip(
        line: record.line,
        "the latitude, the longitude or a hemisphere is missing or not understood")
    }
    (fix.latitude, fix.longitude) = (latitude, longitude)
    if let time = time.value {
      fix.time = time
    } else {
      output.skip(line: record.line, "the time is not understood; use ISO 8601 in UTC")
    }
    output.append(fix, line: record.line)
  }

  /// Whether the coordinates of a record have decimal commas.
  private static func hasDecimalCommas(
    _ record: CSVSplitter.Record, _ header: CSVHeader
  ) -> Bool {
    header.hasDecimalComma
      && zip(header.fields, record.fields).contains { field, text in
        [.latitude, .longitude].contains(field?.column) && text.contains(",")
      }
  }

  /// What loggers write in a record without a fix.
  private static let noFix: Set<String> = ["no fix", "nofix", "none", "invalid"]

  /// A coordinate in the hemisphere that its record names; nil if one of them is not understood.
  private static func coordinate(
    _ text: String, _ axis: CoordinateText.Axis, _ hemispheres: [RecordedColumn: String],
    _ header: CSVHeader
  ) -> Double? {
    let column = axis == .latitude ? RecordedColumn.latitudeHemisphere : .longitudeHemisphere
    guard let letter = hemispheres[column] else { return CoordinateText.parse(text, axis) }
    let isLetter = ["N", "S", "E", "W"].contains(letter.uppercased())
    guard isLetter else {
      // A column without a name may have anything else.
      let isUnnamed = header.unnamedHemispheres.contains(column)
      return isUnnamed ? CoordinateText.parse(text, axis) : nil
    }
    return CoordinateText.parse(text.trimmed + letter, axis)
  }
}
