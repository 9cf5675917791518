public import AsyncLocation
public import FoundationEssentials

/// gpsd's SKY: the dilution of precision and the satellites. One epoch may have several.
public struct SKY: Sendable, Hashable {
  package enum Field: Int, ReportField {
    case time, eastDilution, northDilution, verticalDilution, timeDilution, horizontalDilution,
      positionDilution, geometricDilution, visibleCount, usedCount, rateResidual, quality
    /// Fields that are not numbers; used only by the decoder.
    case deviceName, satelliteList, className
  }

  private var numbers = Numbers<12>()
  var unknown = UnknownMembers()
  /// Members without a property here, such as those of a later gpsd, by name; see ``JSONValue``.
  public var unknownMembers: [String: JSONValue] { unknown.all }
  /// The receiver that sent the report.
  public private(set) var device: String?
  /// Empty if absent; stored separately from ``hasList`` so that its memory is reused.
  private var list: [SatelliteReport] = []
  private var hasList = false
  /// The tracked or predicted satellites, in the receiver's order; nil if the report has no list.
  public var satellites: [SatelliteReport]? { hasList ? list : nil }
  var satelliteCount: Int { list.count }
  /// Nil if empty.
  private var unknownOfSatellites: [Int: UnknownMembers]?
  /// Members of ``satellites`` without a property in ``SatelliteReport``, by the satellite's index
  /// and by name. Satellites without such members are omitted.
  public var unknownSatelliteMembers: [Int: [String: JSONValue]] {
    unknownOfSatellites?.mapValues(\.all) ?? [:]
  }

  init() {}

  package subscript(_ field: Field) -> Double? {
    @inline(__always) get { numbers[field.rawValue] }
  }
}

extension SKY: ReportFields {
  static let className: String? = "SKY"
  static let specifications = Field.allCases.map(\.specification)
  static let table = FieldTable(specifications)
  static var orderSlot: Int { 2 }

  @inline(__always)
  func number(_ field: Int) -> Double? { numbers[field] }

  mutating func removeAll() {
    numbers.removeAll()
    device = nil
    removeList()
  }

  private mutating func removeList() {
    if hasList { list.removeAll(keepingCapacity: true) }
    hasList = false
    unknownOfSatellites = nil
  }

  mutating func remove(_ field: Int) {
    guard field >= Field.deviceName.rawValue else { return numbers.remove(field) }
    switch Field(rawValue: field) {
    case .satelliteList: removeList()
    default: set(field, String?.none)
    }
  }

  @inline(__always)
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

  func list(_ field: Int) -> [Any]? { satellites }

  func skips(_ field: Int, _ memory: borrowing DecoderMemory) -> Bool {
    // Without these counts, the list is needed for counting.
    !memory.keepsSatellites && self[.visibleCount] != nil && self[.usedCount] != nil
  }

  mutating func begin(_ field: Int) {
    removeList()
    list.reserveCapacity(min(Int(self[.visibleCount] ?? 0), 256))
    hasList = true
  }

  mutating func add(
    _ field: Int, _ scanner: inout JSONScanner, _ memory: inout DecoderMemory
  ) throws(JSONScanner.Fault) {
    guard list.count < Self.maximumListLength else { return try scanner.skipValue(depth: 2) }
    list.append(SatelliteReport())
    _ = try scanner.fields(
      of: &list[list.count - 1], in: SatelliteReport.table, depth: 3, &memory)
    if !memory.unknownOfElement.isEmpty {
      keepUnknown(memory.unknownOfElement, ofSatelliteAt: list.count - 1)
      memory.unknownOfElement.removeAll()
    }
  }

  private mutating func keepUnknown(_ members: UnknownMembers, ofSatelliteAt index: Int) {
    unknownOfSatellites = unknownOfSatellites ?? [:]
    unknownOfSatellites?[index] = members
  }

  func encodeList(_ field: Int, to container: inout FieldEncoding) throws {
    let elements = satellites?.enumerated().map { index, satellite in
      WholeSatellite(report: satellite, unknown: unknownOfSatellites?[index] ?? UnknownMembers())
    }
    try container.encodeIfPresent(elements, forKey: .of(Self.specifications[field]))
  }

  mutating func decodeList(_ field: Int, from container: FieldDecoding) {
    removeList()
    let elements = container.list(
      of: WholeSatellite.self, atMost: SatelliteReport.maximumListLength,
      Self.specifications[field])
    guard let elements else { return }
    (list, hasList) = (elements.map(\.report), true)
    for (index, element) in elements.enumerated() where !element.unknown.isEmpty {
      keepUnknown(element.unknown, ofSatelliteAt: index)
    }
  }
}

