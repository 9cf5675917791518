import AsyncLocation

/// An ordered log that any number of tasks can read and wait on.
final class Journal<Entry: Sendable>: Sendable {
  /// The number of entries that are removed at once from a log of twice as many, and the number of
  /// newest entries that are always retained.
  static var limit: Int { 10_000 }

  private struct State {
    var entries: [Entry] = []
    /// Fulfilled when the next entry is appended.
    var next = Promise<Void>()
  }

  private let state = Locked(State())

  var entries: [Entry] { state.withLock { $0.entries } }

  func append(_ entry: Entry) {
    let change = state.withLock { state in
      // Removes entries in blocks, so that a full journal does not move all entries for each
      // append.
      if state.entries.count >= 2 * Self.limit { state.entries.removeFirst(Self.limit) }
      state.entries.append(entry)
      let change = state.next
      state.next = Promise()
      return change
    }
    change.fulfill(())
  }

  /// Waits until a condition holds, which is evaluated after each entry. Returns false if the task
  /// is cancelled first. State that the condition reads must change before the corresponding entry
  /// is appended.
  func wait(until isSatisfied: () -> Bool) async -> Bool {
    while true {
      let change = state.withLock { $0.next }
      if isSatisfied() { return true }
      guard await change.value() != nil else { return false }
    }
  }
}
