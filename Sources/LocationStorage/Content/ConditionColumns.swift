import AsyncLocation
import FoundationEssentials

/// A condition as the columns of a row.
///
/// | kind | columns |
/// | --- | --- |
/// | circle | the centre in degrees, the radius in metres |
/// | polygon | `shape`: the number of rings, their lengths, their vertices |
/// | corridor | the width in metres; `shape`: the vertices |
/// | beacon | `shape`: the UUID; `major`, `minor` |
struct ConditionColumns: Hashable {
  enum Kind: Int64 { case circle, polygon, corridor, beacon }

  var kind: Int64
  var latitude: Double?
  var longitude: Double?
  var meters: Double?
  var shape: [UInt8]?
  var major: Int64?
  var minor: Int64?
  var dwellSeconds: Int64
  var dwellAttoseconds: Int64
  /// Seconds since 2001, as `Date` counts them.
  var expiry: Double?

  init(
    kind: Int64, latitude: Double?, longitude: Double?, meters: Double?, shape: [UInt8]?,
    major: Int64?, minor: Int64?, dwellSeconds: Int64, dwellAttoseconds: Int64, expiry: Double?
  ) {
    (self.kind, self.latitude, self.longitude) = (kind, latitude, longitude)
    (self.meters, self.shape, self.major, self.minor) = (meters, shape, major, minor)
    (self.dwellSeconds, self.dwellAttoseconds) = (dwellSeconds, dwellAttoseconds)
    self.expiry = expiry
  }

  init(_ condition: Condition) {
    let (seconds, attoseconds) = condition.dwell.components
    self.init(
      kind: 0, latitude: nil, longitude: nil, meters: nil, shape: nil, major: nil, minor: nil,
      dwellSeconds: seconds, dwellAttoseconds: attoseconds,
      expiry: condition.expiry?.timeIntervalSinceReferenceDate)
    switch condition.subject {
    case .circle(let circle):
      kind = Kind.circle.rawValue
      (latitude, longitude) = (circle.center.latitude, circle.center.longitude)
      meters = circle.radius
    case .polygon(let polygon):
      kind = Kind.polygon.rawValue
      shape = ShapeBytes.encode([polygon.exterior] + polygon.holes)
    case .corridor(let corridor):
      kind = Kind.corridor.rawValue
      meters = corridor.width
      shape = ShapeBytes.encode([corridor.path])
    case .beacon(let beacon):
      kind = Kind.beacon.rawValue
      shape = ShapeBytes.encode(beacon.uuid)
      (major, minor) = (beacon.major.map(Int64.init), beacon.minor.map(Int64.init))
    }
  }

  /// Decodes the condition.
  ///
  /// - Throws: `LocationError` if the columns do not form a valid condition.
  func condition() throws(LocationError) -> Condition {
    try Condition(
      subject(),
      dwell: Duration(secondsComponent: dwellSeconds, attosecondsComponent: dwellAttoseconds),
      expiry: expiry.map(Date.init(timeIntervalSinceReferenceDate:)))
  }

  private func subject() throws(LocationError) -> Condition.Subject {
    switch Kind(rawValue: kind) {
    case .circle:
      guard let latitude, let longitude, let meters else { throw Self.malformed }
      return .circle(
        try Condition.Circle(
          center: Coordinate(latitude: latitude, longitude: longitude), radius: meters))
    case .polygon:
      guard let shape, let rings = try ShapeBytes.rings(shape), let exterior = rings.first else {
        throw Self.malformed
      }
      return .polygon(
        try Condition.Polygon(exterior: exterior, holes: Array(rings.dropFirst())))
    case .corridor:
      guard let shape, let paths = try ShapeBytes.rings(shape), paths.count == 1, let meters else {
        throw Self.malformed
      }
      return .corridor(try Condition.Corridor(path: paths[0], width: meters))
    case .beacon:
      guard let shape, let uuid = ShapeBytes.uuid(shape) else { throw Self.malformed }
      return .beacon(
        BeaconIdentityConstraint(
          uuid: uuid, major: try Self.short(major), minor: try Self.short(minor)))
    case nil: throw Self.malformed
    }
  }

  private static func short(_ value: Int64?) throws(LocationError) -> UInt16? {
    guard let value else { return nil }
    guard let short = UInt16(exactly: value) else { throw malformed }
    return short
  }

  private static var malformed: LocationError {
    LocationError(.invalidValue, "The columns are not those of a condition.")
  }
}

extension ConditionColumns {
  /// The columns as bytes: a presence byte and eight bytes for each number. The shape follows.
  var bytes: [UInt8] {
    let fields: [UInt64?] = [
      UInt64(bitPattern: kind), latitude?.bitPattern, longitude?.bitPattern, meters?.bitPattern,
      major.map(UInt64.init(bitPattern:)), minor.map(UInt64.init(bitPattern:)),
      UInt64(bitPattern: dwellSeconds), UInt64(bitPattern: dwellAttoseconds), expiry?.bitPattern,
    ]
    var bytes: [UInt8] = []
    for field in fields {
      bytes.append(field == nil ? 0 : 1)
      bytes.append(littleEndian: field ?? 0)
    }
    return bytes + (shape ?? [])
  }

  /// Returns nil if there are too few bytes or a required number is missing.
  init?(bytes: [UInt8]) {
    // The number of fields, and the length of a field: a presence byte and a number of eight bytes.
    let (count, fieldLength) = (9, 9)
    guard bytes.count >= count * fieldLength else { return nil }
    let fields = (0..<count).map { index in
      bytes[index * fieldLength] == 0 ? nil : bytes.word(at: index * fieldLength + 1)
    }
    guard let kind = fields[0], let seconds = fields[6], let attoseconds = fields[7] else {
      return nil
    }
    self.init(
      kind: Int64(bitPattern: kind), latitude: fields[1].map(Double.init(bitPattern:)),
      longitude: fields[2].map(Double.init(bitPattern:)),
      meters: fields[3].map(Double.init(bitPattern:)),
      shape: bytes.count > count * fieldLength ? Array(bytes[(count * fieldLength)...]) : nil,
      major: fields[4].map(Int64.init(bitPattern:)), minor: fields[5].map(Int64.init(bitPattern:)),
      dwellSeconds: Int64(bitPattern: seconds), dwellAttoseconds: Int64(bitPattern: attoseconds),
      expiry: fields[8].map(Double.init(bitPattern:)))
  }
}
