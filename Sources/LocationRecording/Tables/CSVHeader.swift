/// The columns of a table, by the names in its header. Pure.
struct CSVHeader: Hashable, Sendable {
  /// How many lines are searched for a header, which a title may precede.
  static let searchedLines = 4

  /// The column of each field; nil for one that is not used.
  let fields: [RecordedField?]
  /// Between fields: a comma, a semicolon or a tab.
  let separator: UInt8
  /// The columns behind a latitude or a longitude that have no name. If they have letters, those are
  /// its hemispheres.
  let unnamedHemispheres: Set<RecordedColumn>
  /// The names of columns whose unit is not known.
  let unknownUnits: [String]
  /// Whether a MediaTek logger wrote the table; it has km/h, and days first if years are last. GPSBabel
  /// knows them as `iblue747` and `iblue757`.
  let isOfMediaTek: Bool

  /// Whether a comma in a number is a decimal one.
  var hasDecimalComma: Bool { separator != UInt8(ascii: ",") }

  /// Reads a header line with any separator. Nil unless it names a latitude and a longitude.
  init?(line: ArraySlice<UInt8>) {
    for separator in [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")] {
      var splitter = CSVSplitter(separator: separator)
      guard let record = (splitter.split(line) + splitter.finish()).first, record.problem == nil,
        let header = Self(names: record.fields, separator)
      else { continue }
      self = header
      return
    }
    return nil
  }

  private init?(names: [String], _ separator: UInt8) {
    let isOfMediaTek = Set(names.map { RecordedColumn.key($0) })
      .isSuperset(of: ["index", "rcr", "valid"])
    var (fields, unnamed) = ([RecordedField?](), Set<RecordedColumn>())
    var (seen, unknownUnits) = (Set<RecordedColumn>(), [String]())
    for name in names {
      var field: RecordedField?
      switch RecordedField.reading(of: name) {
      case .field(let found): field = found
      case .unknownUnit: unknownUnits.append(name)
      case .other where name.trimmed.isEmpty:
        field = fields.last.flatMap { $0?.column.hemisphere }.map { RecordedField($0) }
        if let field { unnamed.insert(field.column) }
      case .other: break
      }
      if let found = field, !seen.insert(found.column).inserted { field = nil }
      if isOfMediaTek, field == RecordedField(.speed) {
        field = RecordedField(.speed, .kilometresPerHour)
      }
      fields.append(field)
    }
    guard seen.isSuperset(of: [.latitude, .longitude]) else { return nil }
    (self.fields, self.separator, self.isOfMediaTek) = (fields, separator, isOfMediaTek)
    (unnamedHemispheres, self.unknownUnits) = (unnamed, unknownUnits)
  }
}

extension RecordedColumn {
  /// The column of the hemisphere of a coordinate.
  fileprivate var hemisphere: Self? {
    switch self {
    case .latitude: .latitudeHemisphere
    case .longitude: .longitudeHemisphere
    default: nil
    }
  }
}
