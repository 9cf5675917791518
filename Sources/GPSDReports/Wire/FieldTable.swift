import JSONScanning

/// The fields of a class of report, found by key without creating a string or comparing all keys.
///
/// A key's first eight bytes form a number. Multiplicative hashing maps these numbers to the slots
/// of a table without collisions in the class. `init` searches for a suitable multiplier.
@safe struct FieldTable: @unchecked Sendable {
  /// A field, with its key as written in a plain member.
  struct Entry {
    /// Sixteen bytes as two little-endian numbers.
    typealias Words = (head: UInt64, tail: UInt64)

    /// The key with its closing quote and colon; the remaining bytes are zero.
    fileprivate let text: Words
    /// All bits of the bytes that ``text`` uses.
    fileprivate let mask: Words
    let range: ClosedRange<Double>
    /// The length of ``text``.
    let length: Int
    /// ``text`` without the quote and the colon.
    fileprivate var key: Words {
      let bits = UInt64(8 * (length - 2))
      return bits < 64
        ? (text.head & ((1 << bits) - 1), 0)
        : (text.head, text.tail & ((1 << (bits - 64)) - 1))
    }
    let kind: FieldSpecification.Kind
    let field: UInt8
    let isNumber: Bool
    /// For numbers: whether the value must be whole.
    let isWhole: Bool

    /// Returns whether a number is a valid value of the field; NaN is not.
    @inline(__always)
    func accepts(_ value: Double) -> Bool {
      value >= range.lowerBound && value <= range.upperBound
        && (!isWhole || Double(Int(value)) == value)
    }

    fileprivate init(_ specification: FieldSpecification, field: Int) {
      let text = Array((specification.key + "\":").utf8)
      self.text = FieldTable.words(text)
      mask = FieldTable.words(text.map { _ in 0xFF })
      length = text.count
      (range, kind, self.field) = (specification.range, specification.kind, UInt8(field))
      isNumber = kind == .number || kind == .integer
      isWhole = kind == .integer
    }
  }

  /// A field of a table. Tables live as long as the process, so a reference is always valid.
  @safe struct Reference {
    // SAFETY: entries are never freed; only a table makes references, to entries that it has.
    fileprivate let place: UnsafePointer<Entry>

    @inline(__always)
    var pointee: Entry { unsafe place.pointee }
  }

  private static let slotBits: UInt64 = 9

  // SAFETY: the memory is filled before `init` returns, and never written to or freed after that:
  // tables are static and live as long as the process.
  private let slots: UnsafePointer<UInt8>
  private let entries: UnsafePointer<Entry>
  private let firstSpecification: UnsafePointer<FieldSpecification>
  private let multiplier: UInt64
  private let count: UInt8

  init(_ specifications: [FieldSpecification]) {
    let keys = specifications.map { Self.words($0.key.utf8).head }
    precondition(
      specifications.count < Int(FieldOrder.start) && Set(keys).count == keys.count,
      "keys must differ within eight bytes, and be fewer than 127")
    precondition(
      specifications.allSatisfy { (1...14).contains($0.key.utf8.count) },
      "a key of 1 to 14 bytes is needed")
    let count = UInt8(specifications.count)
    let entries = UnsafeMutablePointer<Entry>.allocate(capacity: specifications.count)
    for (field, specification) in specifications.enumerated() {
      unsafe (entries + field).initialize(to: Entry(specification, field: field))
    }
    let slots = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << Int(Self.slotBits))
    var candidate: UInt64 = 0x9E37_79B9_7F4A_7C15
    search: while true {
      // Empty slots hold an index that no field has.
      unsafe slots.initialize(repeating: count, count: 1 << Int(Self.slotBits))
      for (field, key) in keys.enumerated() {
        let slot = Self.slot(of: key, candidate)
        guard unsafe slots[slot] == count else {
          // The step of Knuth's multiplicative generator; any odd multiplier is allowed.
          candidate = (candidate &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407) | 1
          continue search
        }
        unsafe slots[slot] = UInt8(field)
      }
      break
    }
    self.multiplier = candidate
    unsafe self.slots = UnsafePointer(slots)
    unsafe self.entries = UnsafePointer(entries)
    let copies = UnsafeMutablePointer<FieldSpecification>.allocate(capacity: specifications.count)
    unsafe copies.initialize(from: specifications, count: specifications.count)
    unsafe firstSpecification = UnsafePointer(copies)
    self.count = count
  }

  /// All fields by index.
  var specifications: [FieldSpecification] { (0..<Int(count)).map(specification) }

  func specification(_ field: Int) -> FieldSpecification {
    precondition(field < count, "no such field")
    return unsafe firstSpecification[field]
  }

  /// Returns the field with this index if the bytes begin with its key, a quote and a colon;
  /// otherwise nil.
  @inline(__always)
  func entry(
    _ field: UInt8, head: UInt64, tail: @autoclosure () -> UInt64
  ) -> Reference? {
    guard field < count else { return nil }
    let entry = unsafe Reference(place: entries + Int(field))
    guard head & entry.pointee.mask.head == entry.pointee.text.head else { return nil }
    // Most keys are short.
    guard
      entry.pointee.mask.tail == 0 || tail() & entry.pointee.mask.tail == entry.pointee.text.tail
    else { return nil }
    return entry
  }

  /// Returns the index of the only field whose key may begin with these bytes, or an index that no
  /// field has. The caller compares the key.
  @inline(__always)
  func field(keyHead: UInt64) -> UInt8 { unsafe slots[Self.slot(of: keyHead, multiplier)] }

  /// Returns the field with this key; nil if there is none.
  func entry(_ key: JSONText) -> Reference? {
    key.hasEscapes ? entry(key.string().utf8.span) : entry(key.bytes)
  }

  private func entry(_ key: Span<UInt8>) -> Reference? {
    guard (1...14).contains(key.count) else { return nil }
    let words: Entry.Words = (key.paddedWord(at: 0), key.paddedWord(at: 8))
    let index = field(keyHead: words.head)
    guard index < count else { return nil }
    let entry = unsafe Reference(place: entries + Int(index))
    guard entry.pointee.length == key.count + 2, entry.pointee.key == words else { return nil }
    return entry
  }

  /// Returns the first sixteen bytes.
  private static func words(_ bytes: some Sequence<UInt8>) -> Entry.Words {
    var words: Entry.Words = (0, 0)
    var shift: UInt64 = 0
    for byte in bytes {
      // Shifts beyond the end of a word give zero.
      words.head |= UInt64(byte) << shift
      if shift >= 64 { words.tail |= UInt64(byte) << (shift - 64) }
      shift += 8
    }
    return words
  }

  @inline(__always)
  private static func slot(of head: UInt64, _ multiplier: UInt64) -> Int {
    Int(truncatingIfNeeded: (head &* multiplier) >> (64 - slotBits))
  }
}
