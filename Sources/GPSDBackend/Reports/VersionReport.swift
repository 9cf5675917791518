public import AsyncLocation

/// gpsd's VERSION: its greeting.
public struct VersionReport: Sendable, Hashable {
  package enum Field: Int, ReportField {
    case protocolMajor, protocolMinor
    /// Fields that are not numbers; used only by the decoder.
    case releaseName, revisionName, remoteName, className
  }

  private var numbers = Numbers<2>()
  /// gpsd's release, such as "3.22".
  public private(set) var release: String?
  /// The revision of gpsd's source.
  public private(set) var revision: String?
  /// The daemon that sent the report, if it is not the connected one.
  public private(set) var remote: String?
  var unknown = UnknownMembers()
  /// Members without a property here, such as those of a later gpsd, by name; see ``JSONValue``.
  public var unknownMembers: [String: JSONValue] { unknown.all }

  init() {}

  package subscript(_ field: Field) -> Double? { numbers[field.rawValue] }
}

extension VersionReport: ReportFields {
  static let className: String? = "VERSION"
  static let specifications = Field.allCases.map(\.specification)
  static let table = FieldTable(specifications)

  func number(_ field: Int) -> Double? { numbers[field] }

  mutating func remove(_ field: Int) {
    guard field >= Field.releaseName.rawValue else { return numbers.remove(field) }
    set(field, String?.none)
  }

  mutating func set(_ field: Int, _ value: Double) { numbers.set(field, value) }

  mutating func set(_ field: Int, _ text: ScannedText, _ memory: inout DecoderMemory) {
    set(field, text.string())
  }

  mutating func set(_ field: Int, _ text: String?) {
    switch Field(rawValue: field) {
    case .releaseName: release = text
    case .revisionName: revision = text
    case .remoteName: remote = text
    default: break
    }
  }

  func text(_ field: Int) -> String? {
    switch Field(rawValue: field) {
    case .releaseName: release
    case .revisionName: revision
    case .remoteName: remote
    default: nil
    }
  }
}

extension VersionReport.Field {
  var specification: FieldSpecification {
    switch self {
    case .protocolMajor: .integer("proto_major", 0...65_535)
    case .protocolMinor: .integer("proto_minor", 0...65_535)
    case .releaseName: .text("release")
    case .revisionName: .text("rev")
    case .remoteName: .text("remote")
    case .className: .className
    }
  }
}

extension VersionReport {
  /// The major version of the protocol.
  public var protocolMajor: Int? { integer(.protocolMajor) }
  /// The minor version of the protocol.
  public var protocolMinor: Int? { integer(.protocolMinor) }
}

extension VersionReport {
  /// Creates a report; omitted fields are absent.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` for a value that is not finite
  ///   or out of its range.
  public init(
    protocolMajor: Int? = nil, protocolMinor: Int? = nil, release: String? = nil,
    revision: String? = nil, remote: String? = nil
  ) throws(LocationError) {
    self.init()
    try put(.protocolMajor, protocolMajor)
    try put(.protocolMinor, protocolMinor)
    put(.releaseName, release)
    put(.revisionName, revision)
    put(.remoteName, remote)
  }
}

extension VersionReport: Codable {
  public init(from decoder: any Decoder) throws { try self.init(reading: decoder) }
  public func encode(to encoder: any Encoder) throws { try write(to: encoder) }
}
