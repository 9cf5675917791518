/// Who sleeps until when, the next to wake first; ties in order of arrival.
struct SleeperQueue: Sendable {
  struct Sleeper: Hashable, Sendable {
    let deadline: Duration
    let id: Int
  }

  private var sleepers: [Sleeper] = []  // Last to wake first, so that waking moves nothing.

  var count: Int { sleepers.count }
  var nextDeadline: Duration? { sleepers.last?.deadline }

  mutating func insert(_ sleeper: Sleeper) {
    sleepers.insert(sleeper, at: index(of: sleeper))
  }

  /// Takes a sleeper out; false when it is not in.
  mutating func remove(_ sleeper: Sleeper) -> Bool {
    let index = index(of: sleeper)
    guard index < sleepers.count, sleepers[index] == sleeper else { return false }
    sleepers.remove(at: index)
    return true
  }

  /// Takes the next to wake, if its deadline is not after an instant.
  mutating func popFirst(notAfter instant: Duration) -> Sleeper? {
    guard let next = sleepers.last, next.deadline <= instant else { return nil }
    return sleepers.removeLast()
  }

  /// Where a sleeper is, or belongs.
  private func index(of sleeper: Sleeper) -> Int {
    var (low, high) = (0, sleepers.count)
    while low < high {
      let middle = (low + high) / 2
      let other = sleepers[middle]
      if (other.deadline, other.id) > (sleeper.deadline, sleeper.id) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}
