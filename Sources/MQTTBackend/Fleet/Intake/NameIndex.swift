/// Finds slots by a hash: open addressing with linear probing, eight bytes per entry. Pure.
///
/// At most three quarters of the entries are in use.
struct NameIndex: Sendable {
  /// The upper half is the hash, the lower half is the slot plus one; 0 is free.
  private var entries: [UInt64] = Array(repeating: 0, count: 16)
  private(set) var count = 0

  private static func hash(_ entry: UInt64) -> UInt32 { UInt32(entry >> 32) }
  private static func slot(_ entry: UInt64) -> Int { Int(UInt32(truncatingIfNeeded: entry)) - 1 }

  private func position(_ hash: UInt32) -> Int { Int(hash) & (entries.count - 1) }
  private func following(_ position: Int) -> Int { (position + 1) & (entries.count - 1) }

  /// The slot with a hash for which `matches` returns true.
  @inline(__always)
  func find(_ hash: UInt32, where matches: (Int) -> Bool) -> Int? {
    var position = position(hash)
    while entries[position] != 0 {
      let entry = entries[position]
      if Self.hash(entry) == hash, matches(Self.slot(entry)) { return Self.slot(entry) }
      position = following(position)
    }
    return nil
  }

  /// Adds a slot that is not in the index.
  mutating func insert(_ slot: Int, _ hash: UInt32) {
    if (count + 1) * 4 > entries.count * 3 { grow() }
    count += 1
    place(UInt64(hash) << 32 | UInt64(slot + 1))
  }

  /// Removes a slot. Later entries of its run move up, so that no tombstone is needed.
  mutating func remove(_ slot: Int, _ hash: UInt32) {
    var free = position(hash)
    while entries[free] != 0, Self.slot(entries[free]) != slot { free = following(free) }
    guard entries[free] != 0 else { return }
    count -= 1
    var position = following(free)
    while entries[position] != 0 {
      // An entry may move to `free` unless its home lies cyclically in (free, position].
      let home = self.position(Self.hash(entries[position]))
      let mask = entries.count - 1
      if (position - home) & mask >= (position - free) & mask {
        entries[free] = entries[position]
        free = position
      }
      position = following(position)
    }
    entries[free] = 0
  }

  private mutating func place(_ entry: UInt64) {
    var position = position(Self.hash(entry))
    while entries[position] != 0 { position = following(position) }
    entries[position] = entry
  }

  private mutating func grow() {
    let old = entries
    entries = Array(repeating: 0, count: old.count * 2)
    for entry in old where entry != 0 { place(entry) }
  }
}
