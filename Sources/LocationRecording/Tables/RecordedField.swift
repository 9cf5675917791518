/// A column and the unit of its numbers, by a name in a header. Pure.
struct RecordedField: Hashable, Sendable {
  let column: RecordedColumn
  let unit: RecordedUnit
  /// The unit of a time's numbers; nil if it is not in the name.
  let timeUnit: TimeUnit?
  /// The reason that the field is not always used; nil for a field that is always used.
  private(set) var alternative: Alternative?
  /// The numbers, in the unit of `Location`, that stand for a missing value.
  private(set) var absences: [Double] = []

  /// The unit of a number that counts from 1970.
  enum TimeUnit: Hashable, Sendable {
    case seconds, milliseconds
    /// The number may count from another epoch, as GPS time does.
    case unknown
  }

  /// The reason that a field is not always used.
  enum Alternative: Hashable, Sendable {
    /// An instant in UTC or since 1970; used if there is no other instant.
    case instant
    /// A time of another event, such as the record's creation, or a local time.
    case time
    /// A coordinate of an object, or a coordinate in another unit; used only with its counterpart.
    case coordinate(of: String)
  }

  /// The meaning of a name.
  enum Reading: Hashable, Sendable {
    case field(RecordedField)
    /// A column that `Location` has, in an unknown unit or time scale.
    case unknownUnit
    /// A column that `Location` does not have.
    case other
  }

  init(
    _ column: RecordedColumn, _ unit: RecordedUnit = .ownUnit, counting timeUnit: TimeUnit? = nil
  ) {
    (self.column, self.unit, self.timeUnit) = (column, unit, timeUnit)
  }

  /// Creates the field of a name, with the numbers that stand for a missing value.
  private init(_ column: RecordedColumn, _ unit: RecordedUnit, of key: String) {
    self.init(column, unit)
    // In AIS, 1,023 tenths of a knot and 3,600 tenths of a degree stand for a speed and a course
    // that are not available: ITU-R M.1371, message 1.
    if key.hasPrefix("sog"), unit == .knots { absences = [unit.convert(102.3)] }
    if key.hasPrefix("cog") { absences = [360] }
    // No place is this deep; in spreadsheets, the number stands for a missing altitude.
    if column == .altitude || column == .ellipsoidalAltitude { absences = [unit.convert(-9999)] }
  }

  /// Reads a name, possibly with a unit in brackets after it: `Speed (km/h)`.
  static func reading(of name: String) -> Reading {
    let parts = name.split(maxSplits: 1, omittingEmptySubsequences: false) { "([".contains($0) }
    guard let first = parts.first else { return .other }
    let word =
      parts.dropFirst().first.map { String($0.prefix { !")]".contains($0) }).trimmed } ?? ""
    let key = RecordedColumn.key(first)
    if let alternative = alternative(key, word) {
      let words = alternative.unit == .tenMillionths ? nil : alternative.column.wordsInBrackets
      return words?.contains(word.lowercased()) == false ? .unknownUnit : .field(alternative)
    }
    if let (column, unit) = nameWithUnit(key) { return .field(Self(column, unit, of: key)) }
    guard let column = RecordedColumn(named: String(first)) else { return .other }
    if let words = column.wordsInBrackets, !words.contains(word.lowercased()) {
      return .unknownUnit
    }
    if column.isTime {
      return .field(Self(column, counting: TimeUnit(word.lowercased())))
    }
    guard let dimension = column.dimension else { return .field(Self(column)) }
    if maybeMagnetic.contains(key), !word.lowercased().hasSuffix("true") { return .unknownUnit }
    let usual = usualUnit(of: key)
    if word.isEmpty { return usual.map { .field(Self(column, $0, of: key)) } ?? .unknownUnit }
    if let unit = RecordedUnit(word, of: dimension) { return .field(Self(column, unit, of: key)) }
    let words = word.split(separator: " ", maxSplits: 1)
    if words.count == 2, let unit = RecordedUnit(words[0], of: dimension),
      let column = column.referred(to: String(words[1]))
    {
      return .field(Self(column, unit, of: key))
    }
    guard let usual, let referred = column.referred(to: word) else { return .unknownUnit }
    return .field(Self(referred, usual, of: key))
  }

  /// The keys of angles that Garmin's avionics and photographs may measure from magnetic north.
  private static let maybeMagnetic: Set<String> = ["trk", "gpstrack", "gpsimgdirection"]

