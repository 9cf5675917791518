package import FoundationEssentials

/// gpsd's TPV: where one receiver is, when, and how it moves.
///
/// Error estimates are the receiver's or gpsd's own, meant as 95 %.
package struct TimePositionVelocityReport: Sendable, Equatable {
  /// What is measured. Metres, seconds, metres a second and degrees unless said otherwise.
  package enum Field: Int, Sendable, CaseIterable {
    /// 0 nothing seen yet, 1 no fix, 2 two dimensions, 3 three.
    case mode
    /// `STATUS_*`, 0...9; absent for a plain fix.
    case status
    /// When the fix was true, seconds since 2001, UTC; see ``TimePositionVelocityReport/time``.
    case time
    /// Error of the time.
    case timeError
    /// North, -90...90.
    case latitude
    /// East, -180...180.
    case longitude
    /// Above the ellipsoid.
    case ellipsoidalAltitude
    /// Above mean sea level.
    case altitude
    /// Of undefined reference; gpsd before 3.20 has no other.
    case undefinedAltitude
    /// The ellipsoid's height of mean sea level.
    case geoidSeparation
    /// Radius of the position's error.
    case horizontalError
    case longitudeError
    case latitudeError
    case verticalError
    /// Radius of the position's error in three dimensions.
    case sphericalError
    /// Direction of movement, clockwise from true north, 0...360.
    case track
    /// The same from magnetic north.
    case magneticTrack
    case trackError
    /// How far magnetic north lies off true north, -180...180. The documentation has the west
    /// positive; what gpsd sends has the east.
    case magneticVariation
    /// Over ground.
    case speed
    case speedError
    /// Upwards.
    case climb
    case climbError
    /// Earth-centred, Earth-fixed position.
    case ecefX, ecefY, ecefZ
    case ecefPositionError
    /// Earth-centred, Earth-fixed velocity.
    case ecefVelocityX, ecefVelocityY, ecefVelocityZ
    case ecefVelocityError
    /// Velocity in the local frame.
    case velocityNorth, velocityEast, velocityDown
    /// Position relative to a base station.
    case relativeNorth, relativeEast, relativeDown
    /// Status of the baseline to the base station.
    case baselineStatus
    case baselineEast, baselineNorth, baselineUp
    case baselineLength
    /// Direction of the baseline.
    case baselineCourse
    /// Of the differential corrections.
    case differentialAge
    /// The station they come from, 0...4095.
    case differentialStation
    /// The ratio of an RTK solution's validation.
    case differentialRatio
    /// GPS time less UTC.
    case leapSeconds
    /// Of the water.
    case depth
    /// Wind, degrees from magnetic north, the bow and true north.
    case windAngleMagnetic, windAngleRelative, windAngleTrue
    case windSpeedRelative, windSpeedTrue
    /// Degrees Celsius.
    case airTemperature, waterTemperature
    /// The receiver's code for its antenna.
    case antennaStatus
    /// 0 none to 255 strong.
    case jamming
    /// The receiver's clock against GPS time, nanoseconds, and its change in nanoseconds a second.
    case clockBias, clockDrift
    /// Not kept: of use to the decoder alone.
    case deviceName, datumName, className
  }

  private var numbers = Numbers<60>()
  /// The receiver that reports.
  package private(set) var device: String?
  /// The frame of the position by name, such as "WGS84".
  package private(set) var datum: String?

  init() {}

  package subscript(_ field: Field) -> Double? { numbers[field.rawValue] }

  /// When the fix was true by the receiver's clock.
  package var time: Date? {
    numbers[Field.time.rawValue].map(Date.init(timeIntervalSinceReferenceDate:))
  }
}

extension TimePositionVelocityReport: ReportFields {
  static let className: String? = "TPV"
  static let table = FieldTable(Field.allCases.map(\.specification))

