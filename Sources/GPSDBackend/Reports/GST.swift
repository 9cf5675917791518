public import AsyncLocation
public import FoundationEssentials

/// gpsd's GST: how far off a receiver takes its fix to be, as standard deviations.
public struct GST: Sendable, Hashable {
  package enum Field: Int, ReportField {
    case time, rangeDeviation, semiMajorDeviation, semiMinorDeviation, semiMajorOrientation,
      latitudeDeviation, longitudeDeviation, altitudeDeviation,
      eastVelocityDeviation, northVelocityDeviation, upVelocityDeviation
    /// Not numbers: of use to the decoder alone.
    case deviceName, className
  }

  private var numbers = Numbers<11>()
  /// The receiver that reports.
  public private(set) var device: String?
  var unknown = UnknownMembers()
  /// Members that have no property here, such as a later gpsd's, by name; see ``JSONValue``.
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
  /// When, by the receiver's clock.
  public var time: Date? { date(.time) }
  /// Standard deviation of the ranges that went into the fix, as the receiver has it.
  public var rangeDeviation: Double? { self[.rangeDeviation] }
  /// Metres, standard deviation along the error ellipse's longer half axis.
  public var semiMajorDeviation: Double? { self[.semiMajorDeviation] }
  /// Metres, along its shorter half axis.
  public var semiMinorDeviation: Double? { self[.semiMinorDeviation] }
  /// Degrees from true north, the direction of the longer half axis.
  public var semiMajorOrientation: Double? { self[.semiMajorOrientation] }
  /// Metres, standard deviation of latitude.
  public var latitudeDeviation: Double? { self[.latitudeDeviation] }
  /// Metres, standard deviation of longitude.
  public var longitudeDeviation: Double? { self[.longitudeDeviation] }
  /// Metres, standard deviation of altitude.
  public var altitudeDeviation: Double? { self[.altitudeDeviation] }
  /// Metres a second, standard deviation of the velocity eastwards; newer releases of gpsd.
  public var eastVelocityDeviation: Double? { self[.eastVelocityDeviation] }
  /// Metres a second, of the velocity northwards.
  public var northVelocityDeviation: Double? { self[.northVelocityDeviation] }
  /// Metres a second, of the velocity upwards.
  public var upVelocityDeviation: Double? { self[.upVelocityDeviation] }
}

extension GST {
  /// Creates a report; what is not given is absent.
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
