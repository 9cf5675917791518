/// The factors by which satellite geometry magnifies errors; dimensionless, smaller is better.
public struct DilutionOfPrecision: Sendable, Hashable, BitwiseCopyable {
  private let packedHorizontal: PackedOptional
  private let packedVertical: PackedOptional
  private let packedPosition: PackedOptional
  private let packedTime: PackedOptional
  private let packedGeometric: PackedOptional
  private let packedEast: PackedOptional
  private let packedNorth: PackedOptional

  /// Horizontal dilution, HDOP.
  public var horizontal: Double? { packedHorizontal.value }
  /// Vertical dilution, VDOP.
  public var vertical: Double? { packedVertical.value }
  /// Three-dimensional dilution, PDOP.
  public var position: Double? { packedPosition.value }
  /// Time dilution, TDOP.
  public var time: Double? { packedTime.value }
  /// Dilution in three dimensions and time, GDOP.
  public var geometric: Double? { packedGeometric.value }
  /// Dilution along longitude; gpsd's `xdop`.
  public var east: Double? { packedEast.value }
  /// Dilution along latitude; gpsd's `ydop`.
  public var north: Double? { packedNorth.value }

  /// Creates dilutions. Each may be unknown.
  ///
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` for a value that is
  ///   negative or not finite.
  public init(
    horizontal: Double? = nil, vertical: Double? = nil, position: Double? = nil,
    time: Double? = nil, geometric: Double? = nil, east: Double? = nil, north: Double? = nil
  ) throws(LocationError) {
    packedHorizontal = try PackedOptional(horizontal, in: .nonNegative, "horizontal")
    packedVertical = try PackedOptional(vertical, in: .nonNegative, "vertical")
    packedPosition = try PackedOptional(position, in: .nonNegative, "position")
    packedTime = try PackedOptional(time, in: .nonNegative, "time")
    packedGeometric = try PackedOptional(geometric, in: .nonNegative, "geometric")
    packedEast = try PackedOptional(east, in: .nonNegative, "east")
    packedNorth = try PackedOptional(north, in: .nonNegative, "north")
  }

  private init(reserved: PackedOptional) {
    packedHorizontal = reserved
    packedVertical = reserved
    packedPosition = reserved
    packedTime = reserved
    packedGeometric = reserved
    packedEast = reserved
    packedNorth = reserved
  }

  /// Represents nil in storage without the extra byte of an optional. Differs from every valid
  /// value and is never returned to users.
  static let absent = Self(reserved: .reserved)

  var isAbsent: Bool { packedHorizontal == .reserved }
}

extension DilutionOfPrecision: Codable {
  private enum CodingKeys: String, CodingKey {
    case horizontal, vertical, position, time, geometric, east, north
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self = try values.validated {
      try Self(
        horizontal: values.decodeIfPresent(Double.self, forKey: .horizontal),
        vertical: values.decodeIfPresent(Double.self, forKey: .vertical),
        position: values.decodeIfPresent(Double.self, forKey: .position),
        time: values.decodeIfPresent(Double.self, forKey: .time),
        geometric: values.decodeIfPresent(Double.self, forKey: .geometric),
        east: values.decodeIfPresent(Double.self, forKey: .east),
        north: values.decodeIfPresent(Double.self, forKey: .north))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(horizontal, forKey: .horizontal)
    try values.encodeIfPresent(vertical, forKey: .vertical)
    try values.encodeIfPresent(position, forKey: .position)
    try values.encodeIfPresent(time, forKey: .time)
    try values.encodeIfPresent(geometric, forKey: .geometric)
    try values.encodeIfPresent(east, forKey: .east)
    try values.encodeIfPresent(north, forKey: .north)
  }
}
