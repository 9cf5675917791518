/// The values of a report's fields, by the field's index: numbers first, then texts, then lists.
protocol ReportStorage: Sendable, Hashable {
  associatedtype Lists: ReportLists

  /// The counts of number fields and of text fields.
  static var counts: (numbers: Int, texts: Int) { get }

  var lists: Lists { get set }
  var unknown: UnknownMembers { get set }

  init()

  func number(_ field: Int) -> Double?
  func text(_ field: Int) -> String?
  mutating func set(_ field: Int, _ number: Double)
  mutating func set(_ field: Int, _ text: String)
  mutating func removeNumber(_ field: Int)
  mutating func removeText(_ field: Int)
  /// Makes all fields absent. Unknown members stay.
  mutating func removeAll()
  /// Stores an unknown member, either in this storage or, for an element of a list, in the memory,
  /// from which the list takes it.
  mutating func storeUnknown(_ name: String, _ value: JSONValue, _ memory: inout DecoderMemory)
}

/// The values of a report's fields, and its unknown members.
@usableFromInline
struct FieldStorage<let numberCount: Int, let textCount: Int, Lists: Sendable>: Sendable {
  @usableFromInline var numbers = Numbers<numberCount>()
  private var texts = InlineArray<textCount, String?>(repeating: nil)
  var lists: Lists
  var unknown = UnknownMembers()
}

extension FieldStorage: ReportStorage where Lists: ReportLists {
  static var counts: (numbers: Int, texts: Int) { (numberCount, textCount) }

  init() { self.init(lists: Lists()) }

  @inline(__always)
  func number(_ field: Int) -> Double? { numbers[field] }

  @inline(__always)
  func text(_ field: Int) -> String? { texts[field - numberCount] }

  @inline(__always)
  mutating func set(_ field: Int, _ number: Double) { numbers.set(field, number) }

  mutating func set(_ field: Int, _ text: String) { texts[field - numberCount] = text }

  @inline(__always)
  mutating func removeNumber(_ field: Int) { numbers.remove(field) }

  mutating func removeText(_ field: Int) { texts[field - numberCount] = nil }

  @inline(__always)
  mutating func removeAll() {
    numbers.removeAll()
    for index in 0..<textCount { texts[index] = nil }
    lists.removeAll()
  }

  mutating func storeUnknown(_ name: String, _ value: JSONValue, _ memory: inout DecoderMemory) {
    unknown.store(name, value)
  }
}

extension FieldStorage: Equatable, Hashable where Lists: ReportLists {
  @usableFromInline
  static func == (left: Self, right: Self) -> Bool {
    left.numbers == right.numbers && left.lists == right.lists && left.unknown == right.unknown
      && (0..<textCount).allSatisfy { left.texts[$0] == right.texts[$0] }
  }

  @usableFromInline
  func hash(into hasher: inout Hasher) {
    hasher.combine(numbers)
    for index in 0..<textCount { hasher.combine(texts[index]) }
    hasher.combine(lists)
    hasher.combine(unknown)
  }
}

/// The values of an object that has only numbers, so that an array of such objects is copied and
/// freed as one block of memory. The array's owner stores their unknown members.
extension Numbers: ReportStorage {
  static var counts: (numbers: Int, texts: Int) { (capacity, 0) }

  var lists: NoLists {
    get { NoLists() }
    set {}
  }

  var unknown: UnknownMembers {
    get { UnknownMembers() }
    set {}
  }

  @inline(__always)
  func number(_ field: Int) -> Double? { self[field] }

  @inline(__always)
  mutating func removeNumber(_ field: Int) { remove(field) }

  func text(_ field: Int) -> String? { nil }

  mutating func set(_ field: Int, _ text: String) {}

  mutating func removeText(_ field: Int) {}

  mutating func storeUnknown(_ name: String, _ value: JSONValue, _ memory: inout DecoderMemory) {
    memory.unknownOfElement.store(name, value)
  }
}
