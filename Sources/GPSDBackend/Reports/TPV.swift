/// gpsd's TPV: a receiver's position, time and velocity.
///
/// Error estimates are from the receiver or from gpsd, and are intended as 95 % confidence.
public struct TPV: Sendable, Hashable {
  package enum Field: Int, ReportField {
    case mode, status, time, timeError, latitude, longitude, ellipsoidalAltitude, altitude,
      undefinedAltitude, geoidSeparation, horizontalError, longitudeError, latitudeError,
      verticalError, sphericalError, track, magneticTrack, trackError, magneticVariation, speed,
      speedError, climb, climbError, ecefX, ecefY, ecefZ, ecefPositionError, ecefVelocityX,
      ecefVelocityY, ecefVelocityZ, ecefVelocityError, velocityNorth, velocityEast, velocityDown,
      relativeNorth, relativeEast, relativeDown, baselineStatus, baselineEast, baselineNorth,
      baselineUp, baselineLength, baselineCourse, differentialAge, differentialStation,
      differentialRatio, leapSeconds, depth, windAngleMagnetic, windAngleRelative, windAngleTrue,
      windSpeedRelative, windSpeedTrue, airTemperature, waterTemperature, antennaStatus, jamming,
      clockBias, clockDrift, semiMajorError, semiMinorError, semiMajorOrientation, antennaPower
    /// Fields that are not numbers; used only by the decoder.
    case deviceName, datumName, className
  }

  private var numbers = Numbers<63>()
  /// The receiver that sent the report.
  public private(set) var device: String?
  /// The name of the position's reference frame, such as "WGS84".
  public private(set) var datum: String?
  var unknown = UnknownMembers()
  /// Members without a property here, such as those of a later gpsd, by name; see ``JSONValue``.
  public var unknownMembers: [String: JSONValue] { unknown.all }

  init() {}

  package subscript(_ field: Field) -> Double? {
    @inline(__always) get { numbers[field.rawValue] }
  }

  /// Replaces all numbers with those of another report; texts stay unchanged.
  @inline(never)
  mutating func replaceNumbers(with other: borrowing Self) {
    numbers.replace(with: other.numbers)
  }

  /// Takes the numbers that a later report has, and keeps those that it lacks.
  mutating func updateNumbers(with later: borrowing Self) { numbers.update(with: later.numbers) }
}

extension TPV: ReportFields {
  static let className: String? = "TPV"
  static let specifications = Field.allCases.map(\.specification)
  static let table = FieldTable(specifications)
  static var orderSlot: Int { 1 }

  @inline(__always)
  func number(_ field: Int) -> Double? { numbers[field] }

  @inline(__always)
  mutating func removeAll() {
    numbers.removeAll()
    (device, datum) = (nil, nil)
  }

  mutating func remove(_ field: Int) {
    if field < Field.deviceName.rawValue {
      numbers.remove(field)
    } else if field == Field.deviceName.rawValue {
      device = nil
    } else {
      set(field, String?.none)
    }
  }

  @inline(__always)
  mutating func set(_ field: Int, _ value: Double) { numbers.set(field, value) }

  mutating func set(_ field: Int, _ text: ScannedText, _ memory: inout DecoderMemory) {
    // Every report has a device, so it takes a fast path.
    if field == Field.deviceName.rawValue {
      device = memory.names.name(text)
    } else {
      set(field, text.string())
    }
  }

  mutating func set(_ field: Int, _ text: String?) {
    switch Field(rawValue: field) {
    case .deviceName: device = text
    case .datumName: datum = text
    default: break
    }
  }

  func text(_ field: Int) -> String? {
    switch Field(rawValue: field) {
    case .deviceName: device
    case .datumName: datum
    default: nil
    }
  }
}

extension TPV.Field {
  var specification: FieldSpecification {
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
    case .semiMajorError: .number("errEllMaj", .nonNegative)
    case .semiMinorError: .number("errEllMin", .nonNegative)
    case .semiMajorOrientation: .number("errEllOr", -360...360)
    case .antennaPower: .integer("antPwr", -1...255)
    case .deviceName: .text("device")
    case .datumName: .text("datum")
    case .className: .className
    }
  }
}
