import AsyncLocation

/// The sleepers ordered by deadline; sleepers with equal deadlines in order of arrival.
struct SleeperQueue: Sendable {
  struct Sleeper: Hashable, Sendable {
    let deadline: Duration
    let id: Int
  }

  private var sleepers: [Sleeper] = []  // Descending, so that `popFirst` is O(1).

  var count: Int { sleepers.count }
  var nextDeadline: Duration? { sleepers.last?.deadline }

  mutating func insert(_ sleeper: Sleeper) {
    sleepers.insert(sleeper, at: index(of: sleeper))
  }

  /// Removes a sleeper. Returns false if it is not in the queue.
  mutating func remove(_ sleeper: Sleeper) -> Bool {
    let index = index(of: sleeper)
    guard index < sleepers.count, sleepers[index] == sleeper else { return false }
    sleepers.remove(at: index)
    return true
  }

  /// Removes and returns the sleeper with the earliest deadline, unless that is after `instant`.
  mutating func popFirst(notAfter instant: Duration) -> Sleeper? {
    guard let next = sleepers.last, next.deadline <= instant else { return nil }
    return sleepers.removeLast()
  }

  /// The index of a sleeper, or its insertion index.
  private func index(of sleeper: Sleeper) -> Int {
    sleepers.indices.partition { index in
      (sleepers[index].deadline, sleepers[index].id) <= (sleeper.deadline, sleeper.id)
    }
  }
}
