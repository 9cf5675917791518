public import FoundationEssentials

/// A condition that a ``Monitor`` watches: an area or a beacon, with a dwell time and an expiry.
///
/// Edges of areas are geodesics on the WGS 84 ellipsoid; heights are ignored.
public struct Condition: Sendable, Hashable {
  /// A requirement on the position of the device or on the beacons that it receives.
  @nonexhaustive
  public enum Subject: Sendable, Hashable {
    /// The position is within a distance of a point.
    case circle(Circle)
    /// The position is within a polygon.
    case polygon(Polygon)
    /// The position is within a distance of a path.
    case corridor(Corridor)
    /// A beacon with this identity is received. Needs a backend that ranges beacons.
    case beacon(BeaconIdentityConstraint)
  }

  /// The requirement that must be met.
  public let subject: Subject
  /// The time for which the subject must be met without interruption before the condition is
  /// satisfied. The time is checked when a location or a beacon report arrives.
  public let dwell: Duration
  /// The date at which monitoring of the condition ends, by the host's wall clock; nil for never.
  public let expiry: Date?

  /// Creates a condition.
  ///
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` for a dwell that is
  ///   negative or exceeds 100 years, or a date outside the years 1 to 9999.
  public init(
    _ subject: Subject, dwell: Duration = .zero, expiry: Date? = nil
  ) throws(LocationError) {
    let seconds = ExactSeconds.number(dwell)
    try (0...Self.longestDwell).check(seconds, "dwell")
    if let expiry { _ = try Timestamp.exact(expiry, "expiry") }
    self.init(checked: subject, dwell: ExactSeconds.exact(dwell), expiry: expiry)
  }

  /// Seconds: a hundred years.
  private static let longestDwell = 3_155_760_000.0

  init(checked subject: Subject, dwell: Duration, expiry: Date?) {
    (self.subject, self.dwell, self.expiry) = (subject, dwell, expiry)
  }

  /// The area within a distance of a point.
  ///
  /// - Parameters:
  ///   - center: The point.
  ///   - radius: Metres along the ellipsoid, above 0 and at most 8,800 km.
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` for a radius out of this
  ///   range.
  public static func circle(center: Coordinate, radius: Double) throws(LocationError) -> Self {
    Self(
      checked: .circle(try Circle(center: center, radius: radius)), dwell: .zero, expiry: nil)
  }

  /// The area inside a ring and outside its holes.
  ///
  /// - Throws: As ``Polygon/init(exterior:holes:)`` does.
  public static func polygon(
    _ exterior: [Coordinate], holes: [[Coordinate]] = []
  ) throws(LocationError) -> Self {
    Self(
      checked: .polygon(try Polygon(exterior: exterior, holes: holes)), dwell: .zero, expiry: nil)
  }

  /// The area at most half of the width away from a path.
  ///
  /// - Throws: As ``Corridor/init(path:width:)`` does.
  public static func corridor(
    along path: [Coordinate], width: Double
  ) throws(LocationError) -> Self {
    Self(
      checked: .corridor(try Corridor(path: path, width: width)), dwell: .zero, expiry: nil)
  }

  /// The reception of a beacon.
  public static func beacon(_ identity: BeaconIdentityConstraint) -> Self {
    Self(checked: .beacon(identity), dwell: .zero, expiry: nil)
  }

  /// Returns a copy that is satisfied only after its subject was met for a time without
  /// interruption.
  ///
  /// - Throws: As ``init(_:dwell:expiry:)`` does.
  public func dwelling(_ dwell: Duration) throws(LocationError) -> Self {
    try Self(subject, dwell: dwell, expiry: expiry)
  }

  /// Returns a copy whose monitoring ends at a date, or never if the date is nil.
  ///
  /// - Throws: As ``init(_:dwell:expiry:)`` does.
  public func expiring(at expiry: Date?) throws(LocationError) -> Self {
    try Self(subject, dwell: dwell, expiry: expiry)
  }
}

/// Encoded as an object with one of `circle`, `polygon`, `corridor` and `beacon`, with `dwell` in
/// seconds unless it is zero, and with `expiry` unless it is nil.
extension Condition: Codable {
  private enum CodingKeys: String, CodingKey {
    case circle, polygon, corridor, beacon, dwell, expiry
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let subject: Subject
    if let circle = try values.decodeIfPresent(Circle.self, forKey: .circle) {
      subject = .circle(circle)
    } else if let polygon = try values.decodeIfPresent(Polygon.self, forKey: .polygon) {
      subject = .polygon(polygon)
    } else if let corridor = try values.decodeIfPresent(Corridor.self, forKey: .corridor) {
      subject = .corridor(corridor)
    } else {
      subject = .beacon(try values.decode(BeaconIdentityConstraint.self, forKey: .beacon))
    }
    self = try values.validated {
      try Self(
        subject, dwell: values.decodeDurationIfPresent(forKey: .dwell) ?? .zero,
        expiry: values.contains(.expiry) ? values.decodeTimestamp(forKey: .expiry) : nil)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    switch subject {
    case .circle(let circle): try values.encode(circle, forKey: .circle)
    case .polygon(let polygon): try values.encode(polygon, forKey: .polygon)
    case .corridor(let corridor): try values.encode(corridor, forKey: .corridor)
    case .beacon(let beacon): try values.encode(beacon, forKey: .beacon)
    }
    if dwell != .zero { try values.encode(ExactSeconds.number(dwell), forKey: .dwell) }
    if let expiry { try values.encode(Timestamp.format(expiry), forKey: .expiry) }
  }
}