/// A satellite with its unknown members, for encoding and decoding.
private struct WholeSatellite: Codable {
  let report: SatelliteReport
  let unknown: UnknownMembers

  init(report: SatelliteReport, unknown: UnknownMembers) {
    (self.report, self.unknown) = (report, unknown)
  }

  init(from decoder: any Decoder) throws {
    report = try SatelliteReport(from: decoder)
    unknown = UnknownMembers(
      in: try decoder.container(keyedBy: FieldKey.self), beside: SatelliteReport.specifications)
  }

  func encode(to encoder: any Encoder) throws { try report.write(to: encoder, with: unknown) }
}

extension SKY.Field {
  var specification: FieldSpecification {
    switch self {
    case .time: .time("time")
    case .eastDilution: .number("xdop", .nonNegative)
    case .northDilution: .number("ydop", .nonNegative)
    case .verticalDilution: .number("vdop", .nonNegative)
    case .timeDilution: .number("tdop", .nonNegative)
    case .horizontalDilution: .number("hdop", .nonNegative)
    case .positionDilution: .number("pdop", .nonNegative)
    case .geometricDilution: .number("gdop", .nonNegative)
    case .visibleCount: .integer("nSat", 0...1000)
    case .usedCount: .integer("uSat", 0...1000)
    case .rateResidual: .number("prRes")
    case .quality: .integer("qual", 0...255)
    case .deviceName: .text("device")
    case .satelliteList: .list("satellites")
    case .className: .className
    }
  }
}

extension SKY {
  /// The time of the report, by the receiver's clock.
  public var time: Date? { date(.time) }
  /// The longitude dilution of precision.
  public var eastDilution: Double? { self[.eastDilution] }
  /// The latitude dilution of precision.
  public var northDilution: Double? { self[.northDilution] }
  /// The vertical dilution of precision.
  public var verticalDilution: Double? { self[.verticalDilution] }
  /// The time dilution of precision.
  public var timeDilution: Double? { self[.timeDilution] }
  /// The horizontal dilution of precision.
  public var horizontalDilution: Double? { self[.horizontalDilution] }
  /// The position (three-dimensional) dilution of precision.
  public var positionDilution: Double? { self[.positionDilution] }
  /// The geometric (position and time) dilution of precision.
  public var geometricDilution: Double? { self[.geometricDilution] }
  /// The number of satellites in the list.
  public var visibleCount: Int? { integer(.visibleCount) }
  /// The number of satellites used in the fix.
  public var usedCount: Int? { integer(.usedCount) }
  /// The residual of the pseudorange rates in metres per second; rarely sent.
  public var rateResidual: Double? { self[.rateResidual] }
  /// The receiver's code for the quality of the fix; rarely sent.
  public var quality: Int? { integer(.quality) }
}

extension SKY {
  /// Creates a report; omitted fields are absent.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` for a value that is not finite
  ///   or out of its range.
  public init(
    device: String? = nil, time: Date? = nil, eastDilution: Double? = nil,
    northDilution: Double? = nil, verticalDilution: Double? = nil, timeDilution: Double? = nil,
    horizontalDilution: Double? = nil, positionDilution: Double? = nil,
    geometricDilution: Double? = nil, visibleCount: Int? = nil, usedCount: Int? = nil,
    rateResidual: Double? = nil, quality: Int? = nil, satellites: [SatelliteReport]? = nil
  ) throws(LocationError) {
    self.init()
    put(.deviceName, device)
    try put(.time, time)
    try put(.eastDilution, eastDilution)
    try put(.northDilution, northDilution)
    try put(.verticalDilution, verticalDilution)
    try put(.timeDilution, timeDilution)
    try put(.horizontalDilution, horizontalDilution)
    try put(.positionDilution, positionDilution)
    try put(.geometricDilution, geometricDilution)
    try put(.visibleCount, visibleCount)
    try put(.usedCount, usedCount)
    try put(.rateResidual, rateResidual)
    try put(.quality, quality)
    (list, hasList) = (satellites ?? [], satellites != nil)
  }
}

extension SKY: Codable {
  public init(from decoder: any Decoder) throws { try self.init(reading: decoder) }
  public func encode(to encoder: any Encoder) throws { try write(to: encoder) }
}
