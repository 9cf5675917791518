import JSONScanning

/// The members of a report that gpsd's documentation does not name.
struct UnknownMembers: Sendable, Hashable {
  /// Nil if empty, so that a report without unknown members allocates no memory for them.
  private var members: [String: JSONValue]?

  var all: [String: JSONValue] { members ?? [:] }
  var isEmpty: Bool { members == nil }

  init() {}

  /// Stores a member; of several with the same name the last wins.
  mutating func store(_ name: String, _ value: JSONValue) {
    members = members ?? [:]
    members?[name] = value
  }

  mutating func removeAll() { members = nil }
}

/// The remaining memory budget for unknown members: of one line including nested objects, or of one
/// object from a `Decoder`.
///
/// The cost is computed from the values, so that members that were stored also fit when they are
/// encoded and decoded again. After the first member that does not fit, no others are kept.
struct UnknownMemberBudget {
  static let none = Self(rest: 0)
  static let full = Self(rest: 65_536)

  /// The remaining bytes of memory, approximately.
  private var rest: Int

  private init(rest: Int) { self.rest = rest }

  var isSpent: Bool { rest == 0 }

  /// Returns whether a value of this encoded length may fit. An escaped text is at most six times
  /// as long as the text; a value with more whitespace or digits than that is not kept.
  func allows(written length: Int) -> Bool { length <= 6 * rest }

  /// Subtracts a member's cost; returns false if it does not fit.
  mutating func reserve(_ name: String, _ value: JSONValue) -> Bool {
    let cost = 64 + name.utf8.count + value.cost
    guard cost <= rest else {
      close()
      return false
    }
    rest -= cost
    return true
  }

  /// Rejects all further members.
  mutating func close() { rest = 0 }
}

extension JSONValue {
  /// The approximate memory use in bytes.
  fileprivate var cost: Int {
    switch self {
    case .null, .bool, .integer, .unsigned, .number: 32
    case .string(let text): 32 + text.utf8.count
    case .array(let elements): elements.reduce(64) { $0 + $1.cost }
    case .object(let members): members.reduce(64) { $0 + 32 + $1.key.utf8.count + $1.value.cost }
    }
  }
}

extension JSONScanner {
  /// Skips the value of an unknown member, and keeps it if requested. A separate function, so that
  /// it does not slow down reading known members.
  ///
  /// - Parameter name: Nil if the name has escapes and the line exceeds the conversion limit.
  @inline(never)
  mutating func unknownMember<Report: StoredReport>(
    _ name: JSONText?, of report: inout Report, depth: Int, _ memory: inout DecoderMemory
  ) throws(Fault) {
    let start = position
    try skipValue(depth: depth)
    guard Report.keepsUnknownMembers, !memory.unknownBudget.isSpent else { return }
    guard let name, memory.unknownBudget.allows(written: position - start) else {
      return memory.unknownBudget.close()
    }
    var scanner = self
    scanner.position = start
    let (key, value) = (name.string(), try scanner.value(depth: depth))
    if memory.unknownBudget.reserve(key, value) { report.storage.storeUnknown(key, value, &memory) }
  }
}