  /// The usual unit of a column without a unit in its name; nil if several units are usual.
  private static func usualUnit(of key: String) -> RecordedUnit? {
    switch key {
    // NMEA 0183 and AIS use knots.
    case "sog": .knots
    // Photographs use km/h, mph or knots; Signal K uses m/s.
    case "gpsspeed", "speedoverground": nil
    default: .ownUnit
    }
  }

  /// The column and the unit of a name that ends with a unit, without brackets: `speed_kmh`.
  private static func nameWithUnit(_ key: String) -> (RecordedColumn, RecordedUnit)? {
    for base in [
      "speed", "velocity", "sog", "gpsspeed", "altitude", "alt", "elevation", "ele", "height",
      "gpsaltitude", "gpsalt",
    ] where key.hasPrefix(base) {
      guard let column = RecordedColumn(named: base), let dimension = column.dimension,
        let unit = RecordedUnit(key.dropFirst(base.count), of: dimension)
      else { continue }
      return (column, unit)
    }
    return nil
  }

  /// The field of a name that is used only if there is no better field; nil for other names.
  ///
  /// - Parameter word: The word in brackets.
  private static func alternative(_ key: String, _ word: String) -> Self? {
    var field: Self
    if let column = RecordedColumn.alternative(named: key) {
      field = Self(
        column, counting: key.hasPrefix("gps") ? .unknown : TimeUnit(word.lowercased()))
      let isInstant = key.hasPrefix("epoch") || key.hasPrefix("unix")
      field.alternative = isInstant ? .instant : .time
    } else if let time = time(withUnit: key) {
      field = time
      field.alternative = time.column == .timestamp ? .instant : .time
    } else if let (column, object) = RecordedColumn.nested(named: key) {
      field = Self(column)
      field.alternative = .coordinate(of: object)
    } else if let column = RecordedColumn(
      named: key.hasSuffix("e7") ? String(key.dropLast(2)) : key),
      RecordedColumn.coordinates.contains(column), key.hasSuffix("e7") || word.lowercased() == "e7"
    {
      field = Self(column, .tenMillionths)
      field.alternative = .coordinate(of: "E7")
    } else {
      return nil
    }
    return field
  }

  /// A time whose name ends with the unit of its numbers or with `UTC`: `timestamp_ms`.
  private static func time(withUnit key: String) -> Self? {
    let ends: [(String, TimeUnit?)] = [
      ("milliseconds", .milliseconds), ("millis", .milliseconds), ("ms", .milliseconds),
      ("seconds", .seconds), ("sec", .seconds), ("unix", .seconds), ("utc", nil), ("gmt", nil),
    ]
    for (end, unit) in ends where key.hasSuffix(end) {
      let name = String(key.dropLast(end.count))
      let column = RecordedColumn(named: name) ?? RecordedColumn.alternative(named: name)
      if let column, column.isTime { return Self(column, counting: unit) }
    }
    return nil
  }

  /// Whether a name, without its brackets, is the name of a time.
  static func isTime(_ name: String) -> Bool {
    let key = RecordedColumn.key(name.prefix { !"([".contains($0) })
    return (RecordedColumn(named: key) ?? RecordedColumn.alternative(named: key))?.isTime == true
  }

  /// Chooses the fields of a table or an object that are used: the first field of each column, and
  /// alternatives for which there is no better field.
  static func chosen(of fields: [Self?]) -> [Self?] {
    var chosen = [Self?](repeating: nil, count: fields.count)
    var seen: Set<RecordedColumn> = []
    for (index, field) in fields.enumerated() {
      guard let field, field.alternative == nil, seen.insert(field.column).inserted else {
        continue
      }
      chosen[index] = field
    }
    // Local times come last.
    let times = fields.indices.filter { fields[$0]?.isAlternativeTime == true }
    let local = times.filter { fields[$0]?.column.isLocal == true }
    for index in times.filter({ fields[$0]?.column.isLocal == false }) + local {
      guard let field = fields[index], field.isMissing(beside: seen) else { continue }
      seen.insert(field.column)
      chosen[index] = field
    }
    if local.contains(where: { chosen[$0] == nil }) {
      // The offset belongs to a local time that is not used.
      chosen = chosen.map { $0?.column == .utcOffset ? nil : $0 }
    }
    var pairs: [String: [RecordedColumn: Int]] = [:]
    for (index, field) in fields.enumerated() {
      guard let field else { continue }
      switch field.alternative {
      case .coordinate(let object)? where seen.isDisjoint(with: RecordedColumn.coordinates):
        if pairs[object]?[field.column] == nil { pairs[object, default: [:]][field.column] = index }
        guard let pair = pairs[object], pair.count == 2 else { continue }
        for (column, index) in pair {
          seen.insert(column)
          chosen[index] = fields[index]
        }
      case .instant?, .time?, .coordinate?, nil: continue
      }
    }
    // In a table with a latitude, `LATITUDE N/S` has the hemisphere of that latitude.
    for (index, field) in fields.enumerated()
    where chosen[index] == nil
      && field?.alternative == .coordinate(of: RecordedColumn.hemisphereName)
    {
      guard let hemisphere = field?.column.hemisphere, seen.insert(hemisphere).inserted else {
        continue
      }
      chosen[index] = Self(hemisphere)
    }
    return chosen
  }
}

