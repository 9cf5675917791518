import AsyncLocation
import FoundationEssentials
import JSONScanning

/// The content of a column of a table or a property of a feature, by its name. Pure.
///
/// The known names are the property names of `Location`, and those of gpsd, loggers, AIS,
/// photographs and GPSBabel's tables. Case, spaces, hyphens, underscores, quotation marks and a
/// final period are ignored.
enum RecordedColumn: Hashable, Sendable {
  case latitude, latitudeHemisphere, longitude, longitudeHemisphere, timestamp, date, time,
    altitude, ellipsoidalAltitude
  /// A local date, a local time and an offset from UTC, which together form a time. The offset also
  /// applies to other times without an offset.
  case localDate, localTime, utcOffset
  case horizontalAccuracy, verticalAccuracy, speed, speedAccuracy
  case course, heading, courseAccuracy, climb, floor, device, fix, mode, status
  case horizontalDilution, verticalDilution, positionDilution
  case satellitesUsed, satellitesVisible, magneticVariation, geoidSeparation
  case differentialAge, differentialStation, segment
  case heartRate, cadence, power, airTemperature, waterTemperature, depth

  /// The name of the column with the number of a track's segment.
  static let segmentName = "segment"

  init?(named name: String) {
    let key = Self.key(name)
    guard let column = Self.names[key] ?? Self.hemispheres[key] ?? Self.references[key] else {
      return nil
    }
    self = column
  }

  /// Whether the column has a time, a date or both, unless they are local.
  var isTime: Bool { [.timestamp, .date, .time].contains(self) }

  /// Whether a column of this name has the minutes or seconds of a coordinate whose degrees are in
  /// another column.
  static func isPartOfCoordinate(_ name: String) -> Bool { parts.contains(key(name)) }

  /// Whether a column of this name may hold something other than hemispheres, such as the
  /// coordinates of a reference point.
  static func isReference(_ name: String) -> Bool { references[key(name)] != nil }

  /// The column of a name that is used only if there is no better column; nil for other names.
  ///
  /// - Parameter key: The name's ``key(_:)``.
  static func alternative(named key: String) -> Self? { alternatives[key] }

  /// The coordinate of a name that is used only as half of a pair of the same object, and only if
  /// there is no better pair: `location.lat`, `LATITUDE N/S` of Columbus loggers. Nil for other
  /// names.
  ///
  /// - Parameter key: The name's ``key(_:)``.
  static func nested(named key: String) -> (column: Self, object: String)? {
    combined[key].map { ($0, hemisphereName) } ?? nested[key]
  }

  /// Stands for the object of coordinates whose names contain the hemispheres.
  static let hemisphereName = "N/S"

  /// The column with the hemisphere of this coordinate; nil for other columns.
  var hemisphere: Self? {
    switch self {
    case .latitude: .latitudeHemisphere
    case .longitude: .longitudeHemisphere
    default: nil
    }
  }

