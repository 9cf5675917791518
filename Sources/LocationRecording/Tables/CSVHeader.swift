import AsyncLocation

/// The columns of a table, by the names in its header. Pure.
struct CSVHeader: Hashable, Sendable {
  /// The number of lines that are searched for a header. A title may precede the header.
  static let searchedLines = 4

  /// The reason that a column is read as the hemispheres of a coordinate.
  enum HemisphereColumn: Hashable, Sendable {
    /// Its name is that of a column of hemispheres.
    case named
    /// Its name may be that of a column of hemispheres, or of a reference point. A number in it is
    /// not a hemisphere.
    case reference
    /// It follows the coordinate and has no name. Text that is not a hemisphere is ignored.
    case unnamed
    /// It has another name, and so has its counterpart at the other coordinate. Such columns are
    /// read once a record has hemispheres in all of them.
    case possible
  }

  /// Loggers with conventions that are not in their header: speeds in km/h, and date formats.
  enum Logger: Hashable, Sendable {
    /// In dates that end with the year, the day is first. GPSBabel's names of the formats are
    /// `iblue747` and `iblue757`.
    case mediaTek
    /// Dates are `yymmdd` and times `hhmmss`. GPSBabel's name of the format is `v900`.
    case columbus

    /// - Parameter keys: The names of the columns.
    fileprivate init?(_ keys: [String]) {
      let keys = Set(keys)
      if keys.isSuperset(of: ["index", "rcr", "valid"]) {
        self = .mediaTek
      } else if keys.isSuperset(of: ["index", "tag", "latituden/s", "longitudee/w"]) {
        self = .columbus
      } else {
        return nil
      }
    }
  }

  /// The column of each field; nil for a field that is not used.
  private(set) var fields: [RecordedField?]
  /// The separator of fields: a comma, a semicolon or a tab.
  let separator: UInt8
  /// The columns of hemispheres, with the reason for each.
  private(set) var hemispheres: [RecordedColumn: HemisphereColumn]
  /// The names of columns whose unit is not known.
  let unknownUnits: [String]
  /// Whether the table has a time of day that is not read. A date without it is incomplete.
  private(set) var hasUnreadTime: Bool
  /// The unit of the coordinates.
  let coordinateUnit: RecordedUnit
  /// The kind of logger that wrote the table; nil if it is not known.
  let logger: Logger?
  private let names: [String]
  /// The references of columns of photographs, by the indices of the columns with the numbers.
  private let references: [Int: Reference]

  private struct Reference: Hashable, Sendable {
    let kind: PhotographReference
    /// The index of the reference column.
    let index: Int
  }

  /// Whether a comma in a number is the decimal mark.
  var hasDecimalComma: Bool { separator != UInt8(ascii: ",") }

  /// The names of the columns from which nothing is read, except ``unknownUnits``.
  var unreadNames: [String] {
    let reported = Set(unknownUnits)
    let referenceIndices = Set(references.values.map(\.index))
    return names.indices.filter { index in
      let name = names[index]
      // Readers ignore the number of lost locations.
      return fields[index] == nil && !referenceIndices.contains(index) && !reported.contains(name)
        && !name.trimmed.isEmpty && RecordedColumn.key(name) != LocationField.lostName
    }.map { names[$0].trimmed }
  }

  /// Reads a header line with any separator. Nil unless it names a latitude and a longitude.
  ///
  /// - Parameter lineBefore: The previous line, which may have the units, also after a `#`.
  init?(line: ArraySlice<UInt8>, after lineBefore: ArraySlice<UInt8> = []) {
    for separator in [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")] {
      guard let names = Self.fields(line, separator), let header = Self(names, separator) else {
        continue
      }
      let units = Self.fields(lineBefore.drop { $0 == UInt8(ascii: "#") }, separator)
      self = units.flatMap(header.withUnits) ?? header
      return
    }
    return nil
  }

  /// The fields of a line; nil if it is not one record.
  private static func fields(_ line: ArraySlice<UInt8>, _ separator: UInt8) -> [String]? {
    var splitter = CSVSplitter(separator: separator)
    guard let record = (splitter.split(line) + splitter.finish()).first, record.problem == nil
    else { return nil }
    return record.fields
  }

