/// The parameters of a statement in PostgreSQL's binary formats, which are big-endian.
struct Parameters {
  private(set) var values: [[UInt8]?] = []

  mutating func add(_ value: Int64) { values.append([UInt8](bigEndian: value)) }
  mutating func add(_ value: Double) { values.append([UInt8](bigEndian: value)) }
  mutating func add(_ value: Bool) { values.append([value ? 1 : 0]) }
  mutating func add(_ value: String) { values.append(Array(value.utf8)) }
  mutating func add(_ value: [UInt8]?) { values.append(value) }

  mutating func add(_ array: [Int64]) {
    add(array.map { [UInt8](bigEndian: $0) }, ofType: .bigint)
  }

  mutating func add(_ array: [Double]) {
    add(array.map { [UInt8](bigEndian: $0) }, ofType: .double)
  }

  mutating func add(_ array: [Bool]) { add(array.map { [$0 ? 1 : 0] }, ofType: .boolean) }
  mutating func add(_ array: [String]) { add(array.map { Array($0.utf8) }, ofType: .text) }
  mutating func add(_ array: [[UInt8]?]) { add(array, ofType: .bytes) }

  /// The OIDs of types in PostgreSQL's catalog `pg_type`.
  private enum ElementType: UInt32 {
    case boolean = 16
    case bytes = 17
    case bigint = 20
    case text = 25
    case double = 701
  }

  /// Encodes an array: the number of dimensions, whether elements are null, and the type; the
  /// length and the lower bound of the dimension; the elements.
  private mutating func add(_ elements: [[UInt8]?], ofType type: ElementType) {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: UInt32(elements.isEmpty ? 0 : 1))
    bytes.append(bigEndian: UInt32(elements.contains(nil) ? 1 : 0))
    bytes.append(bigEndian: type.rawValue)
    if !elements.isEmpty {
      bytes.append(bigEndian: UInt32(elements.count))
      bytes.append(bigEndian: UInt32(1))
    }
    for element in elements { bytes.append(field: element) }
    values.append(bytes)
  }
}

extension [UInt8] {
  init(bigEndian value: Int64) {
    self = []
    append(bigEndian: UInt64(bitPattern: value))
  }

  init(bigEndian value: Double) {
    self = []
    append(bigEndian: value.bitPattern)
  }

  mutating func append<Number: FixedWidthInteger & UnsignedInteger>(bigEndian number: Number) {
    for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: number >> Number(shift)))
    }
  }

  /// Appends the length of a value and the value, as in arrays and rows. Nil is null.
  mutating func append(field: [UInt8]?) {
    guard let field else { return append(bigEndian: UInt32.max) }
    append(bigEndian: UInt32(field.count))
    append(contentsOf: field)
  }
}
