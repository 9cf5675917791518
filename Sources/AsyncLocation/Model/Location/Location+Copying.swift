public import FoundationEssentials

extension Location {
  /// The mutable members of a location; see ``Location/with(_:)``.
  ///
  /// Values are validated when a location is created from them.
  public struct Values: Sendable, Hashable {
    /// The position on the WGS 84 ellipsoid.
    public var coordinate: Coordinate
    /// The time of the measurement.
    public var timestamp: Date
    /// Metres above mean sea level.
    public var altitude: Double?
    /// Metres above the WGS 84 ellipsoid.
    public var ellipsoidalAltitude: Double?
    /// The radius in metres around ``coordinate`` within which the position lies.
    public var horizontalAccuracy: Double?
    /// The error of the altitudes in metres.
    public var verticalAccuracy: Double?
    /// Speed over ground in metres per second.
    public var speed: Double?
    /// The error of ``speed`` in metres per second.
    public var speedAccuracy: Double?
    /// Degrees clockwise from true north, 0...360.
    public var course: Double?
    /// The error of ``course`` in degrees, 0...180.
    public var courseAccuracy: Double?
    /// Vertical speed in metres per second, positive upwards.
    public var climb: Double?
    /// The floor of a building, 0 at ground level.
    public var floor: Int?
    /// The origin of the report.
    public var sourceInformation: SourceInformation?
    /// The GNSS receiver's information about the fix.
    public var gnss: GNSSFix?

    init(_ location: Location) {
      coordinate = location.coordinate
      timestamp = location.timestamp
      altitude = location.altitude
      ellipsoidalAltitude = location.ellipsoidalAltitude
      horizontalAccuracy = location.horizontalAccuracy
      verticalAccuracy = location.verticalAccuracy
      speed = location.speed
      speedAccuracy = location.speedAccuracy
      course = location.course
      courseAccuracy = location.courseAccuracy
      climb = location.climb
      floor = location.floor
      sourceInformation = location.sourceInformation
      gnss = location.gnss
    }
  }

  /// Returns a copy with some members changed.
  ///
  /// ```swift
  /// let corrected = try location.with {
  ///   $0.altitude = nil
  ///   $0.speed = 3
  /// }
  /// ```
  ///
  /// The copy keeps ``age``, which counts from the arrival of the original report at the manager,
  /// even if ``timestamp`` changes, and ``integrity``.
  ///
  /// - Parameter change: Changes the members. All others keep their values.
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` for a value that is not
  ///   finite or out of range.
  public func with(
    _ change: (inout Values) -> Void
  ) throws(LocationError) -> Location {
    var values = Values(self)
    change(&values)
    var copy = try Location(
      coordinate: values.coordinate, timestamp: values.timestamp, altitude: values.altitude,
      ellipsoidalAltitude: values.ellipsoidalAltitude,
      horizontalAccuracy: values.horizontalAccuracy, verticalAccuracy: values.verticalAccuracy,
      speed: values.speed, speedAccuracy: values.speedAccuracy, course: values.course,
      courseAccuracy: values.courseAccuracy, climb: values.climb, floor: values.floor,
      sourceInformation: values.sourceInformation, gnss: values.gnss)
    copy.arrival = arrival
    copy.isReduced = isReduced
    copy.integrity = integrity
    return copy
  }
}
