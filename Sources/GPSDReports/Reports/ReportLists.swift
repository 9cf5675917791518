import JSONScanning

/// The lists of objects in a report, by the field's index.
protocol ReportLists: Sendable, Hashable {
  init()

  subscript(_ field: Int) -> (any ObjectList)? { get set }

  /// Makes all lists absent.
  mutating func removeAll()
  /// Starts an empty list.
  ///
  /// - Parameter count: The probable number of objects.
  mutating func begin(_ field: Int, _ list: FieldSpecification.List, expecting count: Int)
  /// Reads and appends one object; the scanner is at its opening brace. Skips it if the list is
  /// full.
  mutating func add(
    _ field: Int, _ list: FieldSpecification.List, _ scanner: inout JSONScanner,
    _ memory: inout DecoderMemory
  ) throws(JSONScanner.Fault)
  func encode(
    _ field: Int, _ list: FieldSpecification.List, to container: inout FieldEncoding,
    forKey key: FieldKey
  ) throws
  /// Decodes a list, skipping elements that are not objects. If the value is not a list, sets the
  /// value for a missing list.
  mutating func decode(
    _ field: Int, _ list: FieldSpecification.List, from container: FieldDecoding,
    forKey key: FieldKey)
}

/// An array of any type of object.
protocol ObjectList: Sendable, Hashable, Encodable {
  init()
  /// Decodes a list, skipping elements that are not objects; nil if the value is not a list.
  init?(atMost maximum: Int, from container: FieldDecoding, forKey key: FieldKey)

  /// Reads and appends an object; skips it if the list is full.
  mutating func add(
    atMost maximum: Int, _ scanner: inout JSONScanner, _ memory: inout DecoderMemory
  ) throws(JSONScanner.Fault)
}

extension Array: ObjectList where Element: StoredReport {
  init?(atMost maximum: Int, from container: FieldDecoding, forKey key: FieldKey) {
    guard let list = container.list(of: Element.self, atMost: maximum, forKey: key) else {
      return nil
    }
    self = list
  }

  @inline(__always)
  mutating func add(
    atMost maximum: Int, _ scanner: inout JSONScanner, _ memory: inout DecoderMemory
  ) throws(JSONScanner.Fault) {
    guard count < maximum else { return try scanner.skipValue(depth: 2) }
    append(Element())
    // The class of an element is not checked, because it is known.
    _ = try scanner.fields(of: &self[count - 1], in: Element.table, depth: 3, &memory)
  }
}

/// The lists of a report without list fields, which stores none.
@usableFromInline
struct NoLists: ReportLists {
  subscript(_ field: Int) -> (any ObjectList)? {
    get { nil }
    set {}
  }

  @inline(__always)
  mutating func removeAll() {}

  mutating func begin(_ field: Int, _ list: FieldSpecification.List, expecting count: Int) {}

  mutating func add(
    _ field: Int, _ list: FieldSpecification.List, _ scanner: inout JSONScanner,
    _ memory: inout DecoderMemory
  ) throws(JSONScanner.Fault) {
    try scanner.skipValue(depth: 2)
  }
}

/// The lists of an infrequent report, in a dictionary.
struct ObjectLists: ReportLists {
  private var lists: [Int: any ObjectList] = [:]

  subscript(_ field: Int) -> (any ObjectList)? {
    get { lists[field] }
    set { lists[field] = newValue }
  }

  mutating func removeAll() { lists = [:] }

  mutating func begin(_ field: Int, _ list: FieldSpecification.List, expecting count: Int) {
    lists[field] = list.type.init()
  }

  mutating func add(
    _ field: Int, _ list: FieldSpecification.List, _ scanner: inout JSONScanner,
    _ memory: inout DecoderMemory
  ) throws(JSONScanner.Fault) {
    try lists[field]?.add(atMost: list.maximum, &scanner, &memory)
  }
}

extension ObjectLists: Hashable {
  static func == (left: Self, right: Self) -> Bool {
    left.lists.mapValues { AnyHashable($0) } == right.lists.mapValues { AnyHashable($0) }
  }

  func hash(into hasher: inout Hasher) { hasher.combine(lists.mapValues { AnyHashable($0) }) }
}

extension ReportLists {
  func encode(
    _ field: Int, _ list: FieldSpecification.List, to container: inout FieldEncoding,
    forKey key: FieldKey
  ) throws {
    if let objects = self[field] { try container.encode(objects, forKey: key) }
  }

  mutating func decode(
    _ field: Int, _ list: FieldSpecification.List, from container: FieldDecoding,
    forKey key: FieldKey
  ) {
    self[field] =
      list.type.init(atMost: list.maximum, from: container, forKey: key) ?? list.defaultValue
  }
}
