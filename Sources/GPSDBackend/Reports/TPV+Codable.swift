public import AsyncLocation
public import FoundationEssentials

extension TPV {
  /// Creates a report; omitted fields are absent.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` for a value that is not finite
  ///   or out of its range.
  public init(
    device: String? = nil, mode: Int? = nil, status: Int? = nil, time: Date? = nil,
    timeError: Double? = nil, latitude: Double? = nil, longitude: Double? = nil,
    ellipsoidalAltitude: Double? = nil, altitude: Double? = nil, undefinedAltitude: Double? = nil,
    geoidSeparation: Double? = nil, horizontalError: Double? = nil, longitudeError: Double? = nil,
    latitudeError: Double? = nil, verticalError: Double? = nil, sphericalError: Double? = nil,
    track: Double? = nil, magneticTrack: Double? = nil, trackError: Double? = nil,
    magneticVariation: Double? = nil, speed: Double? = nil, speedError: Double? = nil,
    climb: Double? = nil, climbError: Double? = nil, ecefX: Double? = nil, ecefY: Double? = nil,
    ecefZ: Double? = nil, ecefPositionError: Double? = nil, ecefVelocityX: Double? = nil,
    ecefVelocityY: Double? = nil, ecefVelocityZ: Double? = nil, ecefVelocityError: Double? = nil,
    velocityNorth: Double? = nil, velocityEast: Double? = nil, velocityDown: Double? = nil,
    relativeNorth: Double? = nil, relativeEast: Double? = nil, relativeDown: Double? = nil,
    baselineStatus: Int? = nil, baselineEast: Double? = nil, baselineNorth: Double? = nil,
    baselineUp: Double? = nil, baselineLength: Double? = nil, baselineCourse: Double? = nil,
    differentialAge: Double? = nil, differentialStation: Int? = nil,
    differentialRatio: Double? = nil, leapSeconds: Int? = nil, depth: Double? = nil,
    windAngleMagnetic: Double? = nil, windAngleRelative: Double? = nil,
    windAngleTrue: Double? = nil, windSpeedRelative: Double? = nil, windSpeedTrue: Double? = nil,
    airTemperature: Double? = nil, waterTemperature: Double? = nil, antennaStatus: Int? = nil,
    jamming: Int? = nil, clockBias: Double? = nil, clockDrift: Double? = nil,
    semiMajorError: Double? = nil, semiMinorError: Double? = nil,
    semiMajorOrientation: Double? = nil, antennaPower: Int? = nil, datum: String? = nil
  ) throws(LocationError) {
    self.init()
    put(.deviceName, device)
    try put(.mode, mode)
    try put(.status, status)
    try put(.time, time)
    try put(.timeError, timeError)
    try put(.latitude, latitude)
    try put(.longitude, longitude)
    try put(.ellipsoidalAltitude, ellipsoidalAltitude)
    try put(.altitude, altitude)
    try put(.undefinedAltitude, undefinedAltitude)
    try put(.geoidSeparation, geoidSeparation)
    try put(.horizontalError, horizontalError)
    try put(.longitudeError, longitudeError)
    try put(.latitudeError, latitudeError)
    try put(.verticalError, verticalError)
    try put(.sphericalError, sphericalError)
    try put(.track, track)
    try put(.magneticTrack, magneticTrack)
    try put(.trackError, trackError)
    try put(.magneticVariation, magneticVariation)
    try put(.speed, speed)
    try put(.speedError, speedError)
    try put(.climb, climb)
    try put(.climbError, climbError)
    try put(.ecefX, ecefX)
    try put(.ecefY, ecefY)
    try put(.ecefZ, ecefZ)
    try put(.ecefPositionError, ecefPositionError)
    try put(.ecefVelocityX, ecefVelocityX)
    try put(.ecefVelocityY, ecefVelocityY)
    try put(.ecefVelocityZ, ecefVelocityZ)
    try put(.ecefVelocityError, ecefVelocityError)
    try put(.velocityNorth, velocityNorth)
    try put(.velocityEast, velocityEast)
    try put(.velocityDown, velocityDown)
    try put(.relativeNorth, relativeNorth)
    try put(.relativeEast, relativeEast)
    try put(.relativeDown, relativeDown)
    try put(.baselineStatus, baselineStatus)
    try put(.baselineEast, baselineEast)
    try put(.baselineNorth, baselineNorth)
    try put(.baselineUp, baselineUp)
    try put(.baselineLength, baselineLength)
    try put(.baselineCourse, baselineCourse)
    try put(.differentialAge, differentialAge)
    try put(.differentialStation, differentialStation)
    try put(.differentialRatio, differentialRatio)
    try put(.leapSeconds, leapSeconds)
    try put(.depth, depth)
    try put(.windAngleMagnetic, windAngleMagnetic)
    try put(.windAngleRelative, windAngleRelative)
    try put(.windAngleTrue, windAngleTrue)
    try put(.windSpeedRelative, windSpeedRelative)
    try put(.windSpeedTrue, windSpeedTrue)
    try put(.airTemperature, airTemperature)
    try put(.waterTemperature, waterTemperature)
    try put(.antennaStatus, antennaStatus)
    try put(.jamming, jamming)
    try put(.clockBias, clockBias)
    try put(.clockDrift, clockDrift)
    try put(.semiMajorError, semiMajorError)
    try put(.semiMinorError, semiMinorError)
    try put(.semiMajorOrientation, semiMajorOrientation)
    try put(.antennaPower, antennaPower)
    put(.datumName, datum)
  }
}

extension TPV: Codable {
  public init(from decoder: any Decoder) throws { try self.init(reading: decoder) }
  public func encode(to encoder: any Encoder) throws { try write(to: encoder) }
}