extension RecordedColumn {
  fileprivate static let coordinates: Set<Self> = [.latitude, .longitude]

  /// Whether the column has a local date or time.
  fileprivate var isLocal: Bool { self == .localDate || self == .localTime }
}

extension RecordedField {
  /// Whether no used column has the value of this alternative time.
  fileprivate func isMissing(beside seen: Set<RecordedColumn>) -> Bool {
    let better: Set<RecordedColumn> =
      switch (alternative, column) {
      case (.instant?, _): [.timestamp]
      case (_, .date), (_, .localDate): [.timestamp, .date, .localDate]
      // A date does not replace a time of the day: they complete each other.
      default: [.timestamp, .time, .localTime]
      }
    return seen.isDisjoint(with: better)
  }

  /// Whether the field is a time that is used only if there is no better time.
  var isAlternativeTime: Bool { alternative == .instant || alternative == .time }
}

extension RecordedField.TimeUnit {
  /// The unit of a word in brackets; nil for another word, such as `UTC`.
  fileprivate init?(_ word: String) {
    switch word {
    case "unix", "epoch", "s": self = .seconds
    case "ms": self = .milliseconds
    default: return nil
    }
  }
}

extension RecordedColumn {
  /// The column whose numbers count from a reference, such as `msl` in `ft msl`; nil if the
  /// reference is unknown.
  fileprivate func referred(to word: String) -> Self? {
    switch word.lowercased() {
    case "hae", "ellipsoid", "ellipsoidal", "wgs", "wgs84", "wgs 84":
      self == .altitude ? .ellipsoidalAltitude : self
    case "msl", "amsl", "asl", "gps", "gnss", "true": self
    default: nil
    }
  }

  /// The words that may follow the column's name in brackets; nil if any word may.
  fileprivate var wordsInBrackets: Set<String>? {
    switch self {
    case .latitude, .longitude:
      ["", "°", "º", "deg", "degree", "degrees", "decimal degrees", "dd", "wgs84", "wgs 84"]
    case .timestamp, .date, .time:
      ["", "utc", "gmt", "z", "iso", "iso 8601", "iso8601", "unix", "epoch", "s", "ms"]
    case .heartRate: ["", "bpm", "1/min"]
    case .cadence: ["", "rpm", "1/min"]
    case .power: ["", "w", "watt", "watts"]
    case .airTemperature, .waterTemperature:
      ["", "c", "°c", "ºc", "deg c", "celsius", "degrees celsius"]
    default: nil
    }
  }

  /// The quantity that the numbers measure; nil without a unit.
  var dimension: RecordedUnit.Dimension? {
    switch self {
    case .altitude, .ellipsoidalAltitude, .horizontalAccuracy, .verticalAccuracy,
      .geoidSeparation, .depth:
      .length
    case .speed, .speedAccuracy, .climb: .speed
    case .course, .heading, .courseAccuracy, .magneticVariation: .angle
    case .differentialAge: .time
    case .latitude, .latitudeHemisphere, .longitude, .longitudeHemisphere, .timestamp, .date,
      .time, .localDate, .localTime, .utcOffset, .floor, .device, .fix, .mode, .status,
      .horizontalDilution, .verticalDilution, .positionDilution, .satellitesUsed,
      .satellitesVisible, .differentialStation, .segment, .heartRate, .cadence, .power,
      .airTemperature, .waterTemperature:
      nil
    }
  }
}
