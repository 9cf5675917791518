/// The members of a report that gpsd's documentation does not name.
struct UnknownMembers: Sendable, Hashable {
  /// Nil for none: a report of a known release keeps nothing on the heap.
  private var members: [String: JSONValue]?

  var all: [String: JSONValue] { members ?? [:] }
  var isEmpty: Bool { members == nil }

  init() {}

  /// Keeps a member; of several with one name the last counts.
  mutating func keep(_ name: String, _ value: JSONValue) {
    members = members ?? [:]
    members?[name] = value
  }

  mutating func removeAll() { members = nil }
}

/// How much of what is unknown may still be kept: of one line, whatever is nested in it, or of one
/// object that a `Decoder` gives.
///
/// Counted by value, so that what is kept fits again when it is read back. Once something does not
/// fit nothing else is kept.
struct UnknownMemberBudget {
  static let none = Self(rest: 0)
  static let full = Self(rest: 65_536)

  /// Bytes of memory, about.
  private var rest: Int

  private init(rest: Int) { self.rest = rest }

  var isSpent: Bool { rest == 0 }

  /// Whether a value is worth reading that is written in so many bytes: no text is written in more
  /// than six times its length.
  func allows(written length: Int) -> Bool { length <= 6 * rest }

  /// Takes a member's cost; false when it does not fit.
  mutating func take(_ name: String, _ value: JSONValue) -> Bool {
    let cost = 64 + name.utf8.count + value.cost
    guard cost <= rest else {
      close()
      return false
    }
    rest -= cost
    return true
  }

  mutating func close() { rest = 0 }
}

extension JSONValue {
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
  /// Steps over the value of a member that a report does not know, and keeps it where that is asked
  /// for. Out of the way of what reads the known ones.
  @inline(never)
  mutating func unknownMember<Report: ReportFields>(
    _ name: ScannedText?, of report: inout Report, depth: Int, _ memory: inout DecoderMemory
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
    if memory.unknownBudget.take(key, value) { report.keepUnknown(key, value, &memory) }
  }
}
