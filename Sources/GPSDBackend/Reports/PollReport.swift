public import AsyncLocation
public import FoundationEssentials

/// gpsd's POLL: the latest reports of each active receiver, in response to a request.
public struct PollReport: Sendable, Hashable {
  package enum Field: Int, ReportField {
    case time, activeCount
    /// Fields that are not numbers; used only by the decoder.
    case fixList, noiseList, skyList, className
  }

  private var numbers = Numbers<2>()
  /// The latest fix of each receiver.
  public internal(set) var fixes: [TPV]?
  /// The latest error estimates of each receiver.
  public internal(set) var noises: [GST]?
  /// The latest satellite report of each receiver.
  public internal(set) var skies: [SKY]?
  var unknown = UnknownMembers()
  /// Members without a property here, such as those of a later gpsd, by name; see ``JSONValue``.
  public var unknownMembers: [String: JSONValue] { unknown.all }

  init() {}

  package subscript(_ field: Field) -> Double? { numbers[field.rawValue] }
}

extension PollReport: ReportFields {
  static let className: String? = "POLL"
  static let specifications = Field.allCases.map(\.specification)
  static let table = FieldTable(specifications)

  func number(_ field: Int) -> Double? { numbers[field] }

  mutating func remove(_ field: Int) {
    guard field >= Field.fixList.rawValue else { return numbers.remove(field) }
    switch Field(rawValue: field) {
    case .fixList: fixes = nil
    case .noiseList: noises = nil
    case .skyList: skies = nil
    default: set(field, String?.none)
    }
  }

  mutating func set(_ field: Int, _ value: Double) { numbers.set(field, value) }

  static var maximumListLength: Int { 256 }

  func list(_ field: Int) -> [Any]? {
    switch Field(rawValue: field) {
    case .fixList: fixes
    case .noiseList: noises
    case .skyList: skies
    default: nil
    }
  }

  mutating func begin(_ field: Int) {
    switch Field(rawValue: field) {
    case .fixList: fixes = []
    case .noiseList: noises = []
    case .skyList: skies = []
    default: break
    }
  }

  mutating func add(
    _ field: Int, _ scanner: inout JSONScanner, _ memory: inout DecoderMemory
  ) throws(JSONScanner.Fault) {
    switch Field(rawValue: field) {
    case .fixList: try Self.append(to: &fixes, &scanner, &memory)
    case .noiseList: try Self.append(to: &noises, &scanner, &memory)
    case .skyList: try Self.append(to: &skies, &scanner, &memory)
    default: try scanner.skipValue(depth: 2)
    }
  }

  private static func append<Report: ReportFields>(
    to list: inout [Report]?, _ scanner: inout JSONScanner, _ memory: inout DecoderMemory
  ) throws(JSONScanner.Fault) {
    guard list?.count ?? 0 < maximumListLength else { return try scanner.skipValue(depth: 2) }
    var report = Report()
    _ = try scanner.fields(of: &report, in: Report.table, depth: 3, &memory)
    list?.append(report)
  }

  func encodeList(_ field: Int, to container: inout FieldEncoding) throws {
    let key = FieldKey.of(Self.specifications[field])
    switch Field(rawValue: field) {
    case .fixList: try container.encodeIfPresent(fixes, forKey: key)
    case .noiseList: try container.encodeIfPresent(noises, forKey: key)
    case .skyList: try container.encodeIfPresent(skies, forKey: key)
    default: break
    }
  }

  mutating func decodeList(_ field: Int, from container: FieldDecoding) {
    let specification = Self.specifications[field]
    switch Field(rawValue: field) {
    case .fixList: fixes = container.list(of: TPV.self, specification)
    case .noiseList: noises = container.list(of: GST.self, specification)
    case .skyList: skies = container.list(of: SKY.self, specification)
    default: break
    }
  }
}

extension PollReport.Field {
  var specification: FieldSpecification {
    switch self {
    case .time: .time("time")
    case .activeCount: .integer("active", 0...65_535)
    case .fixList: .list("tpv")
    case .noiseList: .list("gst")
    case .skyList: .list("sky")
    case .className: .className
    }
  }
}

extension PollReport {
  /// When gpsd answered, by its machine's clock.
  public var time: Date? { date(.time) }
  /// The number of active receivers.
  public var activeCount: Int? { integer(.activeCount) }
}

extension PollReport {
  /// Creates a report; omitted fields are absent.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` for a value that is not finite
  ///   or out of its range.
  public init(
    time: Date? = nil, activeCount: Int? = nil, fixes: [TPV]? = nil,
    noises: [GST]? = nil, skies: [SKY]? = nil
  ) throws(LocationError) {
    self.init()
    try put(.time, time)
    try put(.activeCount, activeCount)
    self.fixes = fixes
    self.noises = noises
    self.skies = skies
  }
}

extension PollReport: Codable {
  public init(from decoder: any Decoder) throws { try self.init(reading: decoder) }
  public func encode(to encoder: any Encoder) throws { try write(to: encoder) }
}
