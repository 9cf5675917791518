/// A report, or an object in one, whose fields are found with a ``FieldTable``.
///
/// A field is a number, stored inline, or a text or list, stored by the report. One list of
/// specifications defines decoding, encoding and range checks of all fields.
protocol ReportFields {
  associatedtype Field: ReportField

  /// The maximum number of objects kept of a list; no receiver tracks, and no gpsd has, as many.
  static var maximumListLength: Int { get }
  static var specifications: [FieldSpecification] { get }
  static var table: FieldTable { get }
  /// The slot in which a decoder remembers the order of the fields.
  static var orderSlot: Int { get }
  /// The value of `class`; nil for objects without a class.
  static var className: String? { get }
  /// ``className`` and all other classes with the same fields.
  static var classNames: [String] { get }
  /// Whether members that are in no specification are kept.
  static var keepsUnknownMembers: Bool { get }
  var unknown: UnknownMembers { get set }
  mutating func keepUnknown(_ name: String, _ value: JSONValue, _ memory: inout DecoderMemory)
  /// Whether the beginning of 1970 is encoded as the number 0.
  static var writesEpochAsZero: Bool { get }

  init()

  func number(_ field: Int) -> Double?
  func text(_ field: Int) -> String?
  /// The objects of a list; nil if it is absent.
  func list(_ field: Int) -> [Any]?

  mutating func removeAll()
  mutating func remove(_ field: Int)
  mutating func set(_ field: Int, _ value: Double)
  mutating func set(_ field: Int, _ text: String?)
  mutating func set(_ field: Int, _ text: ScannedText, _ memory: inout DecoderMemory)
  /// Reads one object of a list; the scanner is at its opening brace.
  mutating func add(
    _ field: Int, _ scanner: inout JSONScanner, _ memory: inout DecoderMemory
  ) throws(JSONScanner.Fault)
  /// Returns whether to skip a list that begins here.
  func skips(_ field: Int, _ memory: borrowing DecoderMemory) -> Bool
  /// Called at the beginning of an array.
  mutating func begin(_ field: Int)

  func encodeList(_ field: Int, to container: inout FieldEncoding) throws
  mutating func decodeList(_ field: Int, from container: FieldDecoding)
}

/// A field of a report; its raw value is its index in the specifications.
protocol ReportField: RawRepresentable<Int>, CaseIterable, Sendable {
  var specification: FieldSpecification { get }
}

extension ReportFields {
  static var maximumListLength: Int { 4096 }
  static var orderSlot: Int { 0 }
  static var classNames: [String] { className.map { [$0] } ?? [] }
  static var keepsUnknownMembers: Bool { true }
  static var writesEpochAsZero: Bool { false }

  mutating func keepUnknown(
    _ name: String, _ value: JSONValue, _ memory: inout DecoderMemory
  ) {
    unknown.keep(name, value)
  }

  func text(_ field: Int) -> String? { nil }
  func list(_ field: Int) -> [Any]? { nil }
  mutating func removeAll() { self = Self() }
  mutating func set(_ field: Int, _ text: String?) {}
  mutating func set(_ field: Int, _ text: ScannedText, _ memory: inout DecoderMemory) {}
  mutating func add(
    _ field: Int, _ scanner: inout JSONScanner, _ memory: inout DecoderMemory
  ) throws(JSONScanner.Fault) {
    try scanner.skipValue(depth: 2)
  }
  func skips(_ field: Int, _ memory: borrowing DecoderMemory) -> Bool { false }
  mutating func begin(_ field: Int) {}
  func encodeList(_ field: Int, to container: inout FieldEncoding) throws {}
  mutating func decodeList(_ field: Int, from container: FieldDecoding) {}
}
