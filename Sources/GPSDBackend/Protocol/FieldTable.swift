/// How a field of a report is written and which values it may have.
struct FieldSpecification {
  enum Kind: UInt8 {
    case number, integer, flag
    /// ISO 8601, or seconds since 1970; kept as seconds since 2001.
    case time
    case text
    /// An array of objects.
    case list
    /// The report's own class.
    case className
  }

  let key: String
  let kind: Kind
  let range: ClosedRange<Double>

  static func number(_ key: String, _ range: ClosedRange<Double> = .finite) -> Self {
    Self(key: key, kind: .number, range: range)
  }
  static func integer(_ key: String, _ range: ClosedRange<Double>) -> Self {
    Self(key: key, kind: .integer, range: range)
  }
  static func flag(_ key: String) -> Self { Self(key: key, kind: .flag, range: 0...1) }
  static func time(_ key: String) -> Self { Self(key: key, kind: .time, range: .finite) }
  static func text(_ key: String) -> Self { Self(key: key, kind: .text, range: .finite) }
  static func list(_ key: String) -> Self { Self(key: key, kind: .list, range: .finite) }
  static var className: Self { Self(key: "class", kind: .className, range: .finite) }

  /// Whether a number can be the field's value.
  func accepts(_ value: Double) -> Bool {
    range.contains(value) && (kind != .integer || value.rounded() == value)
  }
}

extension ClosedRange<Double> {
  static var finite: Self { -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude }
  static var nonNegative: Self { 0...Double.greatestFiniteMagnitude }
  static var degrees: Self { 0...360 }
  static var signedDegrees: Self { -180...180 }
  /// Metres; what `Location` accepts.
  static var altitude: Self { -20_000...100_000_000 }
  /// What a double counts without gaps.
  static var count: Self { 0...9_007_199_254_740_992 }
}

/// The fields of a class of report, found by key without a string or a chain of comparisons.
///
/// A key's first eight bytes are a number; a multiplication spreads these numbers over a table so
/// that no two of the class share a slot. The multiplier is searched for once.
struct FieldTable: @unchecked Sendable {
  struct Entry {
    /// The first eight bytes of the key, the first one lowest, zero where it is shorter.
    let head: UInt64
    /// The next eight.
    let tail: UInt64
    let length: Int
    let kind: FieldSpecification.Kind
    let field: Int
    let range: ClosedRange<Double>
  }

  private static let slotBits: UInt64 = 9

  // SAFETY: both are filled before init returns, and never written to or freed after: tables are
  // static and live as long as the process.
  private let slots: UnsafePointer<UInt8>
  private let entries: UnsafePointer<Entry>
  private let multiplier: UInt64

  init(_ specifications: [FieldSpecification]) {
    let fields = specifications.enumerated().map { field, specification in
      let key = Array(specification.key.utf8)
      precondition((1...16).contains(key.count), "a key of 1 to 16 bytes is needed")
      return Entry(
        head: Self.word(key.prefix(8)), tail: Self.word(key.dropFirst(8)), length: key.count,
        kind: specification.kind, field: field, range: specification.range)
    }
    precondition(
      fields.count < 255 && Set(fields.map(\.head)).count == fields.count,
      "keys must differ within eight bytes")
    // The last entry matches no key, not even the empty one: slots without a field lead to it.
    let nothing = Entry(
      head: 0, tail: 0, length: -1, kind: .text, field: fields.count, range: .finite)
    let entries = UnsafeMutablePointer<Entry>.allocate(capacity: fields.count + 1)
    for (index, entry) in (fields + [nothing]).enumerated() {
      (entries + index).initialize(to: entry)
    }
    let slots = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << Int(Self.slotBits))
    var candidate: UInt64 = 0x9E37_79B9_7F4A_7C15
    search: while true {
      slots.initialize(repeating: UInt8(fields.count), count: 1 << Int(Self.slotBits))
      for entry in fields {
        let slot = Self.slot(of: entry.head, candidate)
        guard slots[slot] == UInt8(fields.count) else {
          // Knuth's multiplicative generator; any odd number may serve.
          candidate = (candidate &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407) | 1
          continue search
        }
        slots[slot] = UInt8(entry.field)
      }
      break
    }
    self.multiplier = candidate
    self.slots = UnsafePointer(slots)
    self.entries = UnsafePointer(entries)
  }

  /// The field with the key of these bytes.
  @inline(__always)
  func entry(head: UInt64, tail: UInt64, length: Int) -> UnsafePointer<Entry>? {
    let entry = entries + Int(slots[Self.slot(of: head, multiplier)])
    guard entry.pointee.head == head, entry.pointee.length == length, entry.pointee.tail == tail
    else { return nil }
    return entry
  }

  /// The field with a key that was written in an unusual way.
  func entry(_ key: some Collection<UInt8>) -> UnsafePointer<Entry>? {
    guard (1...16).contains(key.count) else { return nil }
    return entry(
      head: Self.word(key.prefix(8)), tail: Self.word(key.dropFirst(8)), length: key.count)
  }

  /// Up to eight bytes as a number, the first one lowest.
  static func word(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var (word, shift) = (UInt64(0), UInt64(0))
    for byte in bytes {
      word |= UInt64(byte) << shift
      shift += 8
    }
    return word
  }

  @inline(__always)
  private static func slot(of head: UInt64, _ multiplier: UInt64) -> Int {
    Int(truncatingIfNeeded: (head &* multiplier) >> (64 - slotBits))
  }
}
