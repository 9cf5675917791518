import AsyncLocation

/// A report whose fields are stored by their index in `Fields`, and looked up in a ``FieldTable``.
///
/// The protocol derives the implementation from the fields; a report type adds only its specific
/// parts.
protocol StoredReport: FieldReport, Described {
  associatedtype Storage: ReportStorage

  static var table: FieldTable { get }
  /// The value of `class`; nil for objects without a class.
  static var className: String? { get }
  /// ``className`` and all other classes with the same fields.
  static var classNames: [String] { get }
  /// The slot in which a decoder stores the order of the fields.
  static var orderSlot: Int { get }
  /// Whether members without a field are kept.
  static var keepsUnknownMembers: Bool { get }
  /// Whether the beginning of 1970 is encoded as the number 0.
  static var writesEpochAsZero: Bool { get }

  var storage: Storage { get set }
  /// The probable number of objects in a list of the report.
  var expectedListLength: Int { get }

  init()

  /// Returns whether to skip a list of the report that begins here, given the fields read before
  /// it.
  func skipsLists(_ memory: borrowing DecoderMemory) -> Bool
}

extension StoredReport {
  static var classNames: [String] { className.map { [$0] } ?? [] }
  static var orderSlot: Int { 0 }
  static var keepsUnknownMembers: Bool { true }
  static var writesEpochAsZero: Bool { false }

  var expectedListLength: Int { 0 }

  func skipsLists(_ memory: borrowing DecoderMemory) -> Bool { false }

  /// Returns the table of the declared fields and, last, of `class`. Fields must be declared in the
  /// order of the storage: first numbers, then texts, then lists.
  static func makeTable(_ fields: Fields) -> FieldTable {
    var specifications = FieldSpecification.all(of: fields)
    let counts = Storage.counts
    let ranks = specifications.map { specification in
      switch specification.kind {
      case .number, .integer, .flag, .time: 0
      case .text, .device: 1
      case .list, .className: 2
      }
    }
    precondition(
      ranks == ranks.sorted() && ranks.count { $0 == 0 } == counts.numbers
        && ranks.count { $0 == 1 } == counts.texts,
      "the storage has a place for each number, then for each text")
    if className != nil { specifications.append(.className) }
    return FieldTable(specifications)
  }

  static func list(_ field: Int) -> FieldSpecification.List {
    guard let list = table.specification(field).list else { preconditionFailure("not a list") }
    return list
  }
}

extension StoredReport {
  public init(_ assign: (inout ReportBuilder<Fields>) -> Void) throws(LocationError) {
    var builder = ReportBuilder<Fields>(Self.table, Self.className)
    assign(&builder)
    if let refusal = builder.refusal { throw refusal }
    self.init()
    for (field, value) in builder.values {
      switch value {
      case .number(let number): storage.set(field, number)
      case .text(let text): storage.set(field, text)
      case .list(let list): storage.lists[field] = list
      }
    }
  }

  public var unknownMembers: [String: JSONValue] { storage.unknown.all }

  @inline(__always)
  public func _number(at index: Int) -> Double? { storage.number(index) }

  @inline(__always)
  public func _text(at index: Int) -> String? { storage.text(index) }

  public func _objects(at index: Int) -> (any Sendable)? { storage.lists[index] }
}

extension StoredReport {
  public static func == (left: Self, right: Self) -> Bool { left.storage == right.storage }

  public func hash(into hasher: inout Hasher) { hasher.combine(storage) }
}