  /// A name in lower case, without spaces, hyphens, underscores, quotation marks and a final
  /// period.
  static func key(_ name: some StringProtocol) -> String {
    if name.utf8.contains(where: { $0 >= 0x80 }) {
      let lowercased = name.lowercased()
      if lowercased != name { return key(lowercased) }
    }
    var key: [UInt8] = []
    key.reserveCapacity(name.utf8.count)
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "\""),
        UInt8(ascii: "'"):
        continue
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): key.append(byte | 0x20)
      default: key.append(byte)
      }
    }
    // The name may be an abbreviation with a period, such as `Lat.`
    if key.last == UInt8(ascii: ".") { key.removeLast() }
    return String(decoding: key, as: UTF8.self)
  }

  /// The names of hemispheres that begin with the name of their coordinate: `lat_hemi`.
  private static let hemispheres = named(
    latitudeEnds: ["hemisphere", "hemi", "hem", "n/s", "ns"],
    longitudeEnds: ["hemisphere", "hemi", "hem", "e/w", "ew"])

  /// The names of columns that contain a coordinate and its hemisphere: `LATITUDE N/S`.
  private static let combined: [String: Self] = {
    let hemispheres = named(latitudeEnds: ["n/s", "ns"], longitudeEnds: ["e/w", "ew"])
    return hemispheres.mapValues { $0 == .latitudeHemisphere ? .latitude : .longitude }
  }()

  /// The names of columns of hemispheres or of something else, such as a reference point.
  private static let references: [String: Self] = {
    let ends = ["ref", "reference", "dir", "direction", "indicator"]
    return named(latitudeEnds: ends, longitudeEnds: ends)
  }()

  /// The names of columns with the minutes or seconds of a coordinate.
  private static let parts: Set<String> = {
    let ends = ["min", "mins", "minute", "minutes", "mm", "sec", "secs", "second", "seconds", "ss"]
    return Set(named(latitudeEnds: ends, longitudeEnds: ends).keys)
  }()

  /// Each name of a coordinate with each of the ends, as the name of a column of hemispheres.
  private static func named(
    latitudeEnds: [String], longitudeEnds: [String]
  ) -> [String: Self] {
    let latitudes = ["lat", "latitude", "gpslat", "gpslatitude"]
    let longitudes = ["lon", "long", "lng", "longitude", "gpslon", "gpslong", "gpslongitude"]
    var names: [String: Self] = [:]
    for end in latitudeEnds {
      for latitude in latitudes { names[latitude + end] = .latitudeHemisphere }
    }
    for end in longitudeEnds {
      for longitude in longitudes { names[longitude + end] = .longitudeHemisphere }
    }
    return names
  }

  private static let alternatives: [String: Self] = [
    "unixtime": .timestamp, "unixtimestamp": .timestamp, "epoch": .timestamp,
    "epochtime": .timestamp, "fixtime": .timestamp, "recordedat": .timestamp,
    "createdat": .timestamp, "gpsdate": .date, "gpstime": .time, "gpsutctime": .time,
    "localdate": .localDate, "localtime": .localTime, "localdatetime": .localTime,
    "localtimestamp": .localTime, "timelocal": .localTime, "datetimelocal": .localTime,
    "timestamplocal": .localTime,
  ]

  /// The names of coordinates in an object, such as `location.lat`, `positionLatitude`.
  private static let nested: [String: (column: Self, object: String)] = {
    var nested: [String: (column: Self, object: String)] = [:]
    for object in [
      "location", "location.", "position", "position.", "point", "point.", "coords", "coords.",
      "coordinate",
      "coordinate.", "coordinates", "coordinates.", "geo", "geo.", "osd.",
    ] {
      // FIT's `position_lat` is in semicircles, which are out of range as degrees.
      for name in ["lat", "latitude"] { nested[object + name] = (.latitude, object) }
      for name in ["lon", "lng", "long", "longitude"] {
        nested[object + name] = (.longitude, object)
      }
    }
    return nested
  }()

  private static let names: [String: Self] = [
    "latitude": .latitude, "lat": .latitude, "ddlat": .latitude, "gpslatitude": .latitude,
    "gpslat": .latitude, "latdeg": .latitude, "latitudedeg": .latitude,
    "decimallatitude": .latitude, "latitud": .latitude, "latitudine": .latitude,
    "breitengrad": .latitude,
    "longitude": .longitude, "lon": .longitude, "lng": .longitude, "long": .longitude,
    "ddlong": .longitude, "gpslongitude": .longitude, "gpslon": .longitude,
    "gpslong": .longitude, "gpslng": .longitude, "londeg": .longitude, "longitudedeg": .longitude,
    "decimallongitude": .longitude, "longitud": .longitude,
    "longitudine": .longitude, "längengrad": .longitude, "laengengrad": .longitude,
    "n/s": .latitudeHemisphere, "ns": .latitudeHemisphere,
    "north/south": .latitudeHemisphere, "northsouth": .latitudeHemisphere,
    "n/sindicator": .latitudeHemisphere, "nsindicator": .latitudeHemisphere,
    "e/w": .longitudeHemisphere, "ew": .longitudeHemisphere,
    "east/west": .longitudeHemisphere, "eastwest": .longitudeHemisphere,
    "e/windicator": .longitudeHemisphere, "ewindicator": .longitudeHemisphere,
    "timestamp": .timestamp, "datetime": .timestamp, "utctime": .timestamp,
    "timestampepoch": .timestamp, "basedatetime": .timestamp, "gpsdatetime": .timestamp,
    "utcdatetime": .timestamp, "utctimestamp": .timestamp,
    "date": .date, "utcdate": .date, "gpsdatestamp": .date, "time": .time, "utc": .time,
    "gpstimestamp": .time,
    "lcldate": .localDate, "lcltime": .localTime, "utcofst": .utcOffset,
    "utcoffset": .utcOffset, "gmtoffset": .utcOffset, "tz": .utcOffset, "timezone": .utcOffset,
    "tzoffset": .utcOffset, "timezoneoffset": .utcOffset,
    "altitude": .altitude, "altmsl": .altitude, "alt": .altitude, "ele": .altitude,
    "elevation": .altitude, "elev": .altitude, "height": .altitude, "hmsl": .altitude,
    "gpsaltitude": .altitude, "gpsalt": .altitude,
    "ellipsoidalaltitude": .ellipsoidalAltitude, "althae": .ellipsoidalAltitude,
    "horizontalaccuracy": .horizontalAccuracy, "eph": .horizontalAccuracy,
    "accuracy": .horizontalAccuracy, "hacc": .horizontalAccuracy,
    "gpshpositioningerror": .horizontalAccuracy,
    "verticalaccuracy": .verticalAccuracy, "epv": .verticalAccuracy, "vacc": .verticalAccuracy,
    "speed": .speed, "velocity": .speed, "gndspd": .speed, "sog": .speed, "gpsspeed": .speed,
    "speedoverground": .speed,
    "speedaccuracy": .speedAccuracy, "eps": .speedAccuracy, "sacc": .speedAccuracy,
    "course": .course, "track": .course, "cour": .course, "cog": .course, "trk": .course,
    "courseoverground": .course, "gpstrack": .course,
    "bearing": .heading, "heading": .heading, "gpsimgdirection": .heading,
    "courseaccuracy": .courseAccuracy, "epd": .courseAccuracy,
    "climb": .climb, "floor": .floor,
    "device": .device, "sourceinformation.device": .device,
    "fix": .fix, "valid": .fix, "mode": .mode, "fixmode": .mode, "gnss.mode": .mode,
    "status": .status,
    "gnss.status": .status,
    "hdop": .horizontalDilution, "vdop": .verticalDilution, "pdop": .positionDilution,
    "gnss.dilutionofprecision.horizontal": .horizontalDilution,
    "gnss.dilutionofprecision.vertical": .verticalDilution,
    "gnss.dilutionofprecision.position": .positionDilution,
    "satellitesused": .satellitesUsed, "gnss.satellitesused": .satellitesUsed,
    "sat": .satellitesUsed, "sats": .satellitesUsed, "satellites": .satellitesUsed,
    "usat": .satellitesUsed, "satellitesvisible": .satellitesVisible, "nsat": .satellitesVisible,
    "gnss.satellitesvisible": .satellitesVisible,
    "magneticvariation": .magneticVariation, "magvar": .magneticVariation,
    "gnss.magneticvariation": .magneticVariation,
    "geoidseparation": .geoidSeparation, "geoidsep": .geoidSeparation,
    "gnss.geoidseparation": .geoidSeparation,
    "differentialage": .differentialAge, "gnss.differentialage": .differentialAge,
    "differentialstation": .differentialStation,
    "gnss.differentialstation": .differentialStation,
    segmentName: .segment,
    "heartrate": .heartRate, "hr": .heartRate, "heart": .heartRate,
    "cadence": .cadence, "cad": .cadence, "power": .power, "watts": .power,
    "airtemperature": .airTemperature, "temperature": .airTemperature, "temp": .airTemperature,
    "atemp": .airTemperature, "watertemperature": .waterTemperature, "wtemp": .waterTemperature,
    "depth": .depth,
  ]
}

