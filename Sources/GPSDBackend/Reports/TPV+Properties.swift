public import FoundationEssentials

extension TPV {
  /// 0 nothing seen yet, 1 no fix, 2 two dimensions, 3 three.
  public var mode: Int? { integer(.mode) }
  /// The kind of fix: 1 plain, 2 differential, 3 RTK fixed, 4 RTK floating, 5 dead reckoning, 6
  /// dead reckoning with GNSS, 7 surveyed, 8 simulated, 9 P(Y) code. Absent for a plain fix,
  /// mostly.
  public var status: Int? { integer(.status) }
  /// When the fix was true, by the receiver's clock.
  public var time: Date? { date(.time) }
  /// Seconds, the error of ``time``.
  public var timeError: Double? { self[.timeError] }
  /// Degrees north, -90...90, in the frame of ``datum``.
  public var latitude: Double? { self[.latitude] }
  /// Degrees east, -180...180, in the frame of ``datum``.
  public var longitude: Double? { self[.longitude] }
  /// Metres above the ellipsoid, WGS 84 in all likelihood.
  public var ellipsoidalAltitude: Double? { self[.ellipsoidalAltitude] }
  /// Metres above mean sea level.
  public var altitude: Double? { self[.altitude] }
  /// Metres, of undefined reference; gpsd before 3.20 has no other.
  public var undefinedAltitude: Double? { self[.undefinedAltitude] }
  /// Metres, the height of mean sea level above the ellipsoid.
  public var geoidSeparation: Double? { self[.geoidSeparation] }
  /// Metres, the radius of the horizontal error.
  public var horizontalError: Double? { self[.horizontalError] }
  /// Metres.
  public var longitudeError: Double? { self[.longitudeError] }
  /// Metres.
  public var latitudeError: Double? { self[.latitudeError] }
  /// Metres.
  public var verticalError: Double? { self[.verticalError] }
  /// Metres, the radius of the error in three dimensions.
  public var sphericalError: Double? { self[.sphericalError] }
  /// Degrees clockwise from true north, 0...360: the course over ground.
  public var track: Double? { self[.track] }
  /// Degrees clockwise from magnetic north, 0...360: the course over ground.
  public var magneticTrack: Double? { self[.magneticTrack] }
  /// Degrees.
  public var trackError: Double? { self[.trackError] }
  /// Degrees by which magnetic north lies off true north, -180...180. The manual has the west
  /// positive; what gpsd sends has the east.
  public var magneticVariation: Double? { self[.magneticVariation] }
  /// Metres a second, over ground.
  public var speed: Double? { self[.speed] }
  /// Metres a second.
  public var speedError: Double? { self[.speedError] }
  /// Metres a second, upwards.
  public var climb: Double? { self[.climb] }
  /// Metres a second.
  public var climbError: Double? { self[.climbError] }
  /// Metres, the position along the X axis of the earth-centred, earth-fixed frame.
  public var ecefX: Double? { self[.ecefX] }
  /// Metres, along its Y axis.
  public var ecefY: Double? { self[.ecefY] }
  /// Metres, along its Z axis.
  public var ecefZ: Double? { self[.ecefZ] }
  /// Metres, the error of the position in that frame.
  public var ecefPositionError: Double? { self[.ecefPositionError] }
  /// Metres a second, the velocity along the X axis of that frame.
  public var ecefVelocityX: Double? { self[.ecefVelocityX] }
  /// Metres a second, along its Y axis.
  public var ecefVelocityY: Double? { self[.ecefVelocityY] }
  /// Metres a second, along its Z axis.
  public var ecefVelocityZ: Double? { self[.ecefVelocityZ] }
  /// Metres a second, the error of the velocity in that frame.
  public var ecefVelocityError: Double? { self[.ecefVelocityError] }
  /// Metres a second, northwards.
  public var velocityNorth: Double? { self[.velocityNorth] }
  /// Metres a second, eastwards.
  public var velocityEast: Double? { self[.velocityEast] }
  /// Metres a second, downwards.
  public var velocityDown: Double? { self[.velocityDown] }
  /// Metres north of the base station.
  public var relativeNorth: Double? { self[.relativeNorth] }
  /// Metres east of the base station.
  public var relativeEast: Double? { self[.relativeEast] }
  /// Metres below the base station.
  public var relativeDown: Double? { self[.relativeDown] }
  /// The status of the baseline to the base station, as ``status`` counts.
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
  /// Seconds, the age of the differential corrections.
  public var differentialAge: Double? { self[.differentialAge] }
  /// The station they come from.
  public var differentialStation: Int? { integer(.differentialStation) }
  /// The ratio of an RTK solution's validation.
  public var differentialRatio: Double? { self[.differentialRatio] }
  /// Seconds, GPS time less UTC.
  public var leapSeconds: Int? { integer(.leapSeconds) }
  /// Metres of water, below the keel in all likelihood.
  public var depth: Double? { self[.depth] }
  /// Degrees from magnetic north, the wind.
  public var windAngleMagnetic: Double? { self[.windAngleMagnetic] }
  /// Degrees from the bow, the wind.
  public var windAngleRelative: Double? { self[.windAngleRelative] }
  /// Degrees from true north, the wind.
  public var windAngleTrue: Double? { self[.windAngleTrue] }
  /// Metres a second, the wind as it is felt on board.
  public var windSpeedRelative: Double? { self[.windSpeedRelative] }
  /// Metres a second, the wind over ground.
  public var windSpeedTrue: Double? { self[.windSpeedTrue] }
  /// Degrees Celsius.
  public var airTemperature: Double? { self[.airTemperature] }
  /// Degrees Celsius.
  public var waterTemperature: Double? { self[.waterTemperature] }
  /// The receiver's code for the state of its antenna.
  public var antennaStatus: Int? { integer(.antennaStatus) }
  /// How strongly the receiver is jammed, 0 not at all.
  public var jamming: Int? { integer(.jamming) }
  /// Nanoseconds, the receiver's clock against GPS time.
  public var clockBias: Double? { self[.clockBias] }
  /// Nanoseconds a second, the change of ``clockBias``.
  public var clockDrift: Double? { self[.clockDrift] }
  /// Metres, the longer half axis of the horizontal error's ellipse; newer releases of gpsd.
  public var semiMajorError: Double? { self[.semiMajorError] }
  /// Metres, its shorter half axis.
  public var semiMinorError: Double? { self[.semiMinorError] }
  /// Degrees clockwise from true north, the direction of the longer half axis.
  public var semiMajorOrientation: Double? { self[.semiMajorOrientation] }
  /// The receiver's code for the power of its antenna; newer releases of gpsd.
  public var antennaPower: Int? { integer(.antennaPower) }
}