  mutating func remove(_ field: Int) {
    if field < Field.deviceName.rawValue {
      numbers.remove(field)
    } else if field == Field.deviceName.rawValue {
      device = nil
    } else if field == Field.datumName.rawValue {
      datum = nil
    }
  }

  @inline(__always)
  mutating func set(_ field: Int, _ value: Double) { numbers.set(field, value) }

  mutating func set(_ field: Int, _ text: ScannedText, _ names: inout NameCache) {
    if field == Field.deviceName.rawValue {
      device = names.name(text)
    } else {
      datum = text.string()
    }
  }
}

extension TimePositionVelocityReport.Field {
  fileprivate var specification: FieldSpecification {
    switch self {
    case .mode: .integer("mode", 0...3)
    case .status: .integer("status", 0...9)
    case .time: .time("time")
    case .timeError: .number("ept", .nonNegative)
    case .latitude: .number("lat", -90...90)
    case .longitude: .number("lon", -180...180)
    case .ellipsoidalAltitude: .number("altHAE", .altitude)
    case .altitude: .number("altMSL", .altitude)
    case .undefinedAltitude: .number("alt", .altitude)
    case .geoidSeparation: .number("geoidSep")
    case .horizontalError: .number("eph", .nonNegative)
    case .longitudeError: .number("epx", .nonNegative)
    case .latitudeError: .number("epy", .nonNegative)
    case .verticalError: .number("epv", .nonNegative)
    case .sphericalError: .number("sep", .nonNegative)
    case .track: .number("track", .degrees)
    case .magneticTrack: .number("magtrack", .degrees)
    case .trackError: .number("epd", .nonNegative)
    case .magneticVariation: .number("magvar", .signedDegrees)
    case .speed: .number("speed", .nonNegative)
    case .speedError: .number("eps", .nonNegative)
    case .climb: .number("climb")
    case .climbError: .number("epc", .nonNegative)
    case .ecefX: .number("ecefx")
    case .ecefY: .number("ecefy")
    case .ecefZ: .number("ecefz")
    case .ecefPositionError: .number("ecefpAcc", .nonNegative)
    case .ecefVelocityX: .number("ecefvx")
    case .ecefVelocityY: .number("ecefvy")
    case .ecefVelocityZ: .number("ecefvz")
    case .ecefVelocityError: .number("ecefvAcc", .nonNegative)
    case .velocityNorth: .number("velN")
    case .velocityEast: .number("velE")
    case .velocityDown: .number("velD")
    case .relativeNorth: .number("relN")
    case .relativeEast: .number("relE")
    case .relativeDown: .number("relD")
    case .baselineStatus: .integer("baseS", 0...255)
    case .baselineEast: .number("baseE")
    case .baselineNorth: .number("baseN")
    case .baselineUp: .number("baseU")
    case .baselineLength: .number("baseL", .nonNegative)
    case .baselineCourse: .number("baseC", .degrees)
    case .differentialAge: .number("dgpsAge", .nonNegative)
    case .differentialStation: .integer("dgpsSta", 0...4095)
    case .differentialRatio: .number("dgpsRatio", .nonNegative)
    case .leapSeconds: .integer("leapseconds", -255...255)
    case .depth: .number("depth")
    case .windAngleMagnetic: .number("wanglem", -360...360)
    case .windAngleRelative: .number("wangler", -360...360)
    case .windAngleTrue: .number("wanglet", -360...360)
    case .windSpeedRelative: .number("wspeedr", .nonNegative)
    case .windSpeedTrue: .number("wspeedt", .nonNegative)
    case .airTemperature: .number("temp")
    case .waterTemperature: .number("wtemp")
    case .antennaStatus: .integer("ant", 0...255)
    case .jamming: .integer("jam", 0...255)
    case .clockBias: .number("clockbias")
    case .clockDrift: .number("clockdrift")
    case .deviceName: .text("device")
    case .datumName: .text("datum")
    case .className: .className
    }
  }
}
