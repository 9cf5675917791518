/// gpsd's ATT: measurements of a compass, a gyroscope or a multi-antenna receiver. Also its IMU,
/// one of several such measurements within an epoch.
public struct ATT: Sendable, Hashable {
  package enum Field: Int, ReportField {
    case time, heading, magneticHeading, pitch, roll, yaw, rateOfTurn, dip, magneticLength,
      magneticX, magneticY, magneticZ, accelerationLength, accelerationX, accelerationY,
      accelerationZ, gyroscopeX, gyroscopeY, gyroscopeZ, gyroscopeTemperature, temperature, depth,
      timeTag, baselineStatus, baselineEast, baselineNorth, baselineUp, baselineLength,
      baselineCourse
    /// Fields that are not numbers; used only by the decoder.
    case deviceName, magneticStatusCode, pitchStatusCode, rollStatusCode, yawStatusCode,
      messageName, className
  }

  private var numbers = Numbers<29>()
  /// The sensor that sent the report.
  public private(set) var device: String?
  /// The sensor's code for the magnetometer status, such as "N" for normal.
  public private(set) var magneticStatus: String?
  /// The sensor's code for the pitch status.
  public private(set) var pitchStatus: String?
  /// The sensor's code for the roll status.
  public private(set) var rollStatus: String?
  /// The sensor's code for the yaw status.
  public private(set) var yawStatus: String?
  /// The sensor's message that was converted, such as "UBX-ESF-MEAS"; newer releases of gpsd.
  public private(set) var message: String?
  var unknown = UnknownMembers()
  /// Members without a property here, such as those of a later gpsd, by name; see ``JSONValue``.
  public var unknownMembers: [String: JSONValue] { unknown.all }

  init() {}

  package subscript(_ field: Field) -> Double? {
    @inline(__always) get { numbers[field.rawValue] }
  }
}

extension ATT: ReportFields {
  static let className: String? = "ATT"
  static let specifications = Field.allCases.map(\.specification)
  static let table = FieldTable(specifications)
  static var orderSlot: Int { 4 }

  @inline(__always)
  func number(_ field: Int) -> Double? { numbers[field] }

  mutating func remove(_ field: Int) {
    guard field >= Field.deviceName.rawValue else { return numbers.remove(field) }
    set(field, String?.none)
  }

  @inline(__always)
  mutating func set(_ field: Int, _ value: Double) { numbers.set(field, value) }

  mutating func set(_ field: Int, _ text: ScannedText, _ memory: inout DecoderMemory) {
    set(field, field == Field.deviceName.rawValue ? memory.names.name(text) : text.string())
  }

  mutating func set(_ field: Int, _ text: String?) {
    switch Field(rawValue: field) {
    case .deviceName: device = text
    case .magneticStatusCode: magneticStatus = text
    case .pitchStatusCode: pitchStatus = text
    case .rollStatusCode: rollStatus = text
    case .yawStatusCode: yawStatus = text
    case .messageName: message = text
    default: break
    }
  }

  func text(_ field: Int) -> String? {
    switch Field(rawValue: field) {
    case .deviceName: device
    case .magneticStatusCode: magneticStatus
    case .pitchStatusCode: pitchStatus
    case .rollStatusCode: rollStatus
    case .yawStatusCode: yawStatus
    case .messageName: message
    default: nil
    }
  }

  static var classNames: [String] { ["ATT", "IMU"] }
}

extension ATT.Field {
  var specification: FieldSpecification {
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
    case .messageName: .text("msg")
    case .className: .className
    }
  }
}
