public import AsyncLocation
public import FoundationEssentials

extension ATT {
  /// When, by the sensor's clock.
  public var time: Date? { date(.time) }
  /// Degrees clockwise from true north, 0...360.
  public var heading: Double? { self[.heading] }
  /// Degrees clockwise from magnetic north, 0...360.
  public var magneticHeading: Double? { self[.magneticHeading] }
  /// Degrees.
  public var pitch: Double? { self[.pitch] }
  /// Degrees.
  public var roll: Double? { self[.roll] }
  /// Degrees.
  public var yaw: Double? { self[.yaw] }
  /// Degrees a minute, or as the receiver has it.
  public var rateOfTurn: Double? { self[.rateOfTurn] }
  /// Degrees by which the magnetic field points downward, or as the sensor has it.
  public var dip: Double? { self[.dip] }
  /// The strength of the magnetic field, in the sensor's units.
  public var magneticLength: Double? { self[.magneticLength] }
  /// The magnetic field along the X axis, in the sensor's units.
  public var magneticX: Double? { self[.magneticX] }
  /// The magnetic field along the Y axis.
  public var magneticY: Double? { self[.magneticY] }
  /// The magnetic field along the Z axis.
  public var magneticZ: Double? { self[.magneticZ] }
  /// The acceleration, in the sensor's units.
  public var accelerationLength: Double? { self[.accelerationLength] }
  /// The acceleration along the X axis, in the sensor's units.
  public var accelerationX: Double? { self[.accelerationX] }
  /// The acceleration along the Y axis.
  public var accelerationY: Double? { self[.accelerationY] }
  /// The acceleration along the Z axis.
  public var accelerationZ: Double? { self[.accelerationZ] }
  /// The rotation about the X axis, in the sensor's units.
  public var gyroscopeX: Double? { self[.gyroscopeX] }
  /// The rotation about the Y axis.
  public var gyroscopeY: Double? { self[.gyroscopeY] }
  /// The rotation about the Z axis.
  public var gyroscopeZ: Double? { self[.gyroscopeZ] }
  /// Degrees Celsius at the gyroscope.
  public var gyroscopeTemperature: Double? { self[.gyroscopeTemperature] }
  /// Degrees Celsius at the sensor.
  public var temperature: Double? { self[.temperature] }
  /// Metres of water.
  public var depth: Double? { self[.depth] }
  /// The sensor's clock, in its own units.
  public var timeTag: Int? { integer(.timeTag) }
  /// The status of the baseline between antennas, as a fix's status counts.
  public var baselineStatus: Int? { integer(.baselineStatus) }
  /// Metres, the baseline's part to the east.
  public var baselineEast: Double? { self[.baselineEast] }
  /// Metres, its part to the north.
  public var baselineNorth: Double? { self[.baselineNorth] }
  /// Metres, its part upwards.
  public var baselineUp: Double? { self[.baselineUp] }
  /// Metres, its length.
  public var baselineLength: Double? { self[.baselineLength] }
  /// Degrees, its direction, 0...360.
  public var baselineCourse: Double? { self[.baselineCourse] }
}

extension ATT {
  /// Creates a report; what is not given is absent.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` for a value that is not finite
  ///   or out of its range.
  public init(
    device: String? = nil, time: Date? = nil, heading: Double? = nil,
    magneticHeading: Double? = nil, pitch: Double? = nil, roll: Double? = nil, yaw: Double? = nil,
    rateOfTurn: Double? = nil, dip: Double? = nil, magneticLength: Double? = nil,
    magneticX: Double? = nil, magneticY: Double? = nil, magneticZ: Double? = nil,
    accelerationLength: Double? = nil, accelerationX: Double? = nil, accelerationY: Double? = nil,
    accelerationZ: Double? = nil, gyroscopeX: Double? = nil, gyroscopeY: Double? = nil,
    gyroscopeZ: Double? = nil, gyroscopeTemperature: Double? = nil, temperature: Double? = nil,
    depth: Double? = nil, timeTag: Int? = nil, baselineStatus: Int? = nil,
    baselineEast: Double? = nil, baselineNorth: Double? = nil, baselineUp: Double? = nil,
    baselineLength: Double? = nil, baselineCourse: Double? = nil, magneticStatus: String? = nil,
    pitchStatus: String? = nil, rollStatus: String? = nil, yawStatus: String? = nil,
    message: String? = nil
  ) throws(LocationError) {
    self.init()
    put(.deviceName, device)
    try put(.time, time)
    try put(.heading, heading)
    try put(.magneticHeading, magneticHeading)
    try put(.pitch, pitch)
    try put(.roll, roll)
    try put(.yaw, yaw)
    try put(.rateOfTurn, rateOfTurn)
    try put(.dip, dip)
    try put(.magneticLength, magneticLength)
    try put(.magneticX, magneticX)
    try put(.magneticY, magneticY)
    try put(.magneticZ, magneticZ)
    try put(.accelerationLength, accelerationLength)
    try put(.accelerationX, accelerationX)
    try put(.accelerationY, accelerationY)
    try put(.accelerationZ, accelerationZ)
    try put(.gyroscopeX, gyroscopeX)
    try put(.gyroscopeY, gyroscopeY)
    try put(.gyroscopeZ, gyroscopeZ)
    try put(.gyroscopeTemperature, gyroscopeTemperature)
    try put(.temperature, temperature)
    try put(.depth, depth)
    try put(.timeTag, timeTag)
    try put(.baselineStatus, baselineStatus)
    try put(.baselineEast, baselineEast)
    try put(.baselineNorth, baselineNorth)
    try put(.baselineUp, baselineUp)
    try put(.baselineLength, baselineLength)
    try put(.baselineCourse, baselineCourse)
    put(.magneticStatusCode, magneticStatus)
    put(.pitchStatusCode, pitchStatus)
    put(.rollStatusCode, rollStatus)
    put(.yawStatusCode, yawStatus)
    put(.messageName, message)
  }
}

extension ATT: Codable {
  public init(from decoder: any Decoder) throws { try self.init(reading: decoder) }
  public func encode(to encoder: any Encoder) throws { try write(to: encoder) }
}
