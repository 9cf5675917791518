/// The answers of a cache that are not stored yet, and the stored answers that the cache has
/// dropped.
///
/// An answer that is dropped before it was stored leaves no change, so the number of changes is at
/// most the number of answers in the cache and the storage.
struct UnstoredAnswers: Sendable {
  typealias ID = GeocodingIndex.ID

  private var added: Set<ID> = []
  private var removed: Set<ID> = []

  var isEmpty: Bool { added.isEmpty && removed.isEmpty }

  mutating func add(_ id: ID) { added.insert(id) }

  mutating func remove(_ id: ID) {
    if added.remove(id) == nil { removed.insert(id) }
  }

  /// Returns the changes in the order of their IDs, and removes them.
  mutating func take() -> (added: [ID], removed: [ID]) {
    defer { self = Self() }
    return (added.sorted(), removed.sorted())
  }
}
