/// gpsd's ERROR: it did not understand, or cannot do, what it was asked.
public struct ErrorReport: Sendable, Hashable {
  package enum Field: Int, ReportField {
    case messageText, className
  }

  /// What was wrong with what it was asked.
  public private(set) var message: String?
  var unknown = UnknownMembers()
  /// Members that have no property here, such as a later gpsd's, by name; see ``JSONValue``.
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
  /// Creates a report; what is not given is absent.
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
