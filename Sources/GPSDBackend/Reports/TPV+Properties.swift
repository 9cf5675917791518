public import FoundationEssentials

extension TPV {
  /// The fix mode: 0 unknown, 1 no fix, 2 two-dimensional, 3 three-dimensional.
  public var mode: Int? { integer(.mode) }
  /// The kind of fix: 1 autonomous, 2 differential, 3 RTK fixed, 4 RTK float, 5 dead reckoning, 6
  /// dead reckoning combined with GNSS, 7 surveyed, 8 simulated, 9 P(Y) code. Usually absent for an
  /// autonomous fix.
  public var status: Int? { integer(.status) }
  /// The time of the fix, by the receiver's clock.
  public var time: Date? { date(.time) }
  /// The error of ``time`` in seconds.
  public var timeError: Double? { self[.timeError] }
  /// The latitude in degrees north, -90...90, in the frame of ``datum``.
  public var latitude: Double? { self[.latitude] }
  /// The longitude in degrees east, -180...180, in the frame of ``datum``.
  public var longitude: Double? { self[.longitude] }
  /// The altitude in metres above the ellipsoid, most likely WGS 84.
  public var ellipsoidalAltitude: Double? { self[.ellipsoidalAltitude] }
  /// The altitude in metres above mean sea level.
  public var altitude: Double? { self[.altitude] }
  /// The altitude in metres with an undefined reference; the only altitude of gpsd before 3.20.
  public var undefinedAltitude: Double? { self[.undefinedAltitude] }
  /// The height of mean sea level above the ellipsoid in metres.
  public var geoidSeparation: Double? { self[.geoidSeparation] }
  /// The radius of the horizontal error in metres.
  public var horizontalError: Double? { self[.horizontalError] }
  /// The error of the longitude in metres.
  public var longitudeError: Double? { self[.longitudeError] }
  /// The error of the latitude in metres.
  public var latitudeError: Double? { self[.latitudeError] }
  /// The error of the altitude in metres.
  public var verticalError: Double? { self[.verticalError] }
  /// The radius of the three-dimensional error in metres.
  public var sphericalError: Double? { self[.sphericalError] }
  /// The course over ground in degrees clockwise from true north, 0...360.
  public var track: Double? { self[.track] }
  /// The course over ground in degrees clockwise from magnetic north, 0...360.
  public var magneticTrack: Double? { self[.magneticTrack] }
  /// The error of ``track`` in degrees.
  public var trackError: Double? { self[.trackError] }
  /// The angle from true north to magnetic north in degrees, -180...180. East is positive in what
  /// gpsd sends; gpsd's manual states that west is positive.
  public var magneticVariation: Double? { self[.magneticVariation] }
  /// The speed over ground in metres per second.
  public var speed: Double? { self[.speed] }
  /// The error of ``speed`` in metres per second.
  public var speedError: Double? { self[.speedError] }
  /// The vertical speed in metres per second; positive is up.
  public var climb: Double? { self[.climb] }
  /// The error of ``climb`` in metres per second.
  public var climbError: Double? { self[.climbError] }
  /// The X coordinate in the Earth-centred, Earth-fixed (ECEF) frame, in metres.
  public var ecefX: Double? { self[.ecefX] }
  /// The Y coordinate in the ECEF frame, in metres.
  public var ecefY: Double? { self[.ecefY] }
  /// The Z coordinate in the ECEF frame, in metres.
  public var ecefZ: Double? { self[.ecefZ] }
  /// The error of the position in the ECEF frame, in metres.
  public var ecefPositionError: Double? { self[.ecefPositionError] }
  /// The velocity along the X axis of the ECEF frame, in metres per second.
  public var ecefVelocityX: Double? { self[.ecefVelocityX] }
  /// The velocity along the Y axis of the ECEF frame, in metres per second.
  public var ecefVelocityY: Double? { self[.ecefVelocityY] }
  /// The velocity along the Z axis of the ECEF frame, in metres per second.
  public var ecefVelocityZ: Double? { self[.ecefVelocityZ] }
  /// The error of the velocity in the ECEF frame, in metres per second.
  public var ecefVelocityError: Double? { self[.ecefVelocityError] }
  /// The velocity to the north in metres per second.
  public var velocityNorth: Double? { self[.velocityNorth] }
  /// The velocity to the east in metres per second.
  public var velocityEast: Double? { self[.velocityEast] }
  /// The downward velocity in metres per second.
  public var velocityDown: Double? { self[.velocityDown] }
  /// The distance north of the base station in metres.
  public var relativeNorth: Double? { self[.relativeNorth] }
  /// The distance east of the base station in metres.
  public var relativeEast: Double? { self[.relativeEast] }
  /// The distance below the base station in metres.
  public var relativeDown: Double? { self[.relativeDown] }
  /// The status of the baseline to the base station, with the codes of ``status``.
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
  /// The age of the differential corrections in seconds.
  public var differentialAge: Double? { self[.differentialAge] }
  /// The reference station of the differential corrections.
  public var differentialStation: Int? { integer(.differentialStation) }
  /// The ratio of the RTK ambiguity validation.
  public var differentialRatio: Double? { self[.differentialRatio] }
  /// GPS time minus UTC in seconds.
  public var leapSeconds: Int? { integer(.leapSeconds) }
  /// The depth of water in metres, most likely below the keel.
  public var depth: Double? { self[.depth] }
  /// The wind direction in degrees from magnetic north.
  public var windAngleMagnetic: Double? { self[.windAngleMagnetic] }
  /// The wind direction in degrees from the bow.
  public var windAngleRelative: Double? { self[.windAngleRelative] }
  /// The wind direction in degrees from true north.
  public var windAngleTrue: Double? { self[.windAngleTrue] }
  /// The apparent wind speed on board in metres per second.
  public var windSpeedRelative: Double? { self[.windSpeedRelative] }
  /// The wind speed over ground in metres per second.
  public var windSpeedTrue: Double? { self[.windSpeedTrue] }
  /// The air temperature in degrees Celsius.
  public var airTemperature: Double? { self[.airTemperature] }
  /// The water temperature in degrees Celsius.
  public var waterTemperature: Double? { self[.waterTemperature] }
  /// The receiver's code for the antenna status.
  public var antennaStatus: Int? { integer(.antennaStatus) }
  /// The receiver's jamming indicator; 0 means no jamming.
  public var jamming: Int? { integer(.jamming) }
  /// The offset of the receiver's clock from GPS time in nanoseconds.
  public var clockBias: Double? { self[.clockBias] }
  /// The rate of change of ``clockBias`` in nanoseconds per second.
  public var clockDrift: Double? { self[.clockDrift] }
  /// The semi-major axis of the horizontal error ellipse in metres; newer releases of gpsd.
  public var semiMajorError: Double? { self[.semiMajorError] }
  /// The semi-minor axis of the horizontal error ellipse in metres.
  public var semiMinorError: Double? { self[.semiMinorError] }
  /// The direction of the semi-major axis in degrees clockwise from true north.
  public var semiMajorOrientation: Double? { self[.semiMajorOrientation] }
  /// The receiver's code for the antenna power; newer releases of gpsd.
  public var antennaPower: Int? { integer(.antennaPower) }
}
