/// Identifies a timer; never reused.
package struct TimerID: Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A heap of timers, ordered by instant.
///
/// The entry of a cancelled timer stays until it is first, or until more than half of at least 65
/// entries are of cancelled timers. The entry of a postponed timer is moved when it is first.
struct TimerHeap {
  /// An entry of the heap. If the timer was postponed, its instant may be earlier than the timer's.
  private struct Entry {
    var instant: Duration
    var id: TimerID

    /// Of two timers with the same instant, the one that was armed first precedes the other.
    func precedes(_ other: Entry) -> Bool {
      (instant, id.rawValue) < (other.instant, other.id.rawValue)
    }
  }

  /// A timer that is armed.
  private struct Pending {
    var instant: Duration
    let action: () -> Void
  }

  private var entries: [Entry] = []
  private var pending: [TimerID: Pending] = [:]
  private var lastID: UInt64 = 0

  var isEmpty: Bool { pending.isEmpty }
  /// The number of entries, including those of cancelled timers.
  var count: Int { entries.count }

  mutating func insert(at instant: Duration, _ action: @escaping () -> Void) -> TimerID {
    lastID += 1
    let id = TimerID(rawValue: lastID)
    pending[id] = Pending(instant: instant, action: action)
    entries.append(Entry(instant: instant, id: id))
    siftUp(entries.count - 1)
    return id
  }

  mutating func cancel(_ id: TimerID) {
    guard pending.removeValue(forKey: id) != nil else { return }
    guard entries.count > 64, entries.count > 2 * pending.count else { return }
    entries = entries.filter { pending[$0.id] != nil }.sorted { $0.precedes($1) }
  }

  /// Postpones a timer; an earlier instant changes nothing.
  mutating func postpone(_ id: TimerID, to instant: Duration) {
    guard let index = pending.index(forKey: id), pending.values[index].instant < instant else {
      return
    }
    pending.values[index].instant = instant
  }

  /// Returns the instant of the first timer, and removes the entries of cancelled timers before it;
  /// nil if there is no timer.
  mutating func next() -> Duration? {
    while let first = entries.first {
      guard let instant = pending[first.id]?.instant else {
        removeFirst()
        continue
      }
      guard instant > first.instant else { return instant }
      entries[0].instant = instant
      siftDown()
    }
    return nil
  }

  /// Removes the first timer if it is due, and returns its action.
  mutating func popDue(at now: Duration) -> (() -> Void)? {
    guard let instant = next(), instant <= now, let first = entries.first else { return nil }
    removeFirst()
    return pending.removeValue(forKey: first.id)?.action
  }

  private mutating func removeFirst() {
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    siftDown()
  }

  private mutating func siftDown() {
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
