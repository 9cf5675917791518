import AsyncLocation

/// Reads a table whose header names a latitude and a longitude. Keeps one record in memory.
///
/// Before the header, lines that begin with `#` are comments, and there may be a title. A line of
/// units may precede or follow the header. After records, a header begins another table and another
/// segment, as in concatenated files.
struct CSVReader: FormatReader {
  private enum State {
    /// Splits and counts the lines up to the header.
    case header(LineSplitter)
    case records(CSVHeader, CSVSplitter)
  }

  private static let maximumHeader = 1 << 16
  private var state = State.header(LineSplitter(cap: maximumHeader))
  /// The header in a comment, which is used if no other header follows.
  private var headerInComment: CSVHeader?
  /// The number of lines, except comments, that were not the header.
  private var titleCount = 0
  /// The line before the header.
  private var lineBefore: ArraySlice<UInt8> = []
  private var hasRecords = false
  /// The number of fields of the previous record; nil before the first.
  private var fieldCount: Int?
  /// The ends of the previous records.
  private var ends = RecordEnds()
  /// Whether the table has ended. Further lines are skipped until another header.
  private var hasEnded = false
  /// The columns in which a record had a hemisphere. Possible columns are included only if a record
  /// had a hemisphere in all of them.
  private var confirmed: Set<RecordedColumn> = []
  /// Whether the alternative times are known to be usable.
  private var areTimesKnown = false
  /// Whether a record had an offset from UTC in a separate column.
  private var hasOffsets = false
  /// The columns already reported as not understood.
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
    case .records(var header, var splitter):
      // Releases the splitter before it is mutated, so that it is not copied.
      state = .header(LineSplitter(cap: 0))
      read(splitter.split(bytes), &header, into: &output)
      state = .records(header, splitter)
    }
  }

  mutating func finish(into output: inout RecordingOutput) throws(RecordingError) {
    switch state {
    case .header:
      try readHeader([10], into: &output)
      guard case .header = state else { return }
      throw Self.missingHeader(line: 1)
    case .records(var header, var splitter):
      read(splitter.finish(), &header, into: &output)
      Self.omitUnread(header, into: &output)
    }
  }

  mutating func outputReadable(into output: inout RecordingOutput) {
    if case .records(let header, _) = state { Self.omitUnread(header, into: &output) }
  }

  /// Counts the unread columns. Called after the last record, since any record may confirm columns
  /// of hemispheres.
  private static func omitUnread(_ header: CSVHeader, into output: inout RecordingOutput) {
    for name in header.unreadNames { output.omitColumn(name) }
  }

  private mutating func readHeader(
    _ bytes: [UInt8], into output: inout RecordingOutput
  ) throws(RecordingError) {
    guard case .header(var lines) = state else { return }
    var rest = bytes[...]
    while let end = rest.firstIndex(where: { $0 == 10 || $0 == 13 }) {
      let complete = lines.split(Array(rest[...end]))
      rest = rest[(end + 1)...]
      for line in complete where !line.bytes.isEmpty {
        // A comment may be the header, if no other header follows.
        let isComment = line.bytes.first == UInt8(ascii: "#")
        if isComment {
          headerInComment = CSVHeader(line: line.bytes.dropFirst()) ?? headerInComment
        }
        guard !isComment, let header = CSVHeader(line: line.bytes, after: lineBefore) else {
          // The first line after the comments is a record of the header in a comment.
          if !isComment, let header = headerInComment {
            Self.report(header.unknownUnits, line: line.number - 1, into: &output)
            if rest.first == 10 { rest = rest.dropFirst() }
            state = .records(header, CSVSplitter(separator: header.separator, line: line.number))
            return try read(Array(line.bytes) + [10] + Array(rest), into: &output)
          }
          lineBefore = line.bytes
          if isComment { continue }
          titleCount += 1
          if titleCount < CSVHeader.searchedLines { continue }
          throw Self.missingHeader(line: line.number)
        }
        Self.report(header.unknownUnits, line: line.number, into: &output)
        lineBefore = []
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
      .malformed, line: line,
      "the header names no latitude and longitude, each in one column; name the columns "
        + "latitude and longitude, or lat and lon")
  }

  private static func report(
    _ unknownUnits: [String], line: Int, into output: inout RecordingOutput
  ) {
    for name in unknownUnits {
      output.skip(line: line, "the unit of the column \"\(name)\" is not understood")
    }
  }

  private mutating func read(
    _ records: [CSVSplitter.Record], _ header: inout CSVHeader, into output: inout RecordingOutput
  ) {
    for record in records {
      if record.problem == nil, let next = header.next(record.fields) {
        begin(next, after: header, line: record.line, into: &output)
        header = next
        continue
      }
      guard !hasEnded else { continue }
      // In SeeYou's `cup` format, tasks follow the points and repeat their names.
      hasEnded = record.fields == ["-----Related Tasks-----"]
      let withUnits = hasRecords ? nil : header.withUnits(record.fields)
      hasRecords = true
      if let withUnits {
        Self.report(
          withUnits.unknownUnits.filter { !header.unknownUnits.contains($0) }, line: record.line,
          into: &output)
        header = withUnits
      } else if !hasEnded {
        header = header.withHemispheres(in: record.fields) ?? header
        if !areTimesKnown, header.hasAlternativeTimes,
          let usable = header.withoutUnusableTimes(in: record.fields)
        {
          (header, areTimesKnown) = (usable, true)
        }
        appendPoint(of: record, header, into: &output)
      }
    }
  }

  /// Begins a table after another one.
  private mutating func begin(
    _ header: CSVHeader, after last: CSVHeader, line: Int, into output: inout RecordingOutput
  ) {
    (hasEnded, hasRecords, fieldCount, ends) = (false, false, nil, RecordEnds())
    output.beginSegment()
    guard header != last else { return }
    (confirmed, hasOffsets, areTimesKnown) = ([], false, false)
    Self.omitUnread(last, into: &output)
    Self.report(
      header.unknownUnits.filter { !last.unknownUnits.contains($0) }, line: line, into: &output)
  }

  /// Appends the point of a record, or skips the record with the reason.
  private mutating func appendPoint(
    of record: CSVSplitter.Record, _ header: CSVHeader, into output: inout RecordingOutput
  ) {
    switch record.problem {
    case .tooLong?:
      return output.skip(
        line: record.line, "the record is longer than \(CSVSplitter.maximumLength >> 10) KiB")
    case .openQuotation?:
      return output.skip(line: record.line, "a quotation mark is not closed")
    case nil: break
    }
    let digits = header.digitsAtEnd(of: record.fields)
    let letters = header.lettersAtEnd(of: record.fields)
    // Programs that omit empty fields at the end do so in every record. So a last record with fewer
    // fields than the previous one is truncated.
    let isCut =
      switch record.end {
      case .line: false
      case .quotation: record.fields.count < fieldCount ?? header.fields.count
      case .none:
        record.fields.count < fieldCount ?? header.fields.count
          || ends.isCut(digits: digits, letters: letters)
      }
    guard !isCut else { return output.skip(line: record.line, "the record is cut") }
    fieldCount = record.fields.count
    ends.add(digits: digits, letters: letters)
    // An extra field would shift the values after it. Commas at the end cause empty extra fields.
    guard record.fields.dropFirst(header.fields.count).allSatisfy(\.trimmed.isEmpty) else {
      return output.skip(line: record.line, "the record has more fields than the header")
    }
    var fix = RecordedFix(latitude: .nan, longitude: .nan)
    var time = RecordedTimeText(isDayFirst: header.logger == .mediaTek ? true : nil)
    time.hasDigitsOnly = header.logger == .columbus
    time.needsOffset = hasOffsets
    time.hasTimes = header.hasUnreadTime
    var coordinates = (latitude: "", longitude: "")
    var hemispheres: [RecordedColumn: String] = [:]
    let hasCommas = Self.haveCoordinates(",", record, header)
    let hasPoints = Self.haveCoordinates(".", record, header)
    for (field, text) in zip(header.fields, header.completed(record.fields)) {
      guard let field else { continue }
      switch field.column {
      case .latitude: coordinates.latitude = text
      case .longitude: coordinates.longitude = text
      case .latitudeHemisphere, .longitudeHemisphere: hemispheres[field.column] = text
      case .fix where Self.noFix.contains(text.trimmed.lowercased()),
        .status where Self.voidStatus.contains(text.trimmed.lowercased()),
        .mode where Self.noMode.contains(text.trimmed.lowercased()):
        return output.skip(line: record.line, "the receiver had no fix")
      case .timestamp, .date, .time, .localDate, .localTime, .utcOffset:
        time.set(field, text.trimmed)
      case .segment: enterSegment(text.trimmed, into: &output)
      default:
        let isUnderstood =
          !(hasCommas && RecordedNumber.mayHaveThousands(text, dividedBy: "."))
          && !(hasPoints && RecordedNumber.mayHaveThousands(text, dividedBy: ","))
          && fix.set(field, text, hasDecimalComma: header.hasDecimalComma)
        if !isUnderstood, faults.insert(field.column).inserted {
          output.skip(
            line: record.line, "the \(field.column) is not understood, here or in later lines")
        }
      }
    }
    confirm(hemispheres, header)
    guard let latitude = coordinate(coordinates.latitude, .latitude, hemispheres, header),
      let longitude = coordinate(coordinates.longitude, .longitude, hemispheres, header)
    else {
      return output.skip(
        line: record.line,
        "the latitude, the longitude or a hemisphere is missing or not understood")
    }
    guard
      header.coordinateUnit != .ownUnit
        || isOneNotation(coordinates.latitude, coordinates.longitude, hemispheres)
    else {
      return output.skip(
        line: record.line, "the latitude and the longitude are written in different ways")
    }
    (fix.latitude, fix.longitude) = (latitude, longitude)
    hasOffsets = hasOffsets || time.hasOffset
    if let time = time.value {
      fix.time = time
    } else {
      output.skip(line: record.line, "the time is not understood; use ISO 8601 in UTC")
    }
    output.append(fix, line: record.line)
  }

  /// Enters a segment, unless the name is missing or a number with a fraction, which is a
  /// measurement.
  private func enterSegment(_ name: String, into output: inout RecordingOutput) {
    guard !RecordedFix.isAbsent(name), !(name.contains(".") && Double(name) != nil) else { return }
    output.enterSegment(name)
  }

  /// Whether a coordinate of a record has this decimal mark, in a table that may have decimal
  /// commas. The other mark then separates thousands.
  private static func haveCoordinates(
    _ mark: Character, _ record: CSVSplitter.Record, _ header: CSVHeader
  ) -> Bool {
    header.hasDecimalComma
      && zip(header.fields, record.fields).contains { field, text in
        field?.column.hemisphere != nil && text.contains(mark)
      }
  }

  /// The words that loggers write for no fix in a column of fixes.
  private static let noFix = noMode.union(["0", "none", "false", "no", "void"])
  /// NMEA 0183 has `V` for a void position. Other words may describe another status.
  private static let voidStatus: Set<String> = ["v", "void", "invalid", "no fix", "nofix"]
  /// The words for no fix in a column of modes. A number may belong to another kind of mode.
  private static let noMode: Set<String> = ["no fix", "nofix", "invalid"]

  private typealias Axis = CoordinateText.Axis

  /// Adds the columns in which a record has hemispheres to ``confirmed``.
  private mutating func confirm(
    _ hemispheres: [RecordedColumn: String], _ header: CSVHeader
  ) {
    guard !hemispheres.isEmpty else { return }
    let found = hemispheres.filter { Axis(of: $0.key).hemisphere($0.value) != nil }.keys
    let possible = header.hemispheres.filter { $0.value == .possible }.keys
    let isComplete = possible.allSatisfy(found.contains)
    confirmed.formUnion(found.filter { isComplete || header.hemispheres[$0] != .possible })
  }

  /// Whether both coordinates or neither have letters, and likewise minutes. Otherwise, one of them
  /// may be truncated or have lost its leading zeros. A minus sign may replace a letter.
  private func isOneNotation(
    _ latitude: String, _ longitude: String, _ hemispheres: [RecordedColumn: String]
  ) -> Bool {
    if hemispheres.isEmpty,
      CoordinateText.hasLetter(latitude) != CoordinateText.hasLetter(longitude)
    {
      return latitude.contains("-") || longitude.contains("-")
    }
    return CoordinateText.hasMinutes(latitude, .latitude)
      == CoordinateText.hasMinutes(longitude, .longitude)
  }

  /// A coordinate with the hemisphere of another column; nil if either is not understood. Nil also
  /// if it is unknown whether that column has hemispheres and the result depends on it.
  private func coordinate(
    _ text: String, _ axis: Axis, _ hemispheres: [RecordedColumn: String], _ header: CSVHeader
  ) -> Double? {
    let column = axis.hemisphereColumn
    var withoutHemisphere: Double? {
      guard let number = CoordinateText.parse(text, axis) else { return nil }
      // Ten-millionths are integers. A number up to 180 with a decimal point is in degrees.
      let isWhole = number == number.rounded() && (abs(number) > 180 || !text.contains("."))
      guard header.coordinateUnit == .ownUnit || isWhole else { return nil }
      return header.coordinateUnit.convert(number)
    }
    guard let kind = header.hemispheres[column] else { return withoutHemisphere }
    let hemisphereText = (hemispheres[column] ?? "").trimmed
    guard let letter = axis.hemisphere(hemisphereText) else {
      let isSomethingElse =
        switch kind {
        case .named: false
        case .unnamed: true
        case .reference:
          hemisphereText.isEmpty ? !confirmed.contains(column) : Double(hemisphereText) != nil
        case .possible: !confirmed.contains(column)
        }
      return isSomethingElse ? withoutHemisphere : nil
    }
    // The digits of ten-millionths must not be read as minutes.
    let withHemisphere =
      header.coordinateUnit == .ownUnit
      ? CoordinateText.parse(text.trimmed + String(letter), axis)
      : withoutHemisphere.flatMap { "SW".contains(letter) ? -abs($0) : $0 < 0 ? nil : $0 }
    let isKnown = kind != .possible || confirmed.contains(column)
    return isKnown || withHemisphere == withoutHemisphere ? withHemisphere : nil
  }
}
