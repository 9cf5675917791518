/// Names a timer; never used twice.
package struct TimerID: Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Timers in the order of their instants. A cancelled one stays until its turn, or until such are
/// the majority.
struct TimerHeap {
  private struct Entry {
    var instant: Duration
    var id: TimerID

    // Of two at one instant, the one armed first.
    func precedes(_ other: Entry) -> Bool {
      (instant, id.rawValue) < (other.instant, other.id.rawValue)
    }
  }

  private var entries: [Entry] = []
  private var actions: [TimerID: () -> Void] = [:]
  private var lastID: UInt64 = 0

  var isEmpty: Bool { actions.isEmpty }
  /// Entries held, those of cancelled timers included.
  var count: Int { entries.count }

  mutating func insert(at instant: Duration, _ action: @escaping () -> Void) -> TimerID {
    lastID += 1
    let id = TimerID(rawValue: lastID)
    actions[id] = action
    entries.append(Entry(instant: instant, id: id))
    siftUp(entries.count - 1)
    return id
  }

  mutating func cancel(_ id: TimerID) {
    guard actions.removeValue(forKey: id) != nil else { return }
    guard entries.count > 64, entries.count > 2 * actions.count else { return }
    entries = entries.filter { actions[$0.id] != nil }.sorted { $0.precedes($1) }
  }

  /// The instant of the first timer.
  mutating func next() -> Duration? {
    while let first = entries.first, actions[first.id] == nil { removeFirst() }
    return entries.first?.instant
  }

  /// Takes the first timer that is due.
  mutating func popDue(at now: Duration) -> (() -> Void)? {
    guard let instant = next(), instant <= now, let first = entries.first else { return nil }
    removeFirst()
    return actions.removeValue(forKey: first.id)
  }

  private mutating func removeFirst() {
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < entries.count && entries[child].precedes(entries[least]) { least = child }
      if least == parent { return }
      entries.swapAt(parent, least)
      parent = least
    }
  }

  private mutating func siftUp(_ start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard entries[child].precedes(entries[parent]) else { return }
      entries.swapAt(child, parent)
      child = parent
    }
  }
}
