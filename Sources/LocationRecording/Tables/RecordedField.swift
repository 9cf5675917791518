/// A column and the unit of its numbers, by a name in a header. Pure.
struct RecordedField: Hashable, Sendable {
  let column: RecordedColumn
  let unit: RecordedUnit
  /// The unit of a time's numbers; nil if the name does not state it.
  let timeUnit: TimeUnit?
  /// What it counts with, and without a better one; nil for a field that always counts.
  private(set) var alternative: Alternative?
  /// The values, in the unit of `Location`, that stand for none.
  private(set) var absences: [Double] = []

  /// The unit that numbers count since 1970.
  enum TimeUnit: Hashable, Sendable {
    case seconds, milliseconds
    /// They may count since another time, as GPS time does.
    case unknown
  }

  /// Why a field does not always count.
  enum Alternative: Hashable, Sendable {
    /// An instant in UTC or since 1970, beside which only another instant is better.
    case instant
    /// A time of another event, such as that of the record's creation, or a local one.
    case time
    /// A coordinate of an object, or one in another unit, which counts with the other one of it.
    case coordinate(of: String)
  }

  /// The meaning of a name.
  enum Reading: Hashable, Sendable {
    case field(RecordedField)
    /// A column that `Location` has, in a unit or a time that is not known.
    case unknownUnit
    /// A column that `Location` does not have.
    case other
  }

  init(
    _ column: RecordedColumn, _ unit: RecordedUnit = .ownUnit, counting timeUnit: TimeUnit? = nil
  ) {
    (self.column, self.unit, self.timeUnit) = (column, unit, timeUnit)
  }

  /// A field of a name, which may have a number that stands for none.
  private init(_ column: RecordedColumn, _ unit: RecordedUnit, of key: String) {
    self.init(column, unit)
    // AIS has 1,023 tenths of a knot for a speed that is not available, and 3,600 tenths of a degree for a
    // course: ITU-R M.1371, message 1.
    if key.hasPrefix("sog"), unit == .knots { absences = [unit.convert(102.3)] }
    if key.hasPrefix("cog") { absences = [360] }
    // No place is so deep, but spreadsheets have it for none.
    if column == .altitude || column == .ellipsoidalAltitude { absences = [unit.convert(-9999)] }
  }

  /// Reads a name, with what follows it in brackets: `Speed (km/h)`.
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

  /// Angles that Garmin's aircraft and photographs may have from magnetic north.
  private static let maybeMagnetic: Set<String> = ["trk", "gpstrack", "gpsimgdirection"]

  /// The unit of a column whose name has none; nil if it may be several.
  private static func usualUnit(of key: String) -> RecordedUnit? {
    switch key {
    // NMEA 0183 and AIS have knots.
    case "sog": .knots
    // Photographs have km/h, miles an hour or knots; Signal K metres a second.
    case "gpsspeed", "speedoverground": nil
    default: .ownUnit
    }
  }

  /// A name that ends with a unit, without brackets: `speed_kmh`.
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

  /// A field that counts without a better one.
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

  /// A name of a time that ends with what its numbers count or with `UTC`: `timestamp_ms`.
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

  /// Whether a name, without what is in brackets, is that of a time.
  static func isTime(_ name: String) -> Bool {
    let key = RecordedColumn.key(name.prefix { !"([".contains($0) })
    return (RecordedColumn(named: key) ?? RecordedColumn.alternative(named: key))?.isTime == true
  }

  /// The fields that count of those of a table or of an object: of each column the first one, and of
  /// alternatives those without a better one.
  static func chosen(of fields: [Self?]) -> [Self?] {
    var chosen = [Self?](repeating: nil, count: fields.count)
    var seen: Set<RecordedColumn> = []
    for (index, field) in fields.enumerated() {
      guard let field, field.alternative == nil, seen.insert(field.column).inserted else {
        continue
      }
      chosen[index] = field
    }
    // Local times are last.
    let times = fields.indices.filter { fields[$0]?.isAlternativeTime == true }
    let local = times.filter { fields[$0]?.column.isLocal == true }
    for index in times.filter({ fields[$0]?.column.isLocal == false }) + local {
      guard let field = fields[index], field.isMissing(beside: seen) else { continue }
      seen.insert(field.column)
      chosen[index] = field
    }
    if local.contains(where: { chosen[$0] == nil }) {
      // The offset is that of a local time which is not needed.
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
    // Beside a latitude, `LATITUDE N/S` has its hemisphere.
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

  fileprivate var isLocal: Bool { self == .localDate || self == .localTime }
}

extension RecordedField {
  /// Whether nothing has what an alternative of a time has.
  fileprivate func isMissing(beside seen: Set<RecordedColumn>) -> Bool {
    let better: Set<RecordedColumn> =
      switch (alternative, column) {
      case (.instant?, _): [.timestamp]
      case (_, .date), (_, .localDate): [.timestamp, .date, .localDate]
      // A date alone is better than none, and completes a time of the day.
      default: [.timestamp, .time, .localTime]
      }
    return seen.isDisjoint(with: better)
  }

  /// Whether it is a time that counts without a better one.
  var isAlternativeTime: Bool { alternative == .instant || alternative == .time }
}

extension RecordedField.TimeUnit {
  /// Nil for another word, such as `UTC`.
  fileprivate init?(_ word: String) {
    switch word {
    case "unix", "epoch", "s": self = .seconds
    case "ms": self = .milliseconds
    default: return nil
    }
  }
}

extension RecordedColumn {
  /// The column whose numbers count from a reference: `ft msl`; nil for one that is not known.
  fileprivate func referred(to word: String) -> Self? {
    switch word.lowercased() {
    case "hae", "ellipsoid", "ellipsoidal", "wgs", "wgs84", "wgs 84":
      self == .altitude ? .ellipsoidalAltitude : self
    case "msl", "amsl", "asl", "gps", "gnss", "true": self
    default: nil
    }
  }

  /// The words that may follow its name in brackets; nil for any.
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

  /// The quantity that its numbers measure; nil for those without a unit.
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
