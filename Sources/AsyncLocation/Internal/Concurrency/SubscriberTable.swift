/// Members keyed by ID, stored in one dense array. Adding and removing take O(1), a visit O(n).
/// Removing a member changes the order of the others.
struct SubscriberTable<Member> {
  private(set) var ids: [UInt64] = []
  private(set) var members: [Member] = []
  private var positions: [UInt64: Int] = [:]

  var count: Int { members.count }

  mutating func add(_ member: Member, id: UInt64) {
    positions[id] = members.count
    ids.append(id)
    members.append(member)
  }

  /// Removes a member; returns nil if there is none with that ID.
  mutating func remove(_ id: UInt64) -> Member? {
    guard let position = positions.removeValue(forKey: id) else { return nil }
    let last = members.count - 1
    if position != last {
      members.swapAt(position, last)
      ids.swapAt(position, last)
      positions[ids[position]] = position
    }
    ids.removeLast()
    return members.removeLast()
  }

  /// Changes a member, if there is one with that ID.
  mutating func update(_ id: UInt64, _ body: (inout Member) -> Void) {
    if let position = positions[id] { body(&members[position]) }
  }

  mutating func removeAll() -> [Member] {
    defer { self = Self() }
    return members
  }

  mutating func visit(_ body: (inout Member) -> Void) {
    for index in members.indices { body(&members[index]) }
  }
}

extension SubscriberTable: Sendable where Member: Sendable {}
