package import FoundationEssentials

/// gpsd's SKY: the geometry of a fix, and the satellites.
package struct SkyReport: Sendable, Equatable {
  package enum Field: Int, Sendable, CaseIterable {
    /// Seconds since 2001, UTC; see ``SkyReport/time``.
    case time
    /// Dilutions of precision along longitude and latitude.
    case eastDilution, northDilution
    /// In height, time, the horizontal plane, three dimensions, and these with time.
    case verticalDilution, timeDilution, horizontalDilution, positionDilution, geometricDilution
    /// How many satellites are listed, and how many take part in the fix.
    case visibleCount, usedCount
    /// Metres a second, the residual of the pseudorange rates; seldom sent.
    case rateResidual
    /// The receiver's code for the quality of the fix; seldom sent.
    case quality
    /// Not kept: of use to the decoder alone.
    case deviceName, satelliteList, className
  }

  private var numbers = Numbers<12>()
  /// The receiver that reports.
  package private(set) var device: String?
  /// What the receiver tracks or predicts, in its order; nil when the report is about geometry.
  package private(set) var satellites: [SatelliteReport]?

  init() {}

  package subscript(_ field: Field) -> Double? { numbers[field.rawValue] }

  /// When, by the receiver's clock.
  package var time: Date? {
    numbers[Field.time.rawValue].map(Date.init(timeIntervalSinceReferenceDate:))
  }
}

extension SkyReport: ReportFields {
  static let className: String? = "SKY"
  static let table = FieldTable(Field.allCases.map(\.specification))

  mutating func remove(_ field: Int) {
    if field < Field.deviceName.rawValue {
      numbers.remove(field)
    } else if field == Field.deviceName.rawValue {
      device = nil
    } else if field == Field.satelliteList.rawValue {
      satellites = nil
    }
  }

  @inline(__always)
  mutating func set(_ field: Int, _ value: Double) { numbers.set(field, value) }

  mutating func set(_ field: Int, _ text: ScannedText, _ names: inout NameCache) {
    device = names.name(text)
  }

  mutating func begin(_ field: Int) {
    var list: [SatelliteReport] = []
    list.reserveCapacity(min(Int(self[.visibleCount] ?? 0), 256))
    satellites = list
  }

  mutating func add(
    _ field: Int, _ scanner: inout JSONScanner, _ names: inout NameCache
  ) throws(JSONScanner.Fault) {
    guard satellites?.count ?? 0 < Self.maximumListLength else {
      return try scanner.skipValue(depth: 2)
    }
    var satellite = SatelliteReport()
    _ = try scanner.fields(of: &satellite, in: SatelliteReport.table, depth: 3, &names)
    satellites?.append(satellite)
  }
}

extension SkyReport.Field {
  fileprivate var specification: FieldSpecification {
    switch self {
    case .time: .time("time")
    case .eastDilution: .number("xdop", .nonNegative)
    case .northDilution: .number("ydop", .nonNegative)
    case .verticalDilution: .number("vdop", .nonNegative)
    case .timeDilution: .number("tdop", .nonNegative)
    case .horizontalDilution: .number("hdop", .nonNegative)
    case .positionDilution: .number("pdop", .nonNegative)
    case .geometricDilution: .number("gdop", .nonNegative)
    case .visibleCount: .integer("nSat", 0...1000)
    case .usedCount: .integer("uSat", 0...1000)
    case .rateResidual: .number("prRes")
    case .quality: .integer("qual", 0...255)
    case .deviceName: .text("device")
    case .satelliteList: .list("satellites")
    case .className: .className
    }
  }
}

/// One satellite of a ``SkyReport``.
package struct SatelliteReport: Sendable, Equatable {
  package enum Field: Int, Sendable, CaseIterable {
    /// The receiver's number for it.
    case prn
    /// u-blox' number of its constellation, and its own within that.
    case constellation, vehicle
    /// u-blox' number of the signal; GLONASS's frequency slot plus 7.
    case signal, frequency
    /// Degrees above the horizon, -90...90; clockwise from true north, 0...360.
    case elevation, azimuth
    /// dB-Hz, 0...254.
    case signalStrength
    /// 1 when it takes part in the fix, 0 when not.
    case isUsed
    /// 0 unknown, 1 healthy, 2 not.
    case health
    /// Metres, the residual of its pseudorange; metres a second, that of its change.
    case residual, rateResidual
    /// u-blox' quality of the signal: 0 none, 1 searching, 2 acquired, 3 not usable, 4 locked on
    /// its code, 5...7 on its carrier too.
    case quality
  }

  private var numbers = Numbers<13>()

  init() {}

  package subscript(_ field: Field) -> Double? { numbers[field.rawValue] }
}

extension SatelliteReport: ReportFields {
  static let className: String? = nil
  static let table = FieldTable(Field.allCases.map(\.specification))

  @inline(__always)
  mutating func remove(_ field: Int) { numbers.remove(field) }
  @inline(__always)
  mutating func set(_ field: Int, _ value: Double) { numbers.set(field, value) }
}

extension SatelliteReport.Field {
  fileprivate var specification: FieldSpecification {
    switch self {
    case .prn: .integer("PRN", .count)
    case .constellation: .integer("gnssid", 0...255)
    case .vehicle: .integer("svid", 0...65_535)
    case .signal: .integer("sigid", 0...255)
    case .frequency: .integer("freqid", 0...255)
    case .elevation: .number("el", -90...90)
    case .azimuth: .number("az", .degrees)
    case .signalStrength: .number("ss", 0...254)
    case .isUsed: .flag("used")
    case .health: .integer("health", 0...255)
    case .residual: .number("prRes")
    case .rateResidual: .number("prrRes")
    case .quality: .integer("qual", 0...255)
    }
  }
}
