/// A queue of slots by their time of expiry. Entries of removed conditions stay until they are due
/// or ``compact(isCurrent:)`` is called.
struct ExpiryQueue: Sendable {
  private struct Entry: Sendable {
    let slot: Int32
    let revision: UInt32
  }

  private var queue = PriorityQueue<Entry>()

  var count: Int { queue.count }

  /// Removes the entries that are not current.
  mutating func compact(isCurrent: (Int, UInt32) -> Bool) {
    queue.removeAll { !isCurrent(Int($0.element.slot), $0.element.revision) }
  }

  mutating func add(_ time: Double, slot: Int, revision: UInt32) {
    queue.add(Entry(slot: Int32(slot), revision: revision), at: time)
  }

  /// Removes the entries that are due, and returns the slots of those that are current.
  mutating func take(until time: Double, isCurrent: (Int, UInt32) -> Bool) -> [Int] {
    var slots: [Int] = []
    while let first = queue.first, first.priority <= time {
      _ = queue.popFirst()
      let (slot, revision) = (Int(first.element.slot), first.element.revision)
      if isCurrent(slot, revision) { slots.append(slot) }
    }
    return slots
  }

  /// The earliest time of a current slot.
  mutating func first(isCurrent: (Int, UInt32) -> Bool) -> Double? {
    while let first = queue.first {
      if isCurrent(Int(first.element.slot), first.element.revision) { return first.priority }
      _ = queue.popFirst()
    }
    return nil
  }
}
