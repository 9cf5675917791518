/// Slots by the time of their expiry, a binary heap. Entries of removed conditions stay until they
/// are due or ``compact(isCurrent:)`` is called.
struct ExpiryQueue: Sendable {
  private struct Entry: Sendable {
    let time: Double
    let slot: Int32
    let revision: UInt32
  }

  private var heap: [Entry] = []

  var count: Int { heap.count }

  /// Removes the entries that are not current.
  mutating func compact(isCurrent: (Int, UInt32) -> Bool) {
    heap.removeAll { !isCurrent(Int($0.slot), $0.revision) }
    heap.sort { $0.time < $1.time }  // A sorted array is a heap.
  }

  mutating func add(_ time: Double, slot: Int, revision: UInt32) {
    heap.append(Entry(time: time, slot: Int32(slot), revision: revision))
    var index = heap.count - 1
    while index > 0, heap[index].time < heap[(index - 1) / 2].time {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Takes the current slots that are due.
  mutating func take(until time: Double, isCurrent: (Int, UInt32) -> Bool) -> [Int] {
    var slots: [Int] = []
    while let first = heap.first, first.time <= time {
      removeFirst()
      if isCurrent(Int(first.slot), first.revision) { slots.append(Int(first.slot)) }
    }
    return slots
  }

  /// The earliest time of a current slot.
  mutating func first(isCurrent: (Int, UInt32) -> Bool) -> Double? {
    while let first = heap.first {
      if isCurrent(Int(first.slot), first.revision) { return first.time }
      removeFirst()
    }
    return nil
  }

  private mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var index = 0
    while case let child = 2 * index + 1, child < heap.count {
      let right = child + 1
      let least = right < heap.count && heap[right].time < heap[child].time ? right : child
      guard heap[least].time < heap[index].time else { break }
      heap.swapAt(index, least)
      index = least
    }
  }
}
