package import FoundationEssentials

/// gpsd's ATT: what a compass, a gyroscope or a receiver with several antennas measures.
package struct AttitudeReport: Sendable, Equatable {
  package enum Field: Int, Sendable, CaseIterable {
    /// Seconds since 2001, UTC; see ``AttitudeReport/time``.
    case time
    /// Where it points: degrees clockwise from true north, and from magnetic north, 0...360.
    case heading, magneticHeading
    /// Degrees.
    case pitch, roll, yaw
    /// Degrees a second, or as the receiver has it.
    case rateOfTurn
    /// Degrees by which the magnetic field points downward, or as the sensor has it.
    case dip
    /// The magnetic field in the sensor's units, its strength and along the axes.
    case magneticLength, magneticX, magneticY, magneticZ
    /// The acceleration in the sensor's units.
    case accelerationLength, accelerationX, accelerationY, accelerationZ
    /// The rotation about the axes.
    case gyroscopeX, gyroscopeY, gyroscopeZ
    /// Degrees Celsius at the sensor.
    case gyroscopeTemperature, temperature
    /// Metres of water.
    case depth
    /// The sensor's clock, in its own units.
    case timeTag
    /// Status, metres and degrees of the baseline between antennas.
    case baselineStatus, baselineEast, baselineNorth, baselineUp, baselineLength, baselineCourse
    /// Not kept: of use to the decoder alone.
    case deviceName, magneticStatusCode, pitchStatusCode, rollStatusCode, yawStatusCode, className
  }

  private var numbers = Numbers<29>()
  /// The sensor that reports.
  package private(set) var device: String?
  /// The sensor's codes for the state of its parts, such as "N" for normal.
  package private(set) var magneticStatus: String?
  package private(set) var pitchStatus: String?
  package private(set) var rollStatus: String?
  package private(set) var yawStatus: String?

  init() {}

  package subscript(_ field: Field) -> Double? { numbers[field.rawValue] }

  /// When, by the sensor's clock.
  package var time: Date? {
    numbers[Field.time.rawValue].map(Date.init(timeIntervalSinceReferenceDate:))
  }
}

extension AttitudeReport: ReportFields {
  static let className: String? = "ATT"
  static let table = FieldTable(Field.allCases.map(\.specification))

  mutating func remove(_ field: Int) {
    guard field >= Field.deviceName.rawValue else { return numbers.remove(field) }
    set(field, nil)
  }

  @inline(__always)
  mutating func set(_ field: Int, _ value: Double) { numbers.set(field, value) }

  mutating func set(_ field: Int, _ text: ScannedText, _ names: inout NameCache) {
    set(field, field == Field.deviceName.rawValue ? names.name(text) : text.string())
  }

  private mutating func set(_ field: Int, _ text: String?) {
    switch Field(rawValue: field) {
    case .deviceName: device = text
    case .magneticStatusCode: magneticStatus = text
    case .pitchStatusCode: pitchStatus = text
    case .rollStatusCode: rollStatus = text
    case .yawStatusCode: yawStatus = text
    default: break
    }
  }
}

extension AttitudeReport.Field {
  fileprivate var specification: FieldSpecification {
    switch self {
    case .time: .time("time")
    case .heading: .number("heading", .degrees)
    case .magneticHeading: .number("mheading", .degrees)
    case .pitch: .number("pitch", -360...360)
    case .roll: .number("roll", -360...360)
    case .yaw: .number("yaw", -360...360)
    case .rateOfTurn: .number("rot")
    case .dip: .number("dip")
    case .magneticLength: .number("mag_len")
    case .magneticX: .number("mag_x")
    case .magneticY: .number("mag_y")
    case .magneticZ: .number("mag_z")
    case .accelerationLength: .number("acc_len")
    case .accelerationX: .number("acc_x")
    case .accelerationY: .number("acc_y")
    case .accelerationZ: .number("acc_z")
    case .gyroscopeX: .number("gyro_x")
    case .gyroscopeY: .number("gyro_y")
    case .gyroscopeZ: .number("gyro_z")
    case .gyroscopeTemperature: .number("gyro_temp")
    case .temperature: .number("temp")
    case .depth: .number("depth")
    case .timeTag: .integer("timeTag", .count)
    case .baselineStatus: .integer("baseS", 0...255)
    case .baselineEast: .number("baseE")
    case .baselineNorth: .number("baseN")
    case .baselineUp: .number("baseU")
    case .baselineLength: .number("baseL", .nonNegative)
    case .baselineCourse: .number("baseC", .degrees)
    case .deviceName: .text("device")
    case .magneticStatusCode: .text("mag_st")
    case .pitchStatusCode: .text("pitch_st")
    case .rollStatusCode: .text("roll_st")
    case .yawStatusCode: .text("yaw_st")
    case .className: .className
    }
  }
}
