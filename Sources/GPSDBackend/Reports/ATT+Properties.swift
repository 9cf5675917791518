public import AsyncLocation
public import FoundationEssentials

extension ATT {
  /// The time of the measurement, by the sensor's clock.
  public var time: Date? { date(.time) }
  /// The heading in degrees clockwise from true north, 0...360.
  public var heading: Double? { self[.heading] }
  /// The heading in degrees clockwise from magnetic north, 0...360.
  public var magneticHeading: Double? { self[.magneticHeading] }
  /// The pitch in degrees.
  public var pitch: Double? { self[.pitch] }
  /// The roll in degrees.
  public var roll: Double? { self[.roll] }
  /// The yaw in degrees.
  public var yaw: Double? { self[.yaw] }
  /// The rate of turn in degrees per minute, or in the receiver's own unit.
  public var rateOfTurn: Double? { self[.rateOfTurn] }
  /// The downward angle of the magnetic field in degrees, or in the sensor's own unit.
  public var dip: Double? { self[.dip] }
  /// The strength of the magnetic field in the sensor's unit.
  public var magneticLength: Double? { self[.magneticLength] }
  /// The X component of the magnetic field in the sensor's unit.
  public var magneticX: Double? { self[.magneticX] }
  /// The Y component of the magnetic field in the sensor's unit.
  public var magneticY: Double? { self[.magneticY] }
  /// The Z component of the magnetic field in the sensor's unit.
  public var magneticZ: Double? { self[.magneticZ] }
  /// The magnitude of the acceleration in the sensor's unit.
  public var accelerationLength: Double? { self[.accelerationLength] }
  /// The X component of the acceleration in the sensor's unit.
  public var accelerationX: Double? { self[.accelerationX] }
  /// The Y component of the acceleration in the sensor's unit.
  public var accelerationY: Double? { self[.accelerationY] }
  /// The Z component of the acceleration in the sensor's unit.
  public var accelerationZ: Double? { self[.accelerationZ] }
  /// The rotation about the X axis in the sensor's unit.
  public var gyroscopeX: Double? { self[.gyroscopeX] }
  /// The rotation about the Y axis in the sensor's unit.
  public var gyroscopeY: Double? { self[.gyroscopeY] }
  /// The rotation about the Z axis in the sensor's unit.
  public var gyroscopeZ: Double? { self[.gyroscopeZ] }
  /// The gyroscope's temperature in degrees Celsius.
  public var gyroscopeTemperature: Double? { self[.gyroscopeTemperature] }
  /// The sensor's temperature in degrees Celsius.
  public var temperature: Double? { self[.temperature] }
  /// The depth of water in metres.
  public var depth: Double? { self[.depth] }
  /// The sensor's clock in its own unit.
  public var timeTag: Int? { integer(.timeTag) }
  /// The status of the baseline between antennas, with the codes of ``TPV/status``.
  public var baselineStatus: Int? { integer(.baselineStatus) }
  /// The east component of the baseline in metres.
  public var baselineEast: Double? { self[.baselineEast] }
  /// The north component of the baseline in metres.
  public var baselineNorth: Double? { self[.baselineNorth] }
  /// The upward component of the baseline in metres.
  public var baselineUp: Double? { self[.baselineUp] }
  /// The length of the baseline in metres.
  public var baselineLength: Double? { self[.baselineLength] }
  /// The direction of the baseline in degrees, 0...360.
  public var baselineCourse: Double? { self[.baselineCourse] }
}

extension ATT {
  /// Creates a report; omitted fields are absent.
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
