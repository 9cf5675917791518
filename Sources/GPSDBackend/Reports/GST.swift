public import AsyncLocation
public import FoundationEssentials

/// gpsd's GST: a receiver's estimates of the errors of its fix, as standard deviations.
public struct GST: Sendable, Hashable {
  package enum Field: Int, ReportField {
    case time, rangeDeviation, semiMajorDeviation, semiMinorDeviation, semiMajorOrientation,
      latitudeDeviation, longitudeDeviation, altitudeDeviation,
      eastVelocityDeviation, northVelocityDeviation, upVelocityDeviation
    /// Fields that are not numbers; used only by the decoder.
    case deviceName, className
  }

  private var numbers = Numbers<11>()
  /// The receiver that sent the report.
  public private(set) var device: String?
  var unknown = UnknownMembers()
  /// Members without a property here, such as those of a later gpsd, by name; see ``JSONValue``.
  public var unknownMembers: [String: JSONValue] { unknown.all }

  init() {}

  package subscript(_ field: Field) -> Double? { numbers[field.rawValue] }
}

extension GST: ReportFields {
  static let className: String? = "GST"
  static let specifications = Field.allCases.map(\.specification)
  static let table = FieldTable(specifications)

  func number(_ field: Int) -> Double? { numbers[field] }

  mutating func remove(_ field: Int) {
    guard field >= Field.deviceName.rawValue else { return numbers.remove(field) }
    set(field, String?.none)
  }

  mutating func set(_ field: Int, _ value: Double) { numbers.set(field, value) }

  mutating func set(_ field: Int, _ text: ScannedText, _ memory: inout DecoderMemory) {
    device = memory.names.name(text)
  }

  mutating func set(_ field: Int, _ text: String?) {
    if field == Field.deviceName.rawValue { device = text }
  }

  func text(_ field: Int) -> String? {
    field == Field.deviceName.rawValue ? device : nil
  }
}

extension GST.Field {
  var specification: FieldSpecification {
    switch self {
    case .time: .time("time")
    case .rangeDeviation: .number("rms", .nonNegative)
    case .semiMajorDeviation: .number("major", .nonNegative)
    case .semiMinorDeviation: .number("minor", .nonNegative)
    case .semiMajorOrientation: .number("orient", -360...360)
    case .latitudeDeviation: .number("lat", .nonNegative)
    case .longitudeDeviation: .number("lon", .nonNegative)
    case .altitudeDeviation: .number("alt", .nonNegative)
    case .eastVelocityDeviation: .number("ve", .nonNegative)
    case .northVelocityDeviation: .number("vn", .nonNegative)
    case .upVelocityDeviation: .number("vu", .nonNegative)
    case .deviceName: .text("device")
    case .className: .className
    }
  }
}

extension GST {
  /// The time of the report, by the receiver's clock.
  public var time: Date? { date(.time) }
  /// The standard deviation of the ranges used in the fix, in the receiver's unit.
  public var rangeDeviation: Double? { self[.rangeDeviation] }
  /// The standard deviation along the semi-major axis of the error ellipse in metres.
  public var semiMajorDeviation: Double? { self[.semiMajorDeviation] }
  /// The standard deviation along the semi-minor axis of the error ellipse in metres.
  public var semiMinorDeviation: Double? { self[.semiMinorDeviation] }
  /// The direction of the semi-major axis in degrees from true north.
  public var semiMajorOrientation: Double? { self[.semiMajorOrientation] }
  /// The standard deviation of the latitude in metres.
  public var latitudeDeviation: Double? { self[.latitudeDeviation] }
  /// The standard deviation of the longitude in metres.
  public var longitudeDeviation: Double? { self[.longitudeDeviation] }
  /// The standard deviation of the altitude in metres.
  public var altitudeDeviation: Double? { self[.altitudeDeviation] }
  /// The standard deviation of the velocity to the east in metres per second; newer releases of
  /// gpsd.
  public var eastVelocityDeviation: Double? { self[.eastVelocityDeviation] }
  /// The standard deviation of the velocity to the north in metres per second.
  public var northVelocityDeviation: Double? { self[.northVelocityDeviation] }
  /// The standard deviation of the upward velocity in metres per second.
  public var upVelocityDeviation: Double? { self[.upVelocityDeviation] }
}

extension GST {
  /// Creates a report; omitted fields are absent.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` for a value that is not finite
  ///   or out of its range.
  public init(
    device: String? = nil, time: Date? = nil, rangeDeviation: Double? = nil,
    semiMajorDeviation: Double? = nil, semiMinorDeviation: Double? = nil,
    semiMajorOrientation: Double? = nil, latitudeDeviation: Double? = nil,
    longitudeDeviation: Double? = nil, altitudeDeviation: Double? = nil,
    eastVelocityDeviation: Double? = nil, northVelocityDeviation: Double? = nil,
    upVelocityDeviation: Double? = nil
  ) throws(LocationError) {
    self.init()
    put(.deviceName, device)
    try put(.time, time)
    try put(.rangeDeviation, rangeDeviation)
    try put(.semiMajorDeviation, semiMajorDeviation)
    try put(.semiMinorDeviation, semiMinorDeviation)
    try put(.semiMajorOrientation, semiMajorOrientation)
    try put(.latitudeDeviation, latitudeDeviation)
    try put(.longitudeDeviation, longitudeDeviation)
    try put(.altitudeDeviation, altitudeDeviation)
    try put(.eastVelocityDeviation, eastVelocityDeviation)
    try put(.northVelocityDeviation, northVelocityDeviation)
    try put(.upVelocityDeviation, upVelocityDeviation)
  }
}

extension GST: Codable {
  public init(from decoder: any Decoder) throws { try self.init(reading: decoder) }
  public func encode(to encoder: any Encoder) throws { try write(to: encoder) }
}
