public import FoundationEssentials

/// A position and the values that were measured with it.
///
/// A value that was not measured is nil; no number stands for "unknown". Two locations are equal
/// when all their values are equal; ``age``, which depends on when it is read, and ``integrity`` are
/// ignored.
/// ``with(_:)`` returns a copy with some members changed.
///
/// A location has 232 bytes, including ``GNSSFix`` and ``SourceInformation``, and contains no
/// references: copying it is a bitwise copy.
public struct Location: Sendable, BitwiseCopyable {
  // Ordered by alignment to avoid padding.

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
  /// The GNSS receiver's information about the fix.
  public let gnss: GNSSFix?
  /// The origin of the report.
  public let sourceInformation: SourceInformation?
  private var flags: Flags
  /// The reasons of ``integrity``.
  private var storedReasons: UInt8
  private var arrivalTimeline: TimelineID
  /// 0 when there is no floor.
  private let storedFloor: Int
  private var arrivalInstant: Duration

  /// Three flags in one byte: the layout has no room for `Bool`s.
  private struct Flags: OptionSet, Sendable, BitwiseCopyable {
    let rawValue: UInt8

    static var hasFloor: Self { Self(rawValue: 1 << 0) }
    static var isReduced: Self { Self(rawValue: 1 << 1) }
    static var isAssessed: Self { Self(rawValue: 1 << 2) }
  }

  /// True when the manager that delivers this value reduced its accuracy. Not part of the value:
  /// neither compared nor encoded.
  package internal(set) var isReduced: Bool {
    get { flags.contains(.isReduced) }
    set { if newValue { flags.insert(.isReduced) } else { flags.remove(.isReduced) } }
  }

  /// Whether the location can be trusted, as the manager that delivers it assessed it by what its
  /// receiver reported until then. Nil if it was not assessed: without ``gnss``, with reduced
  /// accuracy, or when no manager delivered it. A location of another host keeps the assessment that
  /// it was published with.
  ///
  /// Not compared, since it is no part of what the receiver measured, but encoded and decoded.
  public package(set) var integrity: LocationIntegrity? {
    get {
      guard flags.contains(.isAssessed) else { return nil }
      return LocationIntegrity(reasons: .init(rawValue: UInt32(storedReasons)))
    }
    set {
      storedReasons = UInt8(truncatingIfNeeded: newValue?.reasons.rawValue ?? 0)
      if newValue != nil { flags.insert(.isAssessed) } else { flags.remove(.isAssessed) }
    }
  }

  /// True when the location was assessed and is suspect.
  package var isSuspect: Bool { storedReasons != 0 }

  /// The arrival at the manager; set by the manager that delivers this value.
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

  /// The time of the measurement by the receiver's clock, or by the host's clock if
  /// ``sourceInformation`` reports the host as the time source. Wall clocks can jump; use ``age``
  /// to judge freshness.
  public var timestamp: Date { Date(timeIntervalSinceReferenceDate: timestampSeconds) }
  /// The floor of a building, 0 at ground level.
  public var floor: Int? { flags.contains(.hasFloor) ? storedFloor : nil }
  /// Degrees north, -90...90, WGS 84.
  public var latitude: Double { coordinate.latitude }
  /// Degrees east, -180...180, WGS 84.
  public var longitude: Double { coordinate.longitude }
  /// Metres above mean sea level.
  public var altitude: Double? { packedAltitude.value }
  /// Metres above the WGS 84 ellipsoid.
  public var ellipsoidalAltitude: Double? { packedEllipsoidalAltitude.value }
  /// The radius in metres around ``coordinate`` within which the position lies, as estimated by the
  /// source; for gpsd with 95 % confidence.
  public var horizontalAccuracy: Double? { packedHorizontalAccuracy.value }
  /// The error of the altitudes in metres, estimated like ``horizontalAccuracy``.
  public var verticalAccuracy: Double? { packedVerticalAccuracy.value }
  /// Speed over ground in metres per second.
  public var speed: Double? { packedSpeed.value }
  /// The error of ``speed`` in metres per second.
  public var speedAccuracy: Double? { packedSpeedAccuracy.value }
  /// The direction of movement in degrees clockwise from true north, 0..<360.
  public var course: Double? { packedCourse.value }
  /// The error of ``course`` in degrees, 0...180.
  public var courseAccuracy: Double? { packedCourseAccuracy.value }
  /// Vertical speed in metres per second, positive upwards.
  public var climb: Double? { packedClimb.value }

  /// The time since this location reached the manager, on the manager's monotonic clock; setting
  /// the wall clock does not change it. Nil when no manager delivered it: when it was created by an
  /// initializer, decoded, or emitted by a backend.
  ///
  /// It remains valid after the manager is released. With a clock other than `ContinuousClock` it
  /// can become nil: the process retains only the last 4,096 such clocks.
  public var age: Duration? { arrival?.age }

  /// Creates a location. All values but position and time may be unknown.
  ///
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` for a value that is not
  ///   finite or out of range; the message names the parameter. An unknown value is nil, never a
  ///   negative number.
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

  /// Creates a location from values that are known to be in range, for example because a decoder
  /// has checked them. A second check would double the cost.
  package init(
    checked coordinate: Coordinate, timestamp: Date, altitude: Double?,
    ellipsoidalAltitude: Double?, horizontalAccuracy: Double?, verticalAccuracy: Double?,
    speed: Double?, speedAccuracy: Double?, course: Double?, courseAccuracy: Double?,
    climb: Double?, floor: Int? = nil, sourceInformation: SourceInformation?, gnss: GNSSFix?
  ) {
    self.coordinate = coordinate
    timestampSeconds = timestamp.timeIntervalSinceReferenceDate
    flags = floor == nil ? [] : .hasFloor
    storedReasons = 0
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

  /// Creates a location from degrees, as
  /// ``init(coordinate:timestamp:altitude:ellipsoidalAltitude:horizontalAccuracy:verticalAccuracy:speed:speedAccuracy:course:courseAccuracy:climb:floor:sourceInformation:gnss:)``
  /// does from a coordinate.
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
