import AsyncLocation
public import FoundationEssentials

/// gpsd's TPV: a receiver's position, time and velocity.
///
/// Error estimates are from the receiver or from gpsd, and are intended as 95 % confidence.
public struct TPV: FieldReport {
  /// The fields of TPV.
  public struct Fields: Sendable {
    /// The fix mode: 0 unknown, 1 no fix, 2 two-dimensional, 3 three-dimensional.
    public let mode = ReportField<Int>("mode", 0...3)
    /// The kind of fix: 1 autonomous, 2 differential, 3 RTK fixed, 4 RTK float, 5 dead reckoning, 6
    /// dead reckoning combined with GNSS, 7 surveyed, 8 simulated, 9 P(Y) code. Usually absent for
    /// an autonomous fix.
    public let status = ReportField<Int>("status", 0...9)
    /// The time of the fix, by the receiver's clock.
    public let time = ReportField<Date>("time")
    /// The error of ``time`` in seconds.
    public let timeError = ReportField<Double>("ept", .nonNegative, in: .seconds)
    /// The latitude in degrees north, -90...90, in the frame of ``datum``.
    public let latitude = ReportField<Double>("lat", -90...90, in: .degrees)
    /// The longitude in degrees east, -180...180, in the frame of ``datum``.
    public let longitude = ReportField<Double>("lon", -180...180, in: .degrees)
    /// The altitude in metres above the ellipsoid, most likely WGS 84.
    public let ellipsoidalAltitude = ReportField<Double>("altHAE", .altitude, in: .metres)
    /// The altitude in metres above mean sea level.
    public let altitude = ReportField<Double>("altMSL", .altitude, in: .metres)
    /// The altitude in metres with an undefined reference; the only altitude of gpsd before 3.20.
    public let undefinedAltitude = ReportField<Double>("alt", .altitude, in: .metres)
    /// The height of mean sea level above the ellipsoid in metres.
    public let geoidSeparation = ReportField<Double>("geoidSep", in: .metres)
    /// The radius of the horizontal error in metres.
    public let horizontalError = ReportField<Double>("eph", .nonNegative, in: .metres)
    /// The error of the longitude in metres.
    public let longitudeError = ReportField<Double>("epx", .nonNegative, in: .metres)
    /// The error of the latitude in metres.
    public let latitudeError = ReportField<Double>("epy", .nonNegative, in: .metres)
    /// The error of the altitude in metres.
    public let verticalError = ReportField<Double>("epv", .nonNegative, in: .metres)
    /// The radius of the three-dimensional error in metres.
    public let sphericalError = ReportField<Double>("sep", .nonNegative, in: .metres)
    /// The course over ground in degrees clockwise from true north, 0...360.
    public let track = ReportField<Double>("track", 0...360, in: .degrees)
    /// The course over ground in degrees clockwise from magnetic north, 0...360.
    public let magneticTrack = ReportField<Double>("magtrack", 0...360, in: .degrees)
    /// The error of ``track`` in degrees.
    public let trackError = ReportField<Double>("epd", .nonNegative, in: .degrees)
    /// The angle from true north to magnetic north in degrees, -180...180. gpsd sends east as
    /// positive; its manual states that west is positive.
    public let magneticVariation = ReportField<Double>("magvar", -180...180, in: .degrees)
    /// The speed over ground in metres per second.
    public let speed = ReportField<Double>("speed", .nonNegative, in: .metresPerSecond)
    /// The error of ``speed`` in metres per second.
    public let speedError = ReportField<Double>("eps", .nonNegative, in: .metresPerSecond)
    /// The vertical speed in metres per second; positive is up.
    public let climb = ReportField<Double>("climb", in: .metresPerSecond)
    /// The error of ``climb`` in metres per second.
    public let climbError = ReportField<Double>("epc", .nonNegative, in: .metresPerSecond)
    /// The X coordinate in the Earth-centred, Earth-fixed (ECEF) frame, in metres.
    public let ecefX = ReportField<Double>("ecefx", in: .metres)
    /// The Y coordinate in the ECEF frame, in metres.
    public let ecefY = ReportField<Double>("ecefy", in: .metres)
    /// The Z coordinate in the ECEF frame, in metres.
    public let ecefZ = ReportField<Double>("ecefz", in: .metres)
    /// The error of the position in the ECEF frame, in metres.
    public let ecefPositionError = ReportField<Double>("ecefpAcc", .nonNegative, in: .metres)
    /// The velocity along the X axis of the ECEF frame, in metres per second.
    public let ecefVelocityX = ReportField<Double>("ecefvx", in: .metresPerSecond)
    /// The velocity along the Y axis of the ECEF frame, in metres per second.
    public let ecefVelocityY = ReportField<Double>("ecefvy", in: .metresPerSecond)
    /// The velocity along the Z axis of the ECEF frame, in metres per second.
    public let ecefVelocityZ = ReportField<Double>("ecefvz", in: .metresPerSecond)
    /// The error of the velocity in the ECEF frame, in metres per second.
    public let ecefVelocityError = ReportField<Double>(
      "ecefvAcc", .nonNegative, in: .metresPerSecond)
    /// The velocity to the north in metres per second.
    public let velocityNorth = ReportField<Double>("velN", in: .metresPerSecond)
    /// The velocity to the east in metres per second.
    public let velocityEast = ReportField<Double>("velE", in: .metresPerSecond)
    /// The downward velocity in metres per second.
    public let velocityDown = ReportField<Double>("velD", in: .metresPerSecond)
    /// The distance north of the base station in metres.
    public let relativeNorth = ReportField<Double>("relN", in: .metres)
    /// The distance east of the base station in metres.
    public let relativeEast = ReportField<Double>("relE", in: .metres)
    /// The distance below the base station in metres.
    public let relativeDown = ReportField<Double>("relD", in: .metres)
    /// The status of the baseline to the base station, with the codes of ``status``.
    public let baselineStatus = ReportField<Int>("baseS", 0...255)
    /// The east component of the baseline in metres.
    public let baselineEast = ReportField<Double>("baseE", in: .metres)
    /// The north component of the baseline in metres.
    public let baselineNorth = ReportField<Double>("baseN", in: .metres)
    /// The upward component of the baseline in metres.
    public let baselineUp = ReportField<Double>("baseU", in: .metres)
    /// The length of the baseline in metres.
    public let baselineLength = ReportField<Double>("baseL", .nonNegative, in: .metres)
    /// The direction of the baseline in degrees, 0...360.
    public let baselineCourse = ReportField<Double>("baseC", 0...360, in: .degrees)
    /// The age of the differential corrections in seconds.
    public let differentialAge = ReportField<Double>("dgpsAge", .nonNegative, in: .seconds)
    /// The reference station of the differential corrections.
    public let differentialStation = ReportField<Int>("dgpsSta", 0...4095)
    /// The ratio of the RTK ambiguity validation.
    public let differentialRatio = ReportField<Double>("dgpsRatio", .nonNegative)
    /// GPS time minus UTC in seconds.
    public let leapSeconds = ReportField<Int>("leapseconds", -255...255, in: .seconds)
    /// The depth of water in metres, most likely below the keel.
    public let depth = ReportField<Double>("depth", in: .metres)
    /// The wind direction in degrees from magnetic north.
    public let windAngleMagnetic = ReportField<Double>("wanglem", -360...360, in: .degrees)
    /// The wind direction in degrees from the bow.
    public let windAngleRelative = ReportField<Double>("wangler", -360...360, in: .degrees)
    /// The wind direction in degrees from true north.
    public let windAngleTrue = ReportField<Double>("wanglet", -360...360, in: .degrees)
    /// The apparent wind speed on board in metres per second.
    public let windSpeedRelative = ReportField<Double>(
      "wspeedr", .nonNegative, in: .metresPerSecond)
    /// The wind speed over ground in metres per second.
    public let windSpeedTrue = ReportField<Double>("wspeedt", .nonNegative, in: .metresPerSecond)
    /// The air temperature in degrees Celsius.
    public let airTemperature = ReportField<Double>("temp", in: .celsius)
    /// The water temperature in degrees Celsius.
    public let waterTemperature = ReportField<Double>("wtemp", in: .celsius)
    /// The receiver's code for the antenna status.
    public let antennaStatus = ReportField<Int>("ant", 0...255)
    /// The receiver's jamming indicator; 0 means no jamming.
    public let jamming = ReportField<Int>("jam", 0...255)
    /// The offset of the receiver's clock from GPS time in nanoseconds.
    public let clockBias = ReportField<Double>("clockbias", in: .nanoseconds)
    /// The rate of change of ``clockBias`` in nanoseconds per second.
    public let clockDrift = ReportField<Double>("clockdrift", in: .nanosecondsPerSecond)
    /// The semi-major axis of the horizontal error ellipse in metres; newer releases of gpsd.
    public let semiMajorError = ReportField<Double>("errEllMaj", .nonNegative)
    /// The semi-minor axis of the horizontal error ellipse in metres.
    public let semiMinorError = ReportField<Double>("errEllMin", .nonNegative)
    /// The direction of the semi-major axis in degrees clockwise from true north.
    public let semiMajorOrientation = ReportField<Double>("errEllOr", -360...360)
    /// The receiver's code for the antenna power; newer releases of gpsd.
    public let antennaPower = ReportField<Int>("antPwr", -1...255)
    /// The receiver that sent the report.
    public let device = ReportField<String>.device("device")
    /// The name of the position's reference frame, such as "WGS84".
    public let datum = ReportField<String>("datum")
  }

  @usableFromInline
  var storage = FieldStorage<63, 2, NoLists>()

  // Inlinable: other modules would otherwise call the unspecialized code of `StoredReport`.
  @inlinable @inline(__always)
  public func _number(at index: Int) -> Double? { storage.numbers[index] }
}

extension TPV: StoredReport {
  static let table = makeTable(Fields())
  static var className: String? { "TPV" }
  static var orderSlot: Int { 1 }
}

extension TPV {
  /// Replaces all numbers with those of another report; texts stay unchanged.
  @inline(never)
  mutating func replaceNumbers(with other: borrowing Self) {
    storage.numbers.replace(with: other.storage.numbers)
  }

  /// Replaces the numbers that a later report has; the others stay unchanged.
  mutating func updateNumbers(with later: borrowing Self) {
    storage.numbers.update(with: later.storage.numbers)
  }
}