extension RecordedFix {
  /// Sets the member of a column from its text.
  ///
  /// - Returns: False if the text is not a value of the column.
  @discardableResult
  mutating func set(
    _ field: RecordedField, _ text: String, hasDecimalComma: Bool = false
  ) -> Bool {
    func number() -> Double? {
      guard let dimension = field.column.dimension else {
        return RecordedNumber.parse(text, hasDecimalComma: hasDecimalComma)
      }
      return RecordedNumber.parse(text, hasDecimalComma: hasDecimalComma, dimension, field.unit)
    }
    func parse(into member: inout Double?) -> Bool {
      // As in Core Location, -1 means no value. In another unit, it must not be converted.
      let hasNegatives = [.altitude, .ellipsoidalAltitude, .climb].contains(field.column)
      if field.unit != .ownUnit, !hasNegatives, DecimalNumber.parse(text) == -1 { return true }
      let number = number()
      if let number, field.absences.contains(number) { return true }
      member = number ?? member
      return number != nil || Self.isAbsent(text)
    }
    func parse(into member: inout Int?) -> Bool {
      let number = number().flatMap { Int(exactly: $0) }
      member = number ?? member
      return number != nil || Self.isAbsent(text)
    }
    switch field.column {
    case .latitude, .latitudeHemisphere, .longitude, .longitudeHemisphere, .timestamp, .date,
      .time, .localDate, .localTime, .utcOffset, .segment:
      break  // Handled by the caller.
    case .altitude: return parse(into: &altitude)
    case .ellipsoidalAltitude: return parse(into: &ellipsoidalAltitude)
    case .horizontalAccuracy: return parse(into: &horizontalAccuracy)
    case .verticalAccuracy: return parse(into: &verticalAccuracy)
    case .speed: return parse(into: &speed)
    case .speedAccuracy: return parse(into: &speedAccuracy)
    case .course: return parse(into: &course)
    case .heading:
      // The direction of the device replaces an unknown course. In AIS, 511 is an unknown heading.
      var heading: Double?
      let isUnderstood = parse(into: &heading)
      if heading != 511 { course = course ?? heading }
      return isUnderstood
    case .courseAccuracy: return parse(into: &courseAccuracy)
    case .climb: return parse(into: &climb)
    case .floor: return parse(into: &floor)
    case .device: device = text.isEmpty ? nil : text
    case .fix: setFix(text.trimmed.lowercased())
    case .mode:
      mode =
        switch text {
        case "2", "2D": .twoDimensional
        case "3", "3D": .threeDimensional
        default: mode
        }
    case .status: status = GNSSFix.Status(rawValue: text) ?? status
    case .horizontalDilution: return parse(into: &horizontalDilution)
    case .verticalDilution: return parse(into: &verticalDilution)
    case .positionDilution: return parse(into: &positionDilution)
    case .satellitesUsed: return parse(into: &satellitesUsed)
    case .satellitesVisible:
      // Loggers write `NSAT (USED/VIEW)`: `8(11)`. GPSBabel writes `-1(` for none.
      let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "(" }
        .map { String($0.prefix { $0 != ")" }).trimmed }
      guard parts.count == 2 else { return parse(into: &satellitesVisible) }
      (satellitesUsed, satellitesVisible) = (Int(parts[0]), Int(parts[1]))
      return parts.allSatisfy { $0.isEmpty || Int($0) != nil }
    case .magneticVariation: return parse(into: &magneticVariation)
    case .geoidSeparation: return parse(into: &geoidSeparation)
    case .differentialAge: return parse(into: &differentialAge)
    case .differentialStation: return parse(into: &differentialStation)
    case .heartRate, .cadence, .power, .airTemperature, .waterTemperature, .depth:
      // In most tables that this package writes, these columns are empty.
      guard !text.isEmpty, let sensor = SensorField.byColumn[field.column] else { return true }
      var reading: Double?
      let isUnderstood = parse(into: &reading)
      guard let reading else { return isUnderstood }
      let isInRange = sensor.range.contains(reading)
      if isInRange { sensors[keyPath: sensor.member] = reading }
      return isInRange || reading == -1
    }
    return true
  }

  /// The texts that programs write for a missing value.
  private static let absent: Set<String> = [
    "", "-", "--", "n/a", "na", "nan", "nil", "none", "null", "unknown",
  ]

  /// Whether a text stands for a missing value.
  static func isAbsent(_ text: String) -> Bool { absent.contains(text.trimmed.lowercased()) }

  /// Reads the number of an element into a member, which becomes nil for other text.
  ///
  /// - Returns: False if the text is neither a number nor a word for a missing value.
  static func read(_ text: Span<UInt8>, into member: inout Double?) -> Bool {
    member = DecimalNumber.parse(text)
    return member != nil || isAbsent(String(copying: text))
  }

  static func read(_ text: Span<UInt8>, into member: inout Int?) -> Bool {
    member = DecimalNumber.parse(text).flatMap { Int(exactly: $0) }
    return member != nil || isAbsent(String(copying: text))
  }

  /// Sets the kind of fix from GPX's word for it.
  mutating func setFix(_ word: String) {
    switch word {
    case "none": hasNoFix = true
    case "2d": mode = .twoDimensional
    case "3d": mode = .threeDimensional
    case "dgps": status = .differential
    case "pps": status = .precise
    default: break
    }
  }
}
