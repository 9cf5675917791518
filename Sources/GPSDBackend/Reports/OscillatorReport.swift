public import AsyncLocation

/// gpsd's OSC: an oscillator disciplined by a receiver's pulse.
public struct OscillatorReport: Sendable, Hashable {
  package enum Field: Int, ReportField {
    case isRunning, hasReference, isDisciplined, delta
    /// Fields that are not numbers; used only by the decoder.
    case deviceName, className
  }

  private var numbers = Numbers<4>()
  /// The receiver that sent the report.
  public private(set) var device: String?
  var unknown = UnknownMembers()
  /// Members without a property here, such as those of a later gpsd, by name; see ``JSONValue``.
  public var unknownMembers: [String: JSONValue] { unknown.all }

  init() {}

  package subscript(_ field: Field) -> Double? { numbers[field.rawValue] }
}

extension OscillatorReport: ReportFields {
  static let className: String? = "OSC"
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

extension OscillatorReport.Field {
  var specification: FieldSpecification {
    switch self {
    case .isRunning: .flag("running")
    case .hasReference: .flag("reference")
    case .isDisciplined: .flag("disciplined")
    case .delta: .number("delta")
    case .deviceName: .text("device")
    case .className: .className
    }
  }
}

extension OscillatorReport {
  /// Whether the oscillator is running; it may need time to warm up.
  public var isRunning: Bool? { flag(.isRunning) }
  /// Whether the oscillator receives the receiver's pulse.
  public var hasReference: Bool? { flag(.hasReference) }
  /// Whether the pulse is good enough to discipline the oscillator, and does so.
  public var isDisciplined: Bool? { flag(.isDisciplined) }
  /// The time from the receiver's last pulse to the oscillator's, in nanoseconds.
  public var delta: Double? { self[.delta] }
}

extension OscillatorReport {
  /// Creates a report; omitted fields are absent.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` for a value that is not finite
  ///   or out of its range.
  public init(
    device: String? = nil, isRunning: Bool? = nil, hasReference: Bool? = nil,
    isDisciplined: Bool? = nil, delta: Double? = nil
  ) throws(LocationError) {
    self.init()
    put(.deviceName, device)
    put(.isRunning, isRunning)
    put(.hasReference, hasReference)
    put(.isDisciplined, isDisciplined)
    try put(.delta, delta)
  }
}

extension OscillatorReport: Codable {
  public init(from decoder: any Decoder) throws { try self.init(reading: decoder) }
  public func encode(to encoder: any Encoder) throws { try write(to: encoder) }
}
