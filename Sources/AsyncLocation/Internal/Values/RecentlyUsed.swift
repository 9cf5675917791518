/// Values keyed by `Key`, up to a limit. A further value replaces the least recently used one.
struct RecentlyUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private var entries: [Key: (value: Value, lastUse: UInt64)] = [:]
  private var uses: UInt64 = 0
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// The value of a key. Reading a value does not count as a use.
  subscript(key: Key) -> Value? { entries[key]?.value }

  /// Modifies the value of a key, or a new default value, and counts as a use.
  mutating func use<Result>(
    _ key: Key, default value: @autoclosure () -> Value, _ body: (inout Value) -> Result
  ) -> Result {
    if entries.count >= limit, entries[key] == nil,
      let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
    {
      entries[oldest.key] = nil
    }
    uses += 1
    var entry = (value: entries.removeValue(forKey: key)?.value ?? value(), lastUse: uses)
    defer { entries[key] = entry }
    return body(&entry.value)
  }
}
