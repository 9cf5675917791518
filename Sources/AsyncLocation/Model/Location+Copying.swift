public import FoundationEssentials

extension Location {
  /// The members of a location, to be changed; see ``Location/with(_:)``.
  ///
  /// Nothing is checked here: the location made of the values checks them.
  public struct Values: Sendable, Hashable {
    /// The position on the WGS 84 ellipsoid.
    public var coordinate: Coordinate
    /// When the position was true.
    public var timestamp: Date
    /// Metres above mean sea level.
    public var altitude: Double?
    /// Metres above the WGS 84 ellipsoid.
    public var ellipsoidalAltitude: Double?
    /// Metres, the radius about ``coordinate`` within which the position lies.
    public var horizontalAccuracy: Double?
    /// Metres, the error of the altitudes.
    public var verticalAccuracy: Double?
    /// Metres a second over ground.
    public var speed: Double?
    /// Metres a second, the error of ``speed``.
    public var speedAccuracy: Double?
    /// Degrees clockwise from true north, 0...360.
    public var course: Double?
    /// Degrees, the error of ``course``, 0...180.
    public var courseAccuracy: Double?
    /// Metres a second upwards.
    public var climb: Double?
    /// The storey of a building, 0 at the ground.
    public var floor: Int?
    /// Who reported it.
    public var sourceInformation: SourceInformation?
    /// How the satellite receiver found it.
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

  /// A copy with some members changed.
  ///
  /// ```swift
  /// let corrected = try location.with {
  ///   $0.altitude = nil
  ///   $0.speed = 3
  /// }
  /// ```
  ///
  /// The copy keeps ``age``: it counts from when the report that it was made of reached the manager,
  /// whatever ``timestamp`` becomes.
  ///
  /// - Parameter change: Changes the members. What it does not touch stays.
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` for a value that is not
  ///   finite or out of its range.
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
    return copy
  }
}