  /// - Parameter units: The unit of each name; empty without a line of units.
  private init?(_ names: [String], units: [String] = [], _ separator: UInt8) {
    let keys = names.map { RecordedColumn.key($0) }
    let logger = Logger(keys)
    let references = Self.references(keys)
    var unknownUnits: [String] = []
    let named = names.indices.map { index -> RecordedField? in
      let unit = index < units.count ? units[index].trimmed : ""
      if let reference = references[index] { return RecordedField(reference.kind.column) }
      switch RecordedField.reading(of: Self.name(names[index], withUnit: unit)) {
      case .field(let field):
        return logger != nil && field == RecordedField(.speed)
          ? RecordedField(.speed, .kilometresPerHour) : field
      case .unknownUnit:
        unknownUnits.append(names[index])
        return nil
      case .other: return nil
      }
    }
    var fields = RecordedField.chosen(of: named)
    hasUnreadTime = unknownUnits.contains { RecordedField.isTime($0) }
    let seen = Set(fields.compactMap { $0?.column })
    let scales = Set(fields.filter { $0?.column.hemisphere != nil }.compactMap { $0?.unit })
    guard seen.isSuperset(of: [.latitude, .longitude]), let scale = scales.first, scales.count == 1,
      !names.contains(where: RecordedColumn.isPartOfCoordinate)
    else { return nil }
    coordinateUnit = scale
    var hemispheres: [RecordedColumn: HemisphereColumn] = [:]
    for (field, name) in zip(fields, names) {
      guard let column = field?.column, RecordedColumn.hemispheresOfBoth.contains(column) else {
        continue
      }
      hemispheres[column] = RecordedColumn.isReference(name) ? .reference : .named
    }
    Self.addHemispheres(to: &hemispheres, &fields, names)
    self.hemispheres = hemispheres
    (self.fields, self.separator, self.logger) = (fields, separator, logger)
    (self.unknownUnits, self.names, self.references) = (unknownUnits, names, references)
  }

  /// Finds the columns of photographs that have a reference column.
  private static func references(_ keys: [String]) -> [Int: Reference] {
    var references: [Int: Reference] = [:]
    for kind in PhotographReference.allCases {
      guard let number = keys.firstIndex(of: kind.name),
        let index = keys.firstIndex(of: kind.name + "ref")
      else { continue }
      references[number] = Reference(kind: kind, index: index)
    }
    return references
  }

  /// The fields of a record, each completed with the value of its reference column.
  func completed(_ record: [String]) -> [String] {
    guard !references.isEmpty else { return record }
    var completed = record
    for (number, reference) in references where number < record.count {
      let referenceText = reference.index < record.count ? record[reference.index] : ""
      completed[number] = reference.kind.text(record[number], referredTo: referenceText)
    }
    return completed
  }

