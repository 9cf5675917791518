public import FoundationEssentials

/// A position and what was measured with it.
///
/// What was not measured is nil; no number stands for "unknown". Two locations are equal when all
/// that they state is equal; ``age`` does not take part, being a matter of when one asks.
/// ``with(_:)`` makes a copy with some members changed.
///
/// A location is 232 bytes without references, ``GNSSFix`` and ``SourceInformation`` included: a copy
/// is a copy of bytes.
public struct Location: Sendable, BitwiseCopyable {
  // Ordered by alignment, so that no byte is padding.

  /// The position on the WGS 84 ellipsoid.
  public let coordinate: Coordinate
  /// ``timestamp`` in seconds from 2001-01-01, UTC.
  package let timestampSeconds: Double
  private let packedAltitude: PackedOptional
  private let packedEllipsoidalAltitude: PackedOptional
  private let packedHorizontalAccuracy: PackedOptional
  private let packedVerticalAccuracy: PackedOptional
  private let packedSpeed: PackedOptional
  private let packedSpeedAccuracy: PackedOptional
  private let packedCourse: PackedOptional
  private let packedCourseAccuracy: PackedOptional
  private let packedClimb: PackedOptional
  /// How the satellite receiver found it.
  public let gnss: GNSSFix?
  /// Who reported it.
  public let sourceInformation: SourceInformation?
  private let hasFloor: Bool
  private var arrivalTimeline: TimelineID
  /// 0 without one.
  private let storedFloor: Int
  private var arrivalInstant: Duration

  /// Set by the manager that delivered this value.
  var arrival: Arrival? {
    get {
      guard arrivalTimeline != .none else { return nil }
      return Arrival(instant: arrivalInstant, timeline: arrivalTimeline)
    }
    set {
      arrivalTimeline = newValue?.timeline ?? .none
      arrivalInstant = newValue?.instant ?? .zero
    }
  }

  /// When the position was true, by the receiver's clock unless ``sourceInformation`` says the
  /// host's. To judge freshness use ``age``: wall clocks jump.
  public var timestamp: Date { Date(timeIntervalSinceReferenceDate: timestampSeconds) }
  /// The storey of a building, 0 at the ground.
  public var floor: Int? { hasFloor ? storedFloor : nil }
  /// Degrees north, -90...90, WGS 84.
  public var latitude: Double { coordinate.latitude }
  /// Degrees east, -180...180, WGS 84.
  public var longitude: Double { coordinate.longitude }
  /// Metres above mean sea level.
  public var altitude: Double? { packedAltitude.value }
  /// Metres above the WGS 84 ellipsoid.
  public var ellipsoidalAltitude: Double? { packedEllipsoidalAltitude.value }
  /// Metres, the radius about ``coordinate`` within which the position lies; as the source
  /// estimates it, which for gpsd is at 95 %.
  public var horizontalAccuracy: Double? { packedHorizontalAccuracy.value }
  /// Metres, the error of the altitudes, estimated as ``horizontalAccuracy`` is.
  public var verticalAccuracy: Double? { packedVerticalAccuracy.value }
  /// Metres a second over ground.
  public var speed: Double? { packedSpeed.value }
  /// Metres a second, the error of ``speed``.
  public var speedAccuracy: Double? { packedSpeedAccuracy.value }
  /// Degrees clockwise from true north in which the receiver moves, 0..<360.
  public var course: Double? { packedCourse.value }
  /// Degrees, the error of ``course``, 0...180.
  public var courseAccuracy: Double? { packedCourseAccuracy.value }
  /// Metres a second upwards.
  public var climb: Double? { packedClimb.value }

  /// The time since this location reached the manager, on the manager's monotonic clock; setting
  /// the wall clock does not change it. Nil when no manager delivered it: for a location that was
  /// made by an initializer, decoded, or emitted by a backend.
  ///
  /// It outlives the manager. A manager on another clock than `ContinuousClock` is an exception: the
  /// process keeps the 4,096 such clocks by which locations arrived last, and age becomes nil when
  /// that of this location is no longer among them.
  public var age: Duration? { arrival?.age }

