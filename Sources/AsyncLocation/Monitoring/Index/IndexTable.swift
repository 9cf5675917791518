/// A hash table of indices into an array of its owner, with four bytes per bucket.
///
/// The owner supplies the hash of an index and compares keys. The table uses open addressing with
/// linear probing; removal moves later entries back, so that searches stay short.
struct IndexTable: Sendable {
  /// Each bucket contains an index, or -1 if it is free. The number of buckets is zero or a power
  /// of two, and at least one of them is free.
  private var buckets: [Int32] = []
  private(set) var count = 0

  /// Returns the index for which `isEqual` holds.
  @inline(__always)
  func find(hash: UInt64, where isEqual: (Int) -> Bool) -> Int? {
    guard !buckets.isEmpty else { return nil }
    let mask = buckets.count - 1
    var bucket = Int(truncatingIfNeeded: hash) & mask
    while buckets[bucket] >= 0 {
      if isEqual(Int(buckets[bucket])) { return Int(buckets[bucket]) }
      bucket = (bucket + 1) & mask
    }
    return nil
  }

  /// Reserves memory for a number of entries.
  mutating func reserve(_ entries: Int, hashOf: (Int) -> UInt64) {
    var size = max(8, buckets.count)
    while entries * 8 > size * 6 { size *= 2 }
    if size > buckets.count { resize(size, hashOf) }
  }

  /// Adds an index that is not in the table.
  mutating func add(_ index: Int, hash: UInt64, hashOf: (Int) -> UInt64) {
    reserve(count + 1, hashOf: hashOf)
    place(index, hash)
    count += 1
  }

  /// Removes an index that is in the table.
  mutating func remove(_ index: Int, hash: UInt64, hashOf: (Int) -> UInt64) {
    let mask = buckets.count - 1
    var hole = Int(truncatingIfNeeded: hash) & mask
    while buckets[hole] != index { hole = (hole + 1) & mask }
    var next = (hole + 1) & mask
    while buckets[next] >= 0 {
      let home = Int(truncatingIfNeeded: hashOf(Int(buckets[next]))) & mask
      // An entry may move back to the hole unless its home bucket is after the hole.
      if (next - home) & mask >= (next - hole) & mask {
        buckets[hole] = buckets[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    buckets[hole] = -1
    count -= 1
    if buckets.count > 64, count * 8 < buckets.count { resize(buckets.count / 2, hashOf) }
  }

  private mutating func place(_ index: Int, _ hash: UInt64) {
    let mask = buckets.count - 1
    var bucket = Int(truncatingIfNeeded: hash) & mask
    while buckets[bucket] >= 0 { bucket = (bucket + 1) & mask }
    buckets[bucket] = Int32(index)
  }

  private mutating func resize(_ size: Int, _ hashOf: (Int) -> UInt64) {
    let old = buckets
    buckets = Array(repeating: -1, count: size)
    for index in old where index >= 0 { place(Int(index), hashOf(Int(index))) }
  }
}
