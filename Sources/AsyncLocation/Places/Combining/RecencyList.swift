/// Identifiers in the order of their last use. Every operation takes O(1).
struct RecencyList<ID: Hashable & Sendable>: Sendable {
  private struct Links: Sendable {
    var older: ID?
    var newer: ID?
  }

  private var links: [ID: Links] = [:]
  /// The least recently used identifier.
  private(set) var oldest: ID?
  private var newest: ID?

  var count: Int { links.count }

  /// Makes an identifier the newest. Adds it if it is new.
  mutating func use(_ id: ID) {
    guard newest != id else { return }
    remove(id)
    links[id] = Links(older: newest)
    if let newest { links[newest]?.newer = id } else { oldest = id }
    newest = id
  }

  /// Removes an identifier; does nothing if it is absent.
  mutating func remove(_ id: ID) {
    guard let link = links.removeValue(forKey: id) else { return }
    if let older = link.older { links[older]?.newer = link.newer } else { oldest = link.newer }
    if let newer = link.newer { links[newer]?.older = link.older } else { newest = link.older }
  }
}