  /// Creates a location; all but position and time may be unknown.
  ///
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` for a value that is not
  ///   finite or out of its range; the message names it. Absence is nil, never a negative number.
  public init(
    coordinate: Coordinate, timestamp: Date, altitude: Double? = nil,
    ellipsoidalAltitude: Double? = nil, horizontalAccuracy: Double? = nil,
    verticalAccuracy: Double? = nil, speed: Double? = nil, speedAccuracy: Double? = nil,
    course: Double? = nil, courseAccuracy: Double? = nil, climb: Double? = nil,
    floor: Int? = nil, sourceInformation: SourceInformation? = nil, gnss: GNSSFix? = nil
  ) throws(LocationError) {
    try ClosedRange.altitude.check(altitude, "altitude")
    try ClosedRange.altitude.check(ellipsoidalAltitude, "ellipsoidalAltitude")
    try ClosedRange.nonNegative.check(horizontalAccuracy, "horizontalAccuracy")
    try ClosedRange.nonNegative.check(verticalAccuracy, "verticalAccuracy")
    try ClosedRange.nonNegative.check(speed, "speed")
    try ClosedRange.nonNegative.check(speedAccuracy, "speedAccuracy")
    try (0...360).check(course, "course")
    try (0...180).check(courseAccuracy, "courseAccuracy")
    try ClosedRange.finite.check(climb, "climb")
    self.init(
      checked: coordinate, timestamp: try Timestamp.exact(timestamp, "timestamp"),
      altitude: altitude, ellipsoidalAltitude: ellipsoidalAltitude,
      horizontalAccuracy: horizontalAccuracy, verticalAccuracy: verticalAccuracy, speed: speed,
      speedAccuracy: speedAccuracy, course: course, courseAccuracy: courseAccuracy, climb: climb,
      floor: floor, sourceInformation: sourceInformation, gnss: gnss)
  }

  /// Creates a location of values that are known to be in their ranges, as those of a decoder are
  /// which has looked: to look again would cost as much as all the rest.
  package init(
    checked coordinate: Coordinate, timestamp: Date, altitude: Double?,
    ellipsoidalAltitude: Double?, horizontalAccuracy: Double?, verticalAccuracy: Double?,
    speed: Double?, speedAccuracy: Double?, course: Double?, courseAccuracy: Double?,
    climb: Double?, floor: Int? = nil, sourceInformation: SourceInformation?, gnss: GNSSFix?
  ) {
    self.coordinate = coordinate
    timestampSeconds = timestamp.timeIntervalSinceReferenceDate
    hasFloor = floor != nil
    storedFloor = floor ?? 0
    arrivalTimeline = .none
    arrivalInstant = .zero
    self.sourceInformation = sourceInformation
    self.gnss = gnss
    packedAltitude = PackedOptional(altitude)
    packedEllipsoidalAltitude = PackedOptional(ellipsoidalAltitude)
    packedHorizontalAccuracy = PackedOptional(horizontalAccuracy)
    packedVerticalAccuracy = PackedOptional(verticalAccuracy)
    packedSpeed = PackedOptional(speed)
    packedSpeedAccuracy = PackedOptional(speedAccuracy)
    packedCourse = PackedOptional(course == 360 ? 0 : course)
    packedCourseAccuracy = PackedOptional(courseAccuracy)
    packedClimb = PackedOptional(climb)
  }

  /// Creates a location from degrees, as ``init(coordinate:timestamp:altitude:ellipsoidalAltitude:horizontalAccuracy:verticalAccuracy:speed:speedAccuracy:course:courseAccuracy:climb:floor:sourceInformation:gnss:)`` does from a coordinate.
  ///
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue``.
  public init(
    latitude: Double, longitude: Double, timestamp: Date = Date(), altitude: Double? = nil,
    ellipsoidalAltitude: Double? = nil, horizontalAccuracy: Double? = nil,
    verticalAccuracy: Double? = nil, speed: Double? = nil, speedAccuracy: Double? = nil,
    course: Double? = nil, courseAccuracy: Double? = nil, climb: Double? = nil,
    floor: Int? = nil, sourceInformation: SourceInformation? = nil, gnss: GNSSFix? = nil
  ) throws(LocationError) {
    try self.init(
      coordinate: Coordinate(latitude: latitude, longitude: longitude), timestamp: timestamp,
      altitude: altitude, ellipsoidalAltitude: ellipsoidalAltitude,
      horizontalAccuracy: horizontalAccuracy, verticalAccuracy: verticalAccuracy, speed: speed,
      speedAccuracy: speedAccuracy, course: course, courseAccuracy: courseAccuracy, climb: climb,
      floor: floor, sourceInformation: sourceInformation, gnss: gnss)
  }
}

extension Location: Hashable {
  public static func == (left: Self, right: Self) -> Bool {
    left.timestampSeconds == right.timestampSeconds && left.coordinate == right.coordinate
      && left.packedAltitude == right.packedAltitude
      && left.packedEllipsoidalAltitude == right.packedEllipsoidalAltitude
      && left.packedHorizontalAccuracy == right.packedHorizontalAccuracy
      && left.packedVerticalAccuracy == right.packedVerticalAccuracy
      && left.packedSpeed == right.packedSpeed
      && left.packedSpeedAccuracy == right.packedSpeedAccuracy
      && left.packedCourse == right.packedCourse
      && left.packedCourseAccuracy == right.packedCourseAccuracy
      && left.packedClimb == right.packedClimb
      && left.floor == right.floor
      && left.sourceInformation == right.sourceInformation
      && left.gnss == right.gnss
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(timestampSeconds)
    hasher.combine(coordinate)
  }
}
