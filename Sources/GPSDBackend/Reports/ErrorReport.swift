/// gpsd's ERROR: it did not understand a request or cannot fulfil it.
public struct ErrorReport: Sendable, Hashable {
  package enum Field: Int, ReportField {
    case messageText, className
  }

  /// gpsd's description of the error.
  public private(set) var message: String?
  var unknown = UnknownMembers()
  /// Members without a property here, such as those of a later gpsd, by name; see ``JSONValue``.
  public var unknownMembers: [String: JSONValue] { unknown.all }

  init() {}
}

extension ErrorReport: ReportFields {
  static let className: String? = "ERROR"
  static let specifications = Field.allCases.map(\.specification)
  static let table = FieldTable(specifications)

  func number(_ field: Int) -> Double? { nil }

  mutating func remove(_ field: Int) {
    set(field, String?.none)
  }

  mutating func set(_ field: Int, _ value: Double) {}

  mutating func set(_ field: Int, _ text: ScannedText, _ memory: inout DecoderMemory) {
    set(field, text.string())
  }

  mutating func set(_ field: Int, _ text: String?) {
    if field == Field.messageText.rawValue { message = text }
  }

  func text(_ field: Int) -> String? {
    field == Field.messageText.rawValue ? message : nil
  }
}

extension ErrorReport.Field {
  var specification: FieldSpecification {
    switch self {
    case .messageText: .text("message")
    case .className: .className
    }
  }
}

extension ErrorReport {
  /// Creates a report; omitted fields are absent.
  public init(
    message: String? = nil
  ) {
    self.init()
    put(.messageText, message)
  }
}

extension ErrorReport: Codable {
  public init(from decoder: any Decoder) throws { try self.init(reading: decoder) }
  public func encode(to encoder: any Encoder) throws { try write(to: encoder) }
}
