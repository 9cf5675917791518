import AsyncLocation
import FoundationEssentials

/// What a column of a table or a property of a feature has, by its name. Pure.
///
/// Knows the property names of `Location`, gpsd's names and those of GPSBabel's `unicsv`, without
/// regard to case, spaces, hyphens, underscores and units in brackets.
enum RecordedColumn: Hashable, Sendable {
  case latitude, longitude, timestamp, date, time, altitude, ellipsoidalAltitude
  case horizontalAccuracy, verticalAccuracy, speed, kilometresPerHour, knots, speedAccuracy
  case course, courseAccuracy, climb, floor, device, fix, mode, status
  case horizontalDilution, verticalDilution, positionDilution
  case satellitesUsed, satellitesVisible, magneticVariation, geoidSeparation
  case differentialAge, differentialStation, segment

  /// The name of the column with the number of a track's segment.
  static let segmentName = "segment"

  init?(named name: String) {
    var key: [UInt8] = []
    key.reserveCapacity(name.utf8.count)
    characters: for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "("), UInt8(ascii: "["): break characters
      case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "\""),
        UInt8(ascii: "'"):
        continue
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): key.append(byte | 0x20)
      default: key.append(byte)
      }
    }
    guard let column = Self.names[String(decoding: key, as: UTF8.self)] else { return nil }
    self = column
  }

  private static let names: [String: Self] = [
    "latitude": .latitude, "lat": .latitude,
    "longitude": .longitude, "lon": .longitude, "lng": .longitude, "long": .longitude,
    "timestamp": .timestamp, "datetime": .timestamp, "utctime": .timestamp,
    "date": .date, "utcdate": .date, "time": .time, "utc": .time,
    "altitude": .altitude, "altmsl": .altitude, "alt": .altitude, "ele": .altitude,
    "elevation": .altitude, "height": .altitude,
    "ellipsoidalaltitude": .ellipsoidalAltitude, "althae": .ellipsoidalAltitude,
    "horizontalaccuracy": .horizontalAccuracy, "eph": .horizontalAccuracy,
    "accuracy": .horizontalAccuracy,
    "verticalaccuracy": .verticalAccuracy, "epv": .verticalAccuracy,
    "speed": .speed, "velocity": .speed, "speedkmh": .kilometresPerHour, "speedkn": .knots,
    "speedaccuracy": .speedAccuracy, "eps": .speedAccuracy,
    "course": .course, "track": .course, "cour": .course,
    "courseaccuracy": .courseAccuracy, "epd": .courseAccuracy,
    "climb": .climb, "floor": .floor,
    "device": .device, "sourceinformation.device": .device,
    "fix": .fix, "mode": .mode, "gnss.mode": .mode, "status": .status, "gnss.status": .status,
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
  ]
}

extension RecordedFix {
  private static let metresPerSecond = 1852.0 / 3600

  /// Sets the member that a column has. Texts that are no values of it are ignored.
  mutating func set(_ column: RecordedColumn, _ text: String) {
    let number = DecimalNumber.parse(text)
    switch column {
    case .latitude: latitude = number ?? .nan
    case .longitude: longitude = number ?? .nan
    case .timestamp, .date, .time, .segment: break  // Read beside the values.
    case .altitude: altitude = number
    case .ellipsoidalAltitude: ellipsoidalAltitude = number
    case .horizontalAccuracy: horizontalAccuracy = number
    case .verticalAccuracy: verticalAccuracy = number
    case .speed: speed = number
    case .kilometresPerHour: speed = speed ?? number.map { $0 / 3.6 }
    case .knots: speed = speed ?? number.map { $0 * Self.metresPerSecond }
    case .speedAccuracy: speedAccuracy = number
    case .course: course = number
    case .courseAccuracy: courseAccuracy = number
    case .climb: climb = number
    case .floor: floor = number.flatMap { Int(exactly: $0) }
    case .device: device = text.isEmpty ? nil : text
    case .fix: setFix(text.lowercased())
    case .mode:
      mode =
        switch text {
        case "2", "2D": .twoDimensional
        case "3", "3D": .threeDimensional
        default: mode
        }
    case .status: status = GNSSFix.Status(rawValue: text) ?? status
    case .horizontalDilution: horizontalDilution = number
    case .verticalDilution: verticalDilution = number
    case .positionDilution: positionDilution = number
    case .satellitesUsed: satellitesUsed = number.flatMap { Int(exactly: $0) }
    case .satellitesVisible: satellitesVisible = number.flatMap { Int(exactly: $0) }
    case .magneticVariation: magneticVariation = number
    case .geoidSeparation: geoidSeparation = number
    case .differentialAge: differentialAge = number
    case .differentialStation: differentialStation = number.flatMap { Int(exactly: $0) }
    }
  }

  /// Sets the kind of fix from GPX's word for it.
  mutating func setFix(_ word: String) {
    switch word {
    case "2d": mode = .twoDimensional
    case "3d": mode = .threeDimensional
    case "dgps": status = .differential
    case "pps": status = .precise
    default: break
    }
  }
}

/// Puts a time together from its parts. Pure.
struct RecordedTimeText: Sendable {
  var timestamp = ""
  var date = ""
  var time = ""

  mutating func set(_ column: RecordedColumn, _ text: String) {
    switch column {
    case .timestamp: timestamp = text
    case .date: date = text
    case .time: time = text
    default: break
    }
  }

  /// Nil if there is text that is not a time.
  var value: RecordedTime? {
    if !timestamp.isEmpty { return Self.instant(timestamp) }
    if !date.isEmpty, let day = CalendarTime.day(date) {
      guard !time.isEmpty else { return .date(Self.date(day, 0)) }
      guard let seconds = CalendarTime.timeOfDay(time) else { return Self.instant(time) }
      return .date(Self.date(day, seconds))
    }
    if !date.isEmpty, time.isEmpty { return Self.instant(date) }
    guard !time.isEmpty else { return date.isEmpty ? .unknown : nil }
    return CalendarTime.timeOfDay(time).map(RecordedTime.timeOfDay) ?? Self.instant(time)
  }

  /// A date and time, or seconds since 1970; milliseconds if the number is too large for seconds.
  private static func instant(_ text: String) -> RecordedTime? {
    if let date = CalendarTime.parse(text) { return .date(date) }
    guard let number = DecimalNumber.parse(text), number >= 0 else { return nil }
    let seconds = number < 1e11 ? number : number / 1000
    guard seconds < 2.5e11 else { return nil }
    return .date(date(0, seconds))
  }

  private static func date(_ day: Int, _ seconds: Double) -> Date {
    let whole = seconds.rounded(.down)
    let nanoseconds = min(((seconds - whole) * 1e9).rounded(), 999_999_999)
    return CivilTime.date(seconds: day * 86_400 + Int(whole), nanoseconds: Int(nanoseconds))
  }
}