  /// The number of characters at the end of a record, if the record could still be read without
  /// some of them: the decimals of a coordinate, or a time without an offset from UTC. Nil for
  /// other records.
  func digitsAtEnd(of record: [String]) -> Int? {
    guard record.count == fields.count, let field = fields.last ?? nil, let text = record.last,
      text.last?.isNumber == true
    else { return nil }
    if field.column.hemisphere != nil {
      let isWhole = coordinateUnit == .tenMillionths
      return isWhole
        ? text.utf8.count { (48...57).contains($0) }
        : text.utf8.drop { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: ",") }.count
    }
    guard field.column.isTime || field.column.isLocalTime else { return nil }
    let isZoned = text.drop { $0 != ":" }.contains { "+-".contains($0) }
    return isZoned ? nil : text.utf8.count
  }

  /// The letters after the last digit of a record: a unit or a hemisphere. Nil without digits, or
  /// if the last field is not read.
  func lettersAtEnd(of record: [String]) -> Substring? {
    guard record.count == fields.count, fields.last ?? nil != nil, let text = record.last,
      let digit = text.utf8.lastIndex(where: { (48...57).contains($0) })
    else { return nil }
    return text[text.utf8.index(after: digit)...]
  }

  /// The record as the header of another table, as in concatenated files; nil for other records.
  func next(_ record: [String]) -> Self? {
    guard let latitude = fields.firstIndex(where: { $0?.column == .latitude }),
      latitude < record.count, Self.mayBeName(record[latitude])
    else { return nil }
    var names = record
    // The second file may have a byte order mark.
    if names[0].utf8.starts(with: [0xEF, 0xBB, 0xBF]) {
      names[0] = String(names[0].unicodeScalars.dropFirst())
    }
    return names == self.names ? self : Self(names, separator)
  }

  /// Whether a text begins with two letters. A coordinate begins with at most one letter, so few
  /// records are parsed as headers.
  private static func mayBeName(_ text: String) -> Bool {
    let start = text.utf8.drop { $0.isWhiteSpace || $0 == UInt8(ascii: "\"") || $0 >= 0x80 }
      .prefix(2)
    return start.count == 2 && start.allSatisfy { (0x61...0x7A).contains($0 | 0x20) }
  }

  /// Reads an unused column after a coordinate as its hemispheres. A column with a name needs a
  /// counterpart at the other coordinate: a single one may be the direction of movement.
  private static func addHemispheres(
    to hemispheres: inout [RecordedColumn: HemisphereColumn], _ fields: inout [RecordedField?],
    _ names: [String]
  ) {
    let candidates = fields.indices.dropFirst().compactMap { index in
      fields[index] == nil ? fields[index - 1]?.column.hemisphere.map { (index, $0) } : nil
    }.filter { hemispheres[$0.1] == nil }
    let named = candidates.filter { !names[$0.0].trimmed.isEmpty }
    let isPair = hemispheres.count + named.count == RecordedColumn.hemispheresOfBoth.count
    for (index, column) in candidates {
      let isNamed = !names[index].trimmed.isEmpty
      guard isPair || !isNamed else { continue }
      fields[index] = RecordedField(column)
      hemispheres[column] = isNamed ? .possible : .unnamed
    }
  }

  /// The header with two more columns, if a record has a hemisphere of each coordinate in exactly
  /// one unused column. A single one may be the direction of movement.
  func withHemispheres(in record: [String]) -> Self? {
    guard hemispheres.isEmpty else { return nil }
    var found: [RecordedColumn: [Int]] = [:]
    for (index, text) in record.prefix(fields.count).enumerated() where fields[index] == nil {
      guard let (axis, _) = CoordinateText.hemisphere(text) else { continue }
      found[axis.hemisphereColumn, default: []].append(index)
    }
    guard found.count == 2, found.values.allSatisfy({ $0.count == 1 }) else { return nil }
    var header = self
    for (column, indices) in found {
      header.fields[indices[0]] = RecordedField(column)
      header.hemispheres[column] = .possible
    }
    return header
  }

  /// Whether a column has a time that is used only if there is no better time.
  var hasAlternativeTimes: Bool { fields.contains { $0?.isAlternativeTime == true } }

  /// The header, without its alternative times if the time of a record is not understood. Nil if
  /// the record has no coordinates, or an alternative time is empty or zero, as before the first
  /// fix.
  func withoutUnusableTimes(in record: [String]) -> Self? {
    var time = RecordedTimeText()
    for (field, text) in zip(fields, record) {
      guard let field else { continue }
      if field.column.hemisphere != nil, text.trimmed.isEmpty { return nil }
      if field.isAlternativeTime, !text.contains(where: { ("1"..."9").contains($0) }) { return nil }
      time.set(field, text.trimmed)
    }
    guard time.value == nil else { return self }
    var header = self
    for index in fields.indices where fields[index]?.isAlternativeTime == true {
      let column = fields[index]?.column
      if column == .time || column == .localTime { header.hasUnreadTime = true }
      header.fields[index] = nil
    }
    return header
  }

  /// The header with the units of an adjacent line. Nil unless the line has a field for each
  /// column, at least one of them is a unit, and the coordinates are in degrees.
  func withUnits(_ units: [String]) -> Self? {
    let units = units.map { $0.trimmed.filter { !"()[]".contains($0) } }
    func isOfDegrees(_ unit: String) -> Bool {
      unit.isEmpty || unit.lowercased().hasPrefix("deg") || ["°", "º"].contains(unit)
    }
    // No field of a record is the name of a unit.
    guard units.count == names.count,
      zip(fields, units).allSatisfy({ field, unit in
        field?.column.hemisphere == nil || isOfDegrees(unit)
      }),
      zip(fields, units).contains(where: { field, unit in
        field?.column.dimension.map { RecordedUnit(unit, of: $0) != nil }
          ?? (!unit.isEmpty && field?.column.hemisphere != nil)
      })
    else { return nil }
    return Self(names, units: units, separator)
  }

  /// A name followed by its unit in brackets. The name alone if it has a unit in brackets already,
  /// or if the unit is a pattern such as `hh:mm:ss`.
  private static func name(_ name: String, withUnit unit: String) -> String {
    let hasUnit = name.contains { "([".contains($0) }
    let column = RecordedColumn(named: name)
    let isPattern =
      column?.isLocalTime == true
      || column?.isTime == true
        && ["yy", "hh", "mm:", "ss"].contains(where: unit.lowercased().contains)
    return hasUnit || isPattern || unit.isEmpty ? name : "\(name) (\(unit))"
  }
}

extension RecordedColumn {
  fileprivate static let hemispheresOfBoth: Set<Self> = [.latitudeHemisphere, .longitudeHemisphere]

  /// Whether the column is a part of a local time. A unit of it is a pattern, such as `hh:mm:ss`.
  fileprivate var isLocalTime: Bool { [.localDate, .localTime, .utcOffset].contains(self) }
}
