import AsyncLocation
import FoundationEssentials

/// A value of a location in a table, in the properties of a feature, or in an extension of GPX.
struct LocationField: Sendable {
  enum Value: Hashable, Sendable {
    case number(Double)
    case integer(Int)
    /// A word of this package, which needs no escaping.
    case word(String)
    /// Untrusted text.
    case text(String)
  }

  /// The column that readers recognize.
  let column: RecordedColumn
  let name: String
  let value: @Sendable (Location) -> Value?

  private init(
    _ column: RecordedColumn, _ name: String, _ value: @escaping @Sendable (Location) -> Value?
  ) {
    (self.column, self.name, self.value) = (column, name, value)
  }

  private static func number(
    _ column: RecordedColumn, _ name: String, _ value: @escaping @Sendable (Location) -> Double?
  ) -> Self {
    Self(column, name) { value($0).map(Value.number) }
  }

  private static func integer(
    _ column: RecordedColumn, _ name: String, _ value: @escaping @Sendable (Location) -> Int?
  ) -> Self {
    Self(column, name) { value($0).map(Value.integer) }
  }

  static let timestamp = Self(.timestamp, "timestamp") { .word(Timestamp.format($0.timestamp)) }
  /// The name of the column with the number of locations that were lost before a point.
  static let lostName = "lost"
  static let position = [
    number(.latitude, "latitude") { $0.latitude },
    number(.longitude, "longitude") { $0.longitude },
  ]
  static let altitude = number(.altitude, "altitude") { $0.altitude }
  private static let ellipsoidalAltitude = number(.ellipsoidalAltitude, "ellipsoidalAltitude") {
    $0.ellipsoidalAltitude
  }

  private static let measured = [
    number(.horizontalAccuracy, "horizontalAccuracy") { $0.horizontalAccuracy },
    number(.verticalAccuracy, "verticalAccuracy") { $0.verticalAccuracy },
    number(.speedAccuracy, "speedAccuracy") { $0.speedAccuracy },
    number(.speed, "speed") { $0.speed },
    number(.courseAccuracy, "courseAccuracy") { $0.courseAccuracy },
    number(.course, "course") { $0.course },
    number(.climb, "climb") { $0.climb },
    integer(.floor, "floor") { $0.floor },
    Self(.device, "device") { $0.sourceInformation?.device.map(Value.text) },
    integer(.satellitesVisible, "satellitesVisible") { $0.gnss?.satellitesVisible },
  ]

  /// The fields for which GPX has no elements.
  static let own = [ellipsoidalAltitude] + measured

  static let mode = Self(.mode, "mode") { $0.gnss.map { .word($0.mode.rawValue) } }
  static let status = Self(.status, "status") { $0.gnss?.status.map { .word($0.rawValue) } }
  static let magneticVariation = number(.magneticVariation, "magneticVariation") {
    $0.gnss?.magneticVariation
  }
  static let differentialStation = integer(.differentialStation, "differentialStation") {
    $0.gnss?.differentialStation
  }

  /// The fields that a receiver reports about a fix and for which GPX has elements.
  static let receiver = [
    mode, status,
    number(.horizontalDilution, "hdop") { $0.gnss?.dilutionOfPrecision?.horizontal },
    number(.verticalDilution, "vdop") { $0.gnss?.dilutionOfPrecision?.vertical },
    number(.positionDilution, "pdop") { $0.gnss?.dilutionOfPrecision?.position },
    integer(.satellitesUsed, "satellitesUsed") { $0.gnss?.satellitesUsed },
    magneticVariation,
    number(.geoidSeparation, "geoidSeparation") { $0.gnss?.geoidSeparation },
    number(.differentialAge, "differentialAge") { $0.gnss?.differentialAge },
    differentialStation,
  ]

  /// The columns of a table. GPSBabel reads the last column whose name contains `altitude`, `speed`
  /// or `course`, so the ellipsoidal altitude and the accuracies precede these.
  static let table: [Self] =
    [timestamp] + position + [ellipsoidalAltitude, altitude] + measured + receiver

  /// The properties of a point, whose geometry has the position and the altitude.
  static let properties = [timestamp] + own + receiver
}
